/** Defines the route that imports a CSV file of leads: its fields, its report and the lines of its answer. */
import { z } from 'zod';
import { states } from '../domain/lead';
import { endpoint } from './endpoint';
import { oneOf, required } from './fields';
import { flows } from './flows';
import { group } from './leads';
import { ratePerS } from './bulk';

/** A value in this column marks a row that was already sent. No flow has a field of this name. */
export const leadColumn = 'leadId';

const flag = (description: string) => oneOf(['true', 'false'], { description });

const fields = {
  flow: required(oneOf(flows, { description: 'the flow of every row; its fields are the column names' })),
  check: flag('true: only validate and report; nothing is sent'),
  skipBad: flag('true: send the valid rows even if others are invalid; otherwise an invalid row stops the whole file'),
  dropUnknown: flag('true: ignore columns that are not fields of the flow; otherwise such a column stops the whole file'),
  ratePerS,
};

const count = (description: string) => z.int().describe(description);
const line = z.int().describe('the line of the file on which the row starts');
const string = (description: string) => z.string().describe(description);

const counts = {
  rows: count('rows with a value'),
  good: count('valid rows, which are sent unless check is true'),
  badRows: count('invalid rows'),
  duplicateRows: count('rows with the same lead as another row'),
  knownRows: count('rows with a leadId, which were already sent'),
};

export const problem = z.object({
  line,
  field: string('the column; empty if the row as a whole is invalid'),
  message: string('what is expected'),
});

const unknownColumn = z.object({
  column: count('the number of the column, from 1'),
  name: string('its name in the first row'),
  like: z.string().optional().describe('a field of the flow with a similar name'),
});

/** The report on a file. Its counts are complete even if its lists are truncated. */
export const importReport = z.object({
  ...counts,
  bad: z.array(problem).describe('the first 1,000 problems, at most 20 per row'),
  duplicates: z
    .array(z.object({ line, of: count('the line of the row that is sent for this lead') }))
    .describe('the first 1,000 rows with the same lead as another row'),
  unknownColumns: z.array(unknownColumn).describe('columns that are not fields of the flow'),
});

/** The states of a row: those of its lead, and four for a row without a lead. */
export const rowStates = [...states, 'bad', 'duplicate', 'not-sent', 'unknown'] as const;

const begin = z.object({
  kind: z.literal('begin'),
  importId: string('use it as the filter importId to find the leads of this import'),
  flow: string('the flow of the rows'),
  sandbox: z.literal(true).optional().describe('true: the sandbox stands in for an upstream that is not configured'),
  ...counts,
});

const row = z.object({
  kind: z.literal('row'),
  line,
  state: z
    .enum(rowStates)
    .describe(
      'the state of the lead; or bad, duplicate, not-sent (no capacity, or the engine did not answer), unknown (it may have been accepted)',
    ),
  status: z.int().optional().describe('the HTTP status that the row would have as a single request'),
  leadId: z.string().optional().describe('the id of the lead'),
  replayed: z.literal(true).optional().describe('true: the row was sent before; the line has the current state of its lead'),
  sandbox: z.literal(true).optional().describe('true: the sandbox stood in for an upstream'),
  duplicateOf: z.int().optional().describe('the line of the row with the same lead, which is sent or was sent before'),
  code: z.string().optional().describe('the error code'),
  message: z.string().optional().describe('a message for a person, without values of the row'),
});

const end = z.object({
  kind: z.literal('end'),
  complete: z.boolean().describe('true: every valid row was accepted; if false, send the same file again'),
  begun: count('valid rows that were accepted, including those that were sent before'),
  started: count('leads that this import started'),
  message: z.string().optional().describe('why not every row was accepted'),
});

export const importLine = z.union([begin, row, end]);
export type ImportLine = z.infer<typeof importLine>;
export type ImportReport = z.infer<typeof importReport>;

export const imports = {
  importLeads: endpoint({
    method: 'post',
    path: '/api/imports',
    group,
    summary: 'Import the leads of a CSV file, each row like a single request; by default an invalid row stops the whole file',
    handledBy: 'api',
    errors: ['NOT_ACCEPTED', 'CONFIG_ERROR'],
    reportsSandbox: true,
    scope: 'sending',
    upload: {
      type: 'text/csv',
      description:
        'the first row has the column names, which are fields of the flow; cells are separated by comma, semicolon, tab or |; UTF-8, or UTF-16 with a byte order mark. ' +
        'A row with a value in the column leadId counts as already sent: neither it nor another row with the same lead is sent',
      example: [
        'instanceName,StudyID,ReferrerID,firstName,lastName,email,phone,dob,condition,protocol',
        'erg-oct,12,7,Ann,Lee,ann.lee@example.org,(555) 201-3344,03/05/1980,Eczema,AD-301',
        'erg-oct,12,7,Bob,Ray,bob.ray@example.org,(555) 201-3355,11/21/1975,"Eczema, mild",AD-301\n',
      ].join('\n'),
    },
    input: z.object(fields),
    output: importReport.extend({ success: z.literal(true), right: z.boolean().describe('true: the whole file can be sent') }),
    lines: importLine,
    example: { flow: 'no-prescreen', check: 'true' },
  }),
} as const;
