/**
 * The words of the sandbox. A simulator plays one upstream; it is a list of calls. A call says how it is addressed, where its
 * sentinels are looked for, and what a healthy upstream would answer. Everything that goes wrong is in effects.ts.
 */
export type Body = Record<string, unknown>;
export type Answer = { status: number; body: Body };

/** One request, already read. */
export type Incoming = {
  params: Record<string, string>;
  query: URLSearchParams;
  bearer: string;
  /** The header `x-api-key`. */
  apiKey: string;
  contentType: string;
  /** Any other header, by its name in lower case; `""` when it is not there. */
  header(name: string): string;
  text: string;
};

export type Call = {
  /** The first part of its sentinels (`v1` in `v1-500`). */
  name: string;
  method: 'get' | 'post';
  path: string;
  about: string;
  /** In words, the texts that `words` returns; for the docs. */
  readsSentinelsFrom: string;
  /** Where several calls share a path: whether this one is meant. */
  takes?(request: Incoming): boolean;
  words(request: Incoming): string[];
  /** The body as the journal may keep it, where it holds a key. */
  shown?(text: string): string;
  /** Checks the request, does what it asks, stores it. */
  answer(request: Incoming): Answer;
  /** This upstream's form of an error. */
  errorBody(status: number, message: string): Body;
  /** How this upstream refuses bad data; most say 422. */
  refused?: Answer;
  /** Makes the caller's key useless, and says so in this upstream's way; without it a plain 401. */
  revoked?(request: Incoming): Answer;
  /** The fields that a right answer cannot lack, the most important one last. */
  essential: readonly string[];
};

export type Simulator = {
  name: string;
  calls: Call[];
  /** What it holds now, for `GET /__state`. */
  state(): unknown;
  revokeKeys(): number;
  /** Adds many things at once, and says where they are. */
  fill?(wanted: Record<'projects' | 'users' | 'cards' | 'comments' | 'bytes', number>): unknown;
  reset(): void;
};

/** `undefined` for anything that is not a JSON object. */
export function jsonObject(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A filled string, trimmed; everything else counts as absent. */
export const filled = (value: unknown): string | undefined => (typeof value === 'string' && value.trim()) || undefined;
