/** What is on the disk after a crash, and after an erasure. */
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseKeyRing } from '../../src/keys/ring';
import { openDirectory } from '../../src/send-journal/directory';
import { journalId } from '../../src/send-journal/files';
import type { OpenJournal } from '../../src/send-journal/journal';

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

it('a run with spaces in its id is known to others, and stays stopped when it is forgotten', async () => {
  const spaced = { ...send, workflowId: 'a lead by hand' };
  await open().begin(spaced);
  const journal = open();
  expect(await journal.find('run-1', 'sendToRt:1')).toBe('begun');
  await journal.stop([spaced]);
  await journal.forget(new Set(['run-1']));
  expect(await open().find('run-1', 'sendToRt:1')).toBeUndefined();
  expect(await open().isStopped('run-1')).toBe(true);
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

it('what another process has forgotten is known only as begun, by its writer too', async () => {
  const [writer, reader, api] = [open(), open(), open()];
  await writer.begin(send);
  await writer.end(send, { answer: 'sent' });
  for (const journal of [writer, reader]) expect(await journal.find('run-1', 'sendToRt:1')).toEqual({ answer: 'sent' });
  await api.forget(new Set(['run-1']));
  for (const journal of [writer, reader]) expect(await journal.find('run-1', 'sendToRt:1')).toBe('begun');
});

it('a result whose file was taken away meanwhile is not taken for a send that never began', async () => {
  const journal = open();
  await journal.begin(send);
  await journal.end(send, { answer: 'sent' });
  for (const name of files()) rmSync(join(dir, name));
  await expect(journal.find('run-1', 'sendToRt:1')).rejects.toThrow('cleared');
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

it('two who ask at once do not pass over what another process writes next', async () => {
  const [writer, reader] = [open(), open()];
  await writer.begin({ ...send, runId: 'run-0' });
  await Promise.all([reader.find('run-0', send.place), reader.find('run-0', send.place)]);
  await writer.begin(send);
  expect(await reader.find('run-1', send.place)).toBe('begun');
});

describe('after a file has been written to for long enough', () => {
  const later = () => jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 180_000);
  const contents = () =>
    files()
      .map((name) => readFileSync(join(dir, name), 'latin1'))
      .join();

  afterEach(() => jest.restoreAllMocks());

  it('nothing of a run that was forgotten elsewhere comes back', async () => {
    const [worker, api] = [open(), open()];
    await worker.begin(send);
    await worker.end(send, { answer: 'sent' });
    await api.forget(new Set(['run-1']));
    later();
    await worker.begin({ ...send, runId: 'run-2' });
    expect(contents()).not.toContain('run-1');
  });

  it('nothing more has to come for it to be cleared away', async () => {
    const journal = open();
    await journal.begin(send);
    later();
    await journal.clear(async () => new Set(['run-1']));
    expect(files()).toEqual([]);
    await journal.begin({ ...send, runId: 'run-2' });
    expect(await open().find('run-2', send.place)).toBe('begun');
  });

  it('what is needed still is in the next one', async () => {
    const journal = open();
    await journal.begin(send);
    await journal.end({ ...send, place: 'checkEmail:1' }, { answer: { emailExists: false } });
    later();
    await journal.clear(async () => new Set());
    expect(files()).toHaveLength(1);
    for (const each of [journal, open()])
      expect([await each.find('run-1', send.place), await each.find('run-1', 'checkEmail:1')]).toEqual([
        'begun',
        { answer: { emailExists: false } },
      ]);
  });
});
