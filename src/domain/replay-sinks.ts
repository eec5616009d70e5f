/** Defines the sink that reports the commands of a replayed run, so that a replay can show where the code differs from the history. */

/** A command that workflow code issues. */
export interface IssuedCommand {
  /** The SDK's name of the command. */
  readonly kind: string;
  /** The name of the activity or child workflow. */
  readonly name?: string;
  /** The number of a timer, by which it is cancelled. */
  readonly seq?: number;
}

/** The SDK requires a type with an index, so this is no interface. */
export type ReplaySinks = {
  readonly replay: {
    /** The code begins to run. It may fail before it issues a command. */
    started(): void;
    issued(commands: readonly IssuedCommand[]): void;
  };
};
