/** Defines the field types of the task board, which distinguish absent, null and empty. */
import { z } from 'zod';
import { isAbsent } from '../domain/formats';
import { isoForm } from './fields';
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

const momentForm = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*([Zz]|[+-]\d{2}:?\d{2})?)?$/;
const expectedMoment = 'must be an ISO 8601 date or date-time, like 2026-12-01 or 2026-12-01T09:30:00Z';

/** Parses a date or a date-time. A date means midnight; the default zone is UTC. Returns undefined if it is invalid. */
export function moment(written: string): string | undefined {
  const [, day = '', time = '00:00', seconds = '00', fraction = '0', zone = 'Z'] = momentForm.exec(written.trim()) ?? [];
  const isRealDay = day !== '' && !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const at = new Date(`${day}T${time}:${seconds}.${fraction.slice(0, 3)}${offset}`);
  return isRealDay && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined;
}

const dateTime = (clears: boolean) =>
  z
    .unknown()
    .transform((value, check): string | null | undefined => {
      if (value === null && clears) return null;
      if (isAbsent(value)) return undefined;
      return (typeof value === 'string' ? moment(value) : undefined) ?? wrong(check, expectedMoment);
    })
    .optional();

/** The pattern of a date or date-time. It does not check that the day exists. */
const written = { type: 'string', pattern: `^\\s*${isoForm}` };
export const dueDate = () =>
  dateTime(false).meta(optionalSchema({ ...written, description: 'ISO 8601 date or date-time; a date means midnight in UTC' }));
export const clearableDueDate = () =>
  dateTime(true).meta(optionalSchema({ ...written, description: 'ISO 8601 date or date-time; null clears it' }));
