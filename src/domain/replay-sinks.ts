/** A command that the code of a run asks for, as the run tells it to a replay. */
export interface Asked {
  /** The SDK's name of the command. */
  readonly kind: string;
  /** The name of the activity or child workflow. */
  readonly name?: string;
  /** A timer has a number, by which it is cancelled. */
  readonly seq?: number;
}

/** The SDK requires a type with an index, so this is no interface. */
export type ReplaySinks = {
  readonly replay: { asked(commands: readonly Asked[]): void };
};
