/**
 * Reads and writes the cookies of sign-in. No script can read them. By https, they have the prefix `__Host-`, so that no other host can set
 * them.
 */
import type { CookieOptions, Request, Response } from 'express';
import { z } from 'zod';
import type { Seal } from './seal';

/** Browsers refuse a cookie of more than 4,096 bytes, with its name and attributes. */
const mostCharacters = 3_900;

export interface Cookie<Value> {
  /** Undefined if there is none, or if it was not made here. */
  read(request: Request): Value | undefined;
  /** Returns false if the value is too long for a cookie. */
  write(response: Response, value: Value): boolean;
  clear(response: Response): void;
}

export interface CookieKind {
  readonly name: string;
  /** `lax` is also sent when the issuer's page leads here. */
  readonly sameSite: 'strict' | 'lax';
  readonly maxAgeMs?: number;
}

export function createCookie<Form extends z.ZodType>(
  { name, sameSite, maxAgeMs: maxAge }: CookieKind,
  form: Form,
  seal: Seal,
  publicUrl: string,
): Cookie<z.infer<Form>> {
  const secure = publicUrl.startsWith('https:');
  const fullName = secure ? `__Host-${name}` : name;
  const options: CookieOptions = { httpOnly: true, secure, sameSite, path: '/' };

  return {
    read({ headers: { cookie = '' } }) {
      const found = cookie.split(/;\s*/).find((pair) => pair.startsWith(`${fullName}=`));
      return found === undefined ? undefined : form.safeParse(seal.open(name, found.slice(fullName.length + 1))).data;
    },
    write(response, value) {
      const text = seal.close(name, value);
      if (text.length > mostCharacters) return false;
      response.cookie(fullName, text, { ...options, maxAge });
      return true;
    },
    clear: (response) => void response.clearCookie(fullName, options),
  };
}
