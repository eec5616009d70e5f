/** The sends whose first try runs inside a workflow's own task, each after it has asked whether that is the first time (docs/decisions/0017). */

export const quickSends = ['forwardLead', 'makeProject', 'makeList', 'makeTodo', 'makeComment', 'toggleDone'] as const;

const names: readonly string[] = quickSends;
export const isQuickSend = (activity: string): boolean => names.includes(activity);

/** Under this name a local activity learns how long the history was when the workflow asked for it. */
export const lengthHeader = 'leadgate-history-length';
