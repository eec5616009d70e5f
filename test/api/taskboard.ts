/** A gateway in front of the simulated task board, and short words for asking it. */
import { documents } from '../../src/activities/taskboard-documents';
import { sandboxBoard, sandboxPaths } from '../../src/config/sandbox-urls';
import { startGateway, type Gateway, type GatewayOptions } from '../support/gateway';

export interface BoardGateway extends Gateway {
  /** Adds many things to the simulated board. */
  fill(query: string): Promise<{ projectId: string; todoListIds: string[]; todoId: string }>;
  reset(): Promise<void>;
  /** How often each kind of question came since the last reset. */
  calls(): Promise<Readonly<Record<string, number>>>;
  /** The names of the simulator's projects. */
  simulated(): Promise<readonly string[]>;
  /** A new project with two columns, made at the simulator itself. */
  board(name?: string): Promise<{ projectId: string; listId: string; otherListId: string }>;
  /** One more column, made at the simulator itself. */
  column(projectId: string, title: string, position: number): Promise<string>;
  card(title?: string, more?: object): Promise<{ id: string; projectId: string; listId: string; otherListId: string }>;
}

const base = '/api/taskboard';
const ours = {
  'content-type': 'application/json',
  'x-bloo-token-id': sandboxBoard.TASKBOARD_TOKEN_ID,
  'x-bloo-token-secret': sandboxBoard.TASKBOARD_TOKEN_SECRET,
  'x-bloo-company-id': sandboxBoard.TASKBOARD_COMPANY_ID,
};

async function makeAt({ sandboxUrl }: Pick<Gateway, 'sandboxUrl'>, query: string, input: object, headers = {}): Promise<string> {
  const answer = await fetch(`${sandboxUrl}${sandboxPaths.TASKBOARD_URL}`, {
    method: 'POST',
    headers: { ...ours, ...headers },
    body: JSON.stringify({ query, variables: { input } }),
  });
  const { data } = (await answer.json()) as { data: Record<string, { id: string }> };
  return Object.values(data)[0]?.id ?? '';
}

/** Makes a column at the simulator itself. */
export const columnAt = (at: Pick<Gateway, 'sandboxUrl'>, projectId: string, title: string, position: number): Promise<string> =>
  makeAt(at, documents.CreateList, { projectId, title, position }, { 'x-bloo-project-id': projectId });

export async function startBoard(options: GatewayOptions = {}): Promise<BoardGateway> {
  const gateway = await startGateway(options);
  const ask = (path: string, init?: RequestInit) => fetch(`${gateway.sandboxUrl}${path}`, init);
  const post: Gateway['post'] = (path, body, headers) => gateway.post(base + path, body, headers);

  const make = (query: string, input: object, headers = {}) => makeAt(gateway, query, input, headers);
  const column: BoardGateway['column'] = (...given) => columnAt(gateway, ...given);
  const board: BoardGateway['board'] = async (name = `Board ${Math.random().toString(36).slice(2, 10)}`) => {
    const projectId = await make(documents.CreateProject, { companyId: sandboxBoard.TASKBOARD_COMPANY_ID, name });
    return { projectId, listId: await column(projectId, 'First', 65_535), otherListId: await column(projectId, 'Second', 131_070) };
  };

  return {
    ...gateway,
    get: (path, headers) => gateway.get(base + path, headers),
    post,
    patch: (path, body, headers) => gateway.patch(base + path, body, headers),
    fill: async (query) => {
      const filled = (await (await ask(`/__fill?${query}`, { method: 'POST' })).json()) as {
        taskboard: { projectId: string; todoListIds: string[]; todoId: string };
      };
      return filled.taskboard;
    },
    reset: async () => void (await ask('/__reset', { method: 'POST' })),
    calls: async () => (await gateway.sandbox()).calls,
    simulated: async () => (await gateway.sandbox()).taskboard.projects.map(({ name }) => name),
    board,
    column,
    async card(title = 'A card', more = {}) {
      const where = await board();
      const made = await post('/todos', { todoListId: where.listId, projectId: where.projectId, title, ...more });
      return { id: made.body.card.id, ...where };
    },
  };
}
