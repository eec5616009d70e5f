/** The activities that change something in an upstream. A restore must know them: what they sent since the copy is unknown. */
const writes = [
  'forwardLead',
  'sendToRt',
  'sendComments',
  'makeProject',
  'makeList',
  'makeTodo',
  'makeComment',
  'toggleDone',
  'orderCopy',
  'changeProject',
  'changeTodo',
  'setDue',
  'moveTodo',
  'setAssigned',
] as const;

const names: readonly string[] = writes;
export const isWrite = (activity: string): boolean => names.includes(activity);
