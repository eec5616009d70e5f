/** Logs one line per event to stdout: JSON, or plain text on a terminal. Callers pass named fields, never a body or a header. */
export type LogLevel = 'info' | 'warn' | 'error';
export type LogFields = Record<string, string | number | boolean | undefined>;

// All characters that could end or forge a line, or move a terminal's cursor.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
const plain = (value: unknown) => String(value).replace(unprintable, ' ');

/** The output of all lines. Tests and the command line replace it. */
export const output = { write: (line: string): void => void process.stdout.write(line) };

function write(level: LogLevel, message: string, fields: LogFields = {}): void {
  if (!process.stdout.isTTY) {
    output.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`);
    return;
  }
  const details = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${plain(value)}`]));
  output.write(`${[level === 'info' ? '' : `${level}: `, plain(message), details.length ? `  ${details.join(' ')}` : ''].join('')}\n`);
}

export const log = {
  info: (message: string, fields?: LogFields) => write('info', message, fields),
  warn: (message: string, fields?: LogFields) => write('warn', message, fields),
  error: (message: string, fields?: LogFields) => write('error', message, fields),
};
