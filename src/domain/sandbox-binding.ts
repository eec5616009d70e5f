/**
 * A run goes on where it began: what came in for a simulator goes to no real upstream, and what came in for a real one to no simulator,
 * whatever the settings have become.
 */

/** Setting → whether the sandbox stood in for it. */
export type SandboxBinding = Readonly<Record<string, boolean>>;

/** What is wrong with going there now; undefined where nothing is. */
export function breachOf(binding: SandboxBinding, setting: string, isSandbox: boolean): string | undefined {
  const was = new Map(Object.entries(binding)).get(setting);
  if (was === undefined || was === isSandbox) return undefined;
  return was
    ? `The sandbox stood in for ${setting} when this lead came in: it goes to no real system`
    : `${setting} is not set. This lead came in for a real system, and the sandbox is none`;
}
