/** Lists the activities that change something in an upstream. After a restore, the outcome of what they sent since the copy is unknown. */
const writes = [
  'forwardLead',
  'sendToRt',
  'sendComments',
  'makeProject',
  'makeList',
  'makeTodo',
  'makeAlertCard',
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

/** For each send, what a person checks to find out whether it arrived. */
export const arrivalChecks: Readonly<Record<string, string>> = {
  forwardLead: 'the lead in its upstream',
  sendToRt: 'the person in the site system',
  sendComments: "the person's comment in the site system",
};
