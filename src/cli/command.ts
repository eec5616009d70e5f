/** What a command is: data that help, completion and the parser read, and a function that does it. */
import type { Config } from '../config/config';

/** What the shell is told. */
export const statuses = {
  /** It is done; what was asked about is as it should be. */
  done: 0,
  /** It was carried out, and the answer is no: refused, not there, would not replay, trouble found. */
  no: 1,
  /** It could not be carried out: wrong usage, a wrong setting, nobody answers. */
  unable: 2,
} as const;
export type Status = (typeof statuses)[keyof typeof statuses];

/** Where a command writes and reads; a test brings its own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** The whole of the standard input. */
  read(): Promise<string>;
  /** Colours and lines that are written over are for terminals only. */
  readonly isTerminal: boolean;
  readonly hasColours: boolean;
  readonly columns: number;
  /** Ctrl-C. */
  readonly stopped: AbortSignal;
}

/** A word that stands at its place: `<leadId>`. */
export interface Argument {
  readonly name: string;
  readonly about: string;
  readonly optional?: true;
  /** The words that it may be. */
  readonly words?: readonly string[];
  /** It names a file, for the shell's completion. */
  readonly file?: true;
}

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly about: string;
  readonly short?: string;
  readonly multiple?: true;
  /** The command cannot do without it. */
  readonly needed?: true;
  /** How its value is called in the help; of a string only. */
  readonly value?: string;
  readonly words?: readonly string[];
  readonly file?: true;
}

export type Options = Readonly<Record<string, Option>>;

type Any = string | boolean | readonly (string | boolean)[];
type Value<O extends Option> = Option extends O
  ? Any
  : O extends { multiple: true }
    ? readonly string[]
    : O extends { type: 'boolean' }
      ? boolean
      : string;
export type Given<O extends Options> = { readonly [Name in keyof O]?: Value<O[Name]> };

export interface Call<O extends Options = Options> {
  readonly io: Io;
  /** As many as the command has arguments; '' for an optional one that was not given. */
  readonly args: readonly string[];
  readonly options: Given<O> & { readonly json?: boolean };
  /** Read when it is asked for, so that help needs no settings. */
  config(): Config;
  readonly commands: readonly Command[];
}

export interface Command<O extends Options = Options> {
  /** One word or two: `lead show`. */
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  /** What a person should know beyond the summary, a paragraph each. */
  readonly about?: readonly string[];
  readonly args?: readonly Argument[];
  readonly options?: O;
  /** Without the leading `leadgate`. */
  readonly examples: readonly string[];
  run(call: Call<O>): Promise<Status>;
}

export const command = <const O extends Options>(declared: Command<O>): Command<O> => declared;

/** Ends a command with one plain line. */
export class Unable extends Error {
  override name = 'Unable';
  constructor(
    message: string,
    readonly status: Status = statuses.unable,
  ) {
    super(message);
  }
}
