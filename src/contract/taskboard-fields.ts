/** Defines the field types of the task board, which distinguish absent, null and empty. */
import { z } from 'zod';
import { isAbsent } from '../domain/formats';
import { instant } from './fields';
import { optionalSchema, type JsonSchema } from './json-schema';

const wrong = (check: { addIssue(message: string): void }, message: string) => {
  check.addIssue(message);
  return z.NEVER;
};

const notText = 'must be text';

/** Text in which `""` clears the field. */
export const clearableText = (schema: JsonSchema = {}) =>
  z
    .unknown()
    .transform((value, check): string | undefined => {
      if (value === undefined || value === null) return undefined;
      return typeof value === 'string' ? value.trim() : wrong(check, notText);
    })
    .optional()
    .meta({ type: ['string', 'null'], ...schema });

export const finiteNumber = (schema: JsonSchema = {}) =>
  z
    .unknown()
    .transform((value, check): number | undefined => {
      if (isAbsent(value)) return undefined;
      return typeof value === 'number' && Number.isFinite(value) ? value : wrong(check, 'must be a finite number');
    })
    .optional()
    .meta(optionalSchema({ type: 'number', ...schema }));

export const dueDate = () => instant({ description: 'ISO 8601 date or date-time; a date means midnight in UTC' });

/** A due date that null clears. */
export function clearableDueDate() {
  const read = instant({ description: 'ISO 8601 date or date-time; null clears it' });
  return z
    .unknown()
    .transform((value, check): string | null | undefined => {
      if (value === null) return null;
      const { data, error } = read.safeParse(value);
      for (const { message } of error?.issues ?? []) check.addIssue(message);
      return data;
    })
    .optional()
    .meta({ ...read.meta() });
}
