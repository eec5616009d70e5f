/**
 * The types of a command: data for the help, the completion and the parser, and a function that runs it. Also the exit statuses, and the
 * input and output of a command.
 */
import type { Config } from '../../src/config/config';
import { messageOf } from '../../src/lib/errors';

/** Exit statuses. */
export const statuses = {
  /** Done, and the answer is yes. */
  done: 0,
  /** Done, and the answer is no: refused, not found, would not replay, trouble found. */
  no: 1,
  /** Not done: wrong usage, a wrong setting, or no answer. */
  unable: 2,
  /** Done, and something would change; only where it was asked for. */
  changed: 3,
} as const;
export type Status = (typeof statuses)[keyof typeof statuses];

/** The input and output of a command; tests provide their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** The whole of the standard input. */
  read(): Promise<string>;
  /** Colours, and lines that are overwritten, are for terminals only. */
  readonly isTerminal: boolean;
  readonly hasColours: boolean;
  readonly columns: number;
  /** Aborted by Ctrl-C. */
  readonly stopped: AbortSignal;
}

/** A positional argument: `<leadId>`. */
export interface Argument {
  readonly name: string;
  readonly about: string;
  readonly optional?: true;
  /** The values that it may have. */
  readonly words?: readonly string[];
  /** The value names a file, for the shell's completion. */
  readonly file?: true;
}

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly about: string;
  readonly short?: string;
  readonly multiple?: true;
  /** The option is required. */
  readonly needed?: true;
  /** The name of the value in the help; for string options only. */
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
  /** One for each argument of the command; '' for an optional one that was not given. */
  readonly args: readonly string[];
  readonly options: Given<O> & { readonly json?: boolean };
  /** Reads the settings when it is called, so that the help needs none. */
  config(): Config;
  readonly commands: readonly Command[];
}

export interface Command<O extends Options = Options> {
  /** The command's name, of one word or two: `lead show`. */
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  /** More about the command, one paragraph each. */
  readonly about?: readonly string[];
  readonly args?: readonly Argument[];
  readonly options?: O;
  /** Without the leading `leadgate`. */
  readonly examples: readonly string[];
  run(call: Call<O>): Promise<Status>;
}

export const command = <const O extends Options>(declared: Command<O>): Command<O> => declared;

/** For `catch`: an error of the system, such as a full disk, ends the command with one plain line. */
export function orUnable(error: unknown): never {
  throw typeof error === 'object' && error !== null && 'syscall' in error ? new Unable(messageOf(error)) : error;
}

/** Thrown to end a command with one plain line. */
export class Unable extends Error {
  override name = 'Unable';
  constructor(
    message: string,
    readonly status: Status = statuses.unable,
  ) {
    super(message);
  }
}
