/** Writes and reads the cursor of a list: the place where its next page begins. */
import { invalidCursor } from '../contract/errors';

export const writeCursor = (...parts: readonly (string | number)[]): string => Buffer.from(parts.join(' ')).toString('base64url');

/** Returns the parts of a cursor in this form. */
export function readCursor(written: string, form: RegExp): readonly string[] {
  const [, ...parts] = form.exec(Buffer.from(written, 'base64url').toString()) ?? [];
  if (parts.length === 0) throw invalidCursor();
  return parts;
}
