/** Declares the scopes of callers, and parses OIDC_SCOPES, which gives them to people by their roles at the issuer. */
export const scopes = ['send', 'leads', 'board', 'operator'] as const;
export type Scope = (typeof scopes)[number];

/** The scopes by the value of the roles claim. */
export type ScopesByRole = ReadonlyMap<string, readonly Scope[]>;

export const scopesByRoleFormat = `must be role=scope+scope entries, separated by commas, each role once, like recruiter=leads,admin=leads+operator; the scopes are ${scopes.join(', ')}`;

export const isScope = (word: string): word is Scope => (scopes as readonly string[]).includes(word);

/** Undefined if the text is not a valid map. The name of a role may contain `=`. */
export function parseScopesByRole(written: string): ScopesByRole | undefined {
  const entries = written.split(',').map((entry) => entry.trim());
  const read = entries.map((entry): readonly [string, readonly Scope[]] | undefined => {
    const [, role, words = ''] = /^(.*\S)\s*=([^=]*)$/.exec(entry) ?? [];
    const given = words.split('+').map((word) => word.trim());
    return role !== undefined && given.every(isScope) ? [role, given] : undefined;
  });
  const known = read.filter((entry) => entry !== undefined);
  const map = new Map(known);
  return map.size === entries.length ? map : undefined;
}
