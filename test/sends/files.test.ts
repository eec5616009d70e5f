/** What is on the disk after a crash, and after an erasure. */
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { parseKeyRing } from '../../src/keys';
import { openDirectory } from '../../src/sends/directory';
import { journalId } from '../../src/sends/files';
import type { OpenJournal } from '../../src/sends/journal';

const keys = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`);
const send = { workflowId: 'lead-1', runId: 'run-1', place: 'sendToRt:1', length: 3 };

let dir: string;
const opened: OpenJournal[] = [];
const open = () => {
  const journal = openDirectory(dir, keys);
  opened.push(journal);
  return journal;
};
const files = () => readdirSync(dir).filter((name) => name.endsWith('.log'));

beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'leadgate-sends-'))));
afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.close();
  rmSync(dir, { recursive: true, force: true });
});

it('a line that a crash cut short is not read, and those after it in other files are', async () => {
  await open().begin(send);
  const [name = ''] = files();
  appendFileSync(join(dir, name), 'run-2 lead-2 sendToRt:1 3');
  await open().begin({ ...send, runId: 'run-3' });
  const journal = open();
  expect([await journal.find('run-1', 'sendToRt:1'), await journal.find('run-2', 'sendToRt:1')]).toEqual(['begun', undefined]);
  expect(await journal.find('run-3', 'sendToRt:1')).toBe('begun');
});

it('is read by nobody else', async () => {
  await open().begin(send);
  expect(files().map((name) => statSync(join(dir, name)).mode & 0o777)).toEqual([0o600]);
});

it('what was blotted out leaves the rest in its place for those who read on', async () => {
  const [writer, reader] = [open(), open()];
  await writer.begin(send);
  await writer.begin({ ...send, runId: 'run-2' });
  expect(await reader.find('run-2', 'sendToRt:1')).toBe('begun');
  await reader.forget(new Set(['run-1']));
  await writer.end({ ...send, runId: 'run-2' }, { answer: 'sent' });
  expect(await reader.find('run-2', 'sendToRt:1')).toEqual({ answer: 'sent' });
  expect(await open().find('run-1', 'sendToRt:1')).toBeUndefined();
  expect(
    files()
      .map((name) => readFileSync(join(dir, name), 'latin1'))
      .join(),
  ).not.toContain('run-1');
});

it('a file that is written now is not cleared away, however old its name', async () => {
  const journal = open();
  await journal.begin(send);
  await journal.clear(async () => new Set(['run-1']), Date.now() + 600_000);
  expect(files()).toHaveLength(1);
});

it('an answer whose key is gone counts as not known', async () => {
  await open().end(send, { answer: 'sent' });
  const other = openDirectory(dir, parseKeyRing(`k2:${randomBytes(32).toString('base64')}`));
  expect(await other.find('run-1', 'sendToRt:1')).toBe('begun');
});

it('one that is lost and begun anew is another one', () => {
  const id = journalId(dir);
  expect(journalId(dir)).toBe(id);
  writeFileSync(join(dir, 'kept'), '');
  rmSync(join(dir, 'id'));
  expect(journalId(dir)).not.toBe(id);
});

describe('what ended is on the disk with the next beginning', () => {
  const later = () => jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
  const [read, ended] = [{ ...send, place: 'checkEmail:1' }, { answer: { emailExists: false } }];

  afterEach(() => jest.restoreAllMocks());

  it('in the new file, too, when the one that it was written to has not reached the disk', async () => {
    const journal = open();
    await journal.end({ ...read, runId: 'run-0' }, ended);
    await journal.end(read, ended);
    const [lost = ''] = files();
    later();
    await journal.begin(send);
    rmSync(join(dir, lost));
    const afterwards = open();
    expect(await afterwards.find('run-1', 'checkEmail:1')).toEqual(ended);
    expect(await afterwards.find('run-1', 'sendToRt:1')).toBe('begun');
  });

  it('nothing of a run that was forgotten meanwhile', async () => {
    const journal = open();
    await journal.end({ ...read, runId: 'run-0' }, ended);
    await journal.end(read, ended);
    await journal.forget(new Set(['run-1']));
    later();
    await journal.begin({ ...send, runId: 'run-2' });
    expect(
      files()
        .map((name) => readFileSync(join(dir, name), 'latin1'))
        .join(),
    ).not.toContain('run-1');
  });
});
