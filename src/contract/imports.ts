/** The route that imports a file of leads: its fields, its report and the lines of its answer. */
import { z } from 'zod';
import { states } from '../domain/lead';
import { endpoint } from './endpoint';
import { oneOf, required } from './fields';
import { flows } from './flows';
import { group } from './leads';
import { ratePerS } from './bulk';

/** A row with a value in this column was sent before. No flow has a field of this name. */
export const leadColumn = 'leadId';

const yes = (description: string) => oneOf(['true', 'false'], { description });

const fields = {
  flow: required(oneOf(flows, { description: 'the way that every row takes; its fields are the names of the columns' })),
  check: yes('true: only look, and report; nothing is sent'),
  skipBad: yes('true: send the rows that are right where others are not; without it nothing is sent then'),
  dropUnknown: yes('true: leave out the columns that the flow does not know; without it nothing is sent then'),
  ratePerS,
};

const count = (description: string) => z.int().describe(description);
const line = z.int().describe('the line of the file on which the row begins');
const said = (description: string) => z.string().describe(description);

const counts = {
  rows: count('rows of the file that hold a value'),
  good: count('rows that would be sent, or are'),
  badRows: count('rows with something wrong'),
  duplicateRows: count('rows of a lead that another row is already'),
  knownRows: count('rows with a leadId: leads that were sent before'),
};

export const problem = z.object({
  line,
  field: said('the column; empty where the row as a whole is wrong'),
  message: said('what is expected of it'),
});

const unknownColumn = z.object({
  column: count('which column, counted from 1'),
  name: said('its name in the first row'),
  like: z.string().optional().describe('a field of the flow that is written much like it'),
});

/** The report on a file. Its counts are complete, even where its lists are cut. */
export const importReport = z.object({
  ...counts,
  bad: z.array(problem).describe('what is wrong, the first thousand; at most twenty of a row'),
  duplicates: z
    .array(z.object({ line, of: count('the line of the row that stands for this lead') }))
    .describe('rows that are the same lead as another row, the first thousand'),
  unknownColumns: z.array(unknownColumn).describe('columns that the flow does not know'),
});

/** The states of a row: those of its lead, and four more for a row that became none. */
export const rowStates = [...states, 'bad', 'duplicate', 'not-sent', 'unknown'] as const;

const begin = z.object({
  kind: z.literal('begin'),
  importId: said('the filter importId finds the leads that this import starts'),
  flow: said('the flow'),
  sandbox: z.literal(true).optional().describe('a simulator stands in for an upstream that is not configured'),
  ...counts,
});

const row = z.object({
  kind: z.literal('row'),
  line,
  state: z
    .enum(rowStates)
    .describe(
      'of the lead; or bad, duplicate, not-sent (the intake was full, or the engine did not answer), unknown (it may have been accepted)',
    ),
  status: z.int().optional().describe('what the row would have been answered as a request of its own'),
  leadId: z.string().optional().describe('the lead'),
  replayed: z.literal(true).optional().describe('the same row was here before: this is what became of it'),
  sandbox: z.literal(true).optional().describe('true if the sandbox stood in for an upstream'),
  duplicateOf: z.int().optional().describe('the line of the row that stands for this lead: it is sent, or was sent before'),
  code: z.string().optional().describe('as in an error'),
  message: z.string().optional().describe('for a person; never a value of the row'),
});

const end = z.object({
  kind: z.literal('end'),
  complete: z.boolean().describe('whether every good row was taken; when not, send the same file again'),
  begun: count('good rows that were taken, with those that were here before'),
  started: count('leads that this import started'),
  message: z.string().optional().describe('why not every row was taken'),
});

export const importLine = z.union([begin, row, end]);
export type ImportLine = z.infer<typeof importLine>;
export type ImportReport = z.infer<typeof importReport>;

export const imports = {
  importLeads: endpoint({
    method: 'post',
    path: '/api/imports',
    group,
    summary: 'Send the leads of a CSV file, one row after the other, each as a request of its own would be; nothing when a row is wrong',
    carried: 'here',
    errors: ['NOT_ACCEPTED', 'CONFIG_ERROR'],
    tellsSandbox: true,
    scope: 'sending',
    takes: {
      type: 'text/csv',
      description:
        'the first row names fields of the flow; comma, semicolon, tab or | between the cells; UTF-8, or UTF-16 with its mark. ' +
        'A row with a value in the column leadId was sent before: it is not sent, and no other row of the same lead is',
      example: [
        'instanceName,StudyID,ReferrerID,firstName,lastName,email,phone,dob,condition,protocol',
        'erg-oct,12,7,Ann,Lee,ann.lee@example.org,(555) 201-3344,03/05/1980,Eczema,AD-301',
        'erg-oct,12,7,Bob,Ray,bob.ray@example.org,(555) 201-3355,11/21/1975,"Eczema, mild",AD-301\n',
      ].join('\n'),
    },
    input: z.object(fields),
    output: importReport.extend({ success: z.literal(true), right: z.boolean().describe('whether the whole file can be sent') }),
    lines: importLine,
    example: { flow: 'no-prescreen', check: 'true' },
  }),
} as const;
