/** Validates the fields of a body, for the simulators. */
import { isObject } from '../../src/domain/formats';
import type { JsonBody } from './call';

export type FieldRule = { field: string; message: string; holds(value: unknown, body: JsonBody): boolean };

/** Reads a path such as `patientInfo.sex`. */
export function fieldOf(body: unknown, path: string): unknown {
  return path.split('.').reduce((part: unknown, name) => (isObject(part) ? part[name] : undefined), body);
}

export function violatedRules(rules: readonly FieldRule[], body: JsonBody): { field: string; message: string }[] {
  return rules.filter(({ field, holds }) => !holds(fieldOf(body, field), body)).map(({ field, message }) => ({ field, message }));
}

/** Formats violations as most upstreams do: `{"email":["is invalid"]}`. */
export function byField(broken: readonly { field: string; message: string }[]): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  for (const { field, message } of broken) errors[field] = [...(errors[field] ?? []), message];
  return errors;
}

export const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
/** Accepts an absent value or one that matches. */
export const maybe = (form: RegExp) => (value: unknown) => value === undefined || (typeof value === 'string' && form.test(value));
