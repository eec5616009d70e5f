/** The commands of a run, as the bundle for replays tells them, so that a replay can name where the code parts from the history. */

/** A command that the code asks for. */
export interface AskedCommand {
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
    /** The code begins to run. An error in it may come before it asks for anything. */
    begins(): void;
    asks(commands: readonly AskedCommand[]): void;
  };
};
