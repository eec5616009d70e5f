/** Builds an n8n workflow and its nodes, in n8n's import format. */

type Parameters = Readonly<Record<string, unknown>>;

export interface Node {
  readonly name: string;
  readonly type: string;
  readonly typeVersion: number;
  /** The position on the canvas: column and row. */
  readonly at: readonly [number, number];
  readonly parameters: Parameters;
  /** For each output, the names of the next nodes. */
  readonly to?: readonly (readonly string[])[];
  /** Further settings of the node. */
  readonly more?: Parameters;
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly to: readonly (readonly string[])[];
}

/** Longer than any wait of Leadgate. */
const timeoutMs = 70_000;

/**
 * Makes an HTTP request. No status fails the node: the next nodes branch on it. A request without an answer continues at the error output,
 * which does not work together with n8n's own retries.
 */
export const httpRequest = (name: string, at: Node['at'], { method, url, headers = {}, body, to }: Request): Node => ({
  name,
  type: 'httpRequest',
  typeVersion: 4.2,
  at,
  parameters: {
    method: method.toUpperCase(),
    url,
    sendHeaders: Object.keys(headers).length > 0,
    headerParameters: { parameters: Object.entries(headers).map(([header, value]) => ({ name: header, value })) },
    ...(body && { sendBody: true, specifyBody: 'json', jsonBody: body }),
    options: { response: { response: { fullResponse: true, neverError: true } }, timeout: timeoutMs },
  },
  to,
  more: { onError: 'continueErrorOutput' },
});

interface Rule {
  readonly name: string;
  readonly holds: string;
  readonly to: string;
}

export const rule = (name: string, holds: string, to: string): Rule => ({ name, holds, to });

export const branches = (
  name: string,
  at: Node['at'],
  { rules, otherwise: [fallback, fallbackTo] }: { readonly rules: readonly Rule[]; readonly otherwise: readonly [string, string] },
): Node => ({
  name,
  type: 'switch',
  typeVersion: 3.2,
  at,
  parameters: {
    rules: {
      values: rules.map(({ name: outputKey, holds }) => ({
        conditions: {
          options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
          conditions: [
            { leftValue: `={{ ${holds} }}`, rightValue: '', operator: { type: 'boolean', operation: 'true', singleValue: true } },
          ],
          combinator: 'and',
        },
        renameOutput: true,
        outputKey,
      })),
    },
    options: { fallbackOutput: 'extra', renameFallbackOutput: fallback },
  },
  to: [...rules.map((one) => [one.to]), [fallbackTo]],
});

/** Makes the answer of the webhook; each field is an expression. */
export const respond = (name: string, at: Node['at'], responseCode: number, body: Readonly<Record<string, string>>): Node => ({
  name,
  type: 'respondToWebhook',
  typeVersion: 1.1,
  at,
  parameters: {
    respondWith: 'json',
    responseBody: `={{ { ${Object.entries(body)
      .map(([field, expression]) => `${field}: ${expression}`)
      .join(', ')} } }}`,
    options: { responseCode },
  },
});

const place = ([column, row]: Node['at']) => [column * 240, row * 180];

/** Ids are numbered, so that the generated file stays the same. */
const idOf = (index: number) => `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`;

export function workflow(id: string, name: string, note: string, nodes: readonly Node[]) {
  const sticky = {
    id: idOf(nodes.length),
    name: 'How to set it up',
    type: 'n8n-nodes-base.stickyNote',
    typeVersion: 1,
    position: [-40, -340],
    parameters: { content: note, width: 620, height: 260 },
  };
  return {
    id,
    name,
    active: false,
    settings: { executionOrder: 'v1' },
    nodes: [
      ...nodes.map(({ name: title, type, typeVersion, at, parameters, more }, index) => ({
        id: idOf(index),
        name: title,
        type: `n8n-nodes-base.${type}`,
        typeVersion,
        position: place(at),
        parameters,
        ...more,
        ...((type === 'webhook' || type === 'wait') && { webhookId: idOf(100 + index) }),
      })),
      sticky,
    ],
    connections: Object.fromEntries(
      nodes.flatMap(({ name: from, to }) =>
        to ? [[from, { main: to.map((each) => each.map((node) => ({ node, type: 'main', index: 0 }))) }]] : [],
      ),
    ),
    pinData: {},
  };
}
