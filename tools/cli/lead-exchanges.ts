/** Formats the requests of a lead and their answers, for `leadgate lead show --exchanges`. */
import { without } from '../../src/domain/formats';
import { groups, json, onOneLine, shortTime } from './print';
import type { AttemptStory } from './report';

type Exchange = AttemptStory['exchanges'][number];

/** Tries with the same request and answer are shown once. */
export function exchangeLines(exchanges: readonly Exchange[]): string {
  if (exchanges.length === 0) return '  none yet\n';
  const alike = groups(exchanges, (one) => JSON.stringify(without(one, ['startedAt', 'endedAt', 'temporalUrl'])));
  return alike.map((tries) => linesOf(tries[0] as Exchange, tries)).join('');
}

function linesOf({ call, step, endedAt, request, answer, rawAnswer, error, fields = [] }: Exchange, tries: readonly Exchange[]): string {
  const last = tries.at(-1)?.endedAt;
  const when = [
    endedAt && shortTime(endedAt),
    tries.length > 1 && `${tries.length} tries, the last ${last ? shortTime(last) : 'in progress'}`,
  ];
  const status = error?.status === undefined ? '' : ` (status ${error.status})`;
  const named = fields.length > 0 ? `; fields: ${fields.join(', ')}` : '';
  return [
    `  ${[step, call, ...when].filter(Boolean).join('  ')}\n`,
    part('request', request),
    part('answer', answer),
    rawAnswer ? rawLines(rawAnswer) : '',
    error ? `    error    ${error.code}${status}: ${error.message}${named}\n` : '',
  ].join('');
}

/** An answer that was not understood. Its text is there only in clear. */
function rawLines({ contentType = 'no content type', bytes, isCut, text }: NonNullable<Exchange['rawAnswer']>): string {
  const about = `${onOneLine(contentType)}, ${bytes} bytes${isCut ? ', only the beginning is kept' : ''}`;
  const lines =
    text === undefined
      ? '; --clear shows it\n'
      : `\n${text
          .split(/\r?\n/)
          .map((line) => `      ${onOneLine(line)}\n`)
          .join('')}`;
  return `    answer   not understood: ${about}${lines}`;
}

const part = (name: string, value: unknown): string =>
  value === undefined ? '' : `    ${name.padEnd(7)}  ${json(value).trimEnd().replaceAll('\n', '\n    ')}\n`;
