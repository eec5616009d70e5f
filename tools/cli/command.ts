/**
 * Declares what a command is: data for the help, the completion and the parser, and a function that runs it. Also declares the exit
 * statuses, and the input and output of a command.
 */
import type { Config } from '../../src/config/config';
import { messageOf } from '../../src/lib/errors';

/** Exit statuses. */
export const statuses = {
  /** The command ran, and the result is positive. */
  done: 0,
  /** The command ran, and the result is negative: refused, not found, does not replay, problems found. */
  no: 1,
  /** The command could not run: wrong usage, a wrong setting, or no answer. */
  unable: 2,
  /** The command ran, and something would change; only with an option that asks for this status. */
  changed: 3,
} as const;
export type ExitStatus = (typeof statuses)[keyof typeof statuses];

/** The input and output of a command; tests provide their own. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Reads the standard input to its end. */
  read(): Promise<string>;
  /** Colours and progress lines are for terminals only. */
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
  /** The allowed values. */
  readonly words?: readonly string[];
  /** The value is a file name, for the shell's completion. */
  readonly file?: true;
}

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly about: string;
  readonly short?: string;
  readonly multiple?: true;
  /** The option is required. */
  readonly required?: true;
  /** The name of the value in the help; for string options only. */
  readonly value?: string;
  readonly words?: readonly string[];
  readonly file?: true;
}

export type CommandOptions = Readonly<Record<string, Option>>;

type AnyValue = string | boolean | readonly (string | boolean)[];
type ValueOf<O extends Option> = Option extends O
  ? AnyValue
  : O extends { multiple: true }
    ? readonly string[]
    : O extends { type: 'boolean' }
      ? boolean
      : string;
export type OptionValues<O extends CommandOptions> = { readonly [Name in keyof O]?: ValueOf<O[Name]> };

export interface Invocation<O extends CommandOptions = CommandOptions> {
  readonly io: Io;
  /** One for each argument of the command; '' if an optional argument is absent. */
  readonly args: readonly string[];
  readonly options: OptionValues<O> & { readonly json?: boolean };
  /** Reads the settings on demand, so that the help works without any. */
  config(): Config;
  readonly commands: readonly Command[];
}

export interface Command<O extends CommandOptions = CommandOptions> {
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
  run(call: Invocation<O>): Promise<ExitStatus>;
}

export const command = <const O extends CommandOptions>(declared: Command<O>): Command<O> => declared;

/** For `catch`: reports a system error, such as a full disk, as one plain line. */
export function throwAsCommandError(error: unknown): never {
  throw typeof error === 'object' && error !== null && 'syscall' in error ? new CommandError(messageOf(error)) : error;
}

/** Ends a command with one plain line. */
export class CommandError extends Error {
  override name = 'Unable';
  constructor(
    message: string,
    readonly status: ExitStatus = statuses.unable,
  ) {
    super(message);
  }
}
