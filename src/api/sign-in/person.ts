/** Reads from a person's claims who they are, and what their roles allow. */
import type { Config } from '../../config/config';
import { scopes, type Scope } from '../../config/scopes';
import { isObject, replaceInvisible } from '../../domain/formats';

export type Claims = Readonly<Record<string, unknown>>;

export interface Person {
  /** Names the person at the issuer for ever. */
  readonly subject: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
}

const longestName = 200;

const nameIn = (value: unknown): string =>
  typeof value === 'string' ? replaceInvisible(value.normalize('NFC'), '').trim().slice(0, longestName) : '';

export const nameOf = (claims: Claims): string =>
  [claims.preferred_username, claims.email, claims.name, claims.sub].map(nameIn).find((name) => name !== '') ?? '';

/** Finds a claim by its name, which may contain dots, or else by a path such as `realm_access.roles`. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>((at, part) => (isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined), claims);
}

/** Returns the scopes of all roles, in their usual order. */
export function scopesOf(claims: Claims, { OIDC_ROLES_CLAIM, OIDC_SCOPES }: Config): readonly Scope[] {
  const roles = [claimAt(claims, OIDC_ROLES_CLAIM)].flat();
  const given = new Set(roles.flatMap((role) => (typeof role === 'string' ? (OIDC_SCOPES?.get(role) ?? []) : [])));
  return scopes.filter((scope) => given.has(scope));
}
