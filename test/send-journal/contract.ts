/** What every send journal must hold, wherever it is kept. Each is given a place where no journal has been. */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Send, Told } from '../../src/domain/sends';
import { parseKeyRing } from '../../src/keys/ring';
import type { OpenJournal } from '../../src/send-journal/journal';
import { foundIn } from '../privacy/forms';

export interface Place {
  /** One more that has it open, as another process would. */
  open(): Promise<OpenJournal>;
  /** All that lies there, as somebody reads it who has no key. */
  raw(): Promise<Buffer>;
}

export type NewPlace = () => Promise<Place>;

export const journalKeys = parseKeyRing(`k1:${randomBytes(32).toString('base64')}`);

const aSend = (changes: Partial<Send> = {}): Send => ({
  runId: randomUUID(),
  workflowId: `lead-${randomUUID()}`,
  place: 'sendToRt:1',
  length: 3,
  ...changes,
});
const delivered: Told = { answer: { PatientID: 4711 } };
const refused: Told = { failed: 'REFUSED', note: { message: 'V1 refused the request', status: 422, body: { message: 'no' } } };
const canary = 'Kanariella Zeisig-Öztürk';

const later = () => Date.now() + 180_000;

/** Of several that have it open, each must know it. */
async function knows(journals: readonly OpenJournal[], { runId, place }: Send, known: Told | 'begun' | undefined): Promise<void> {
  for (const journal of journals) deepStrictEqual(await journal.find(runId, place), known);
}

const rules: Readonly<Record<string, (newPlace: NewPlace) => Promise<void>>> = {
  async 'knows nothing at first'(newPlace) {
    const journal = await (await newPlace()).open();
    await knows([journal], aSend(), undefined);
  },

  async 'knows what has begun and how it ended, whoever asks'(newPlace) {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    const [sent, failed, under] = [aSend(), aSend({ place: 'sendComments:2' }), aSend()];
    for (const send of [sent, failed, under]) {
      await one.begin(send);
      await knows([one, other], send, 'begun');
    }
    await one.end(sent, delivered);
    await one.end(failed, refused);
    // As after a crash: nobody has closed the others.
    const third = await place.open();
    await knows([one, other, third], sent, delivered);
    await knows([one, other, third], failed, refused);
    await knows([one, other, third], under, 'begun');
    await knows([third], { ...sent, place: 'sendToRt:2' }, undefined);
  },

  async 'knows what was read without a beginning'(newPlace) {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    const read = aSend({ place: 'checkEmail:1' });
    await one.end(read, { answer: { emailExists: false, data: [] } });
    await knows([one, other], read, { answer: { emailExists: false, data: [] } });
  },

  async 'knows what was read before a send once that has begun'(newPlace) {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    const send = aSend();
    const read = { ...send, place: 'checkEmail:1' };
    const noted = one.end(read, delivered);
    await one.begin(send);
    await knows([other], read, delivered);
    await noted;
    await knows([other, await place.open()], read, delivered);
    await knows([other, await place.open()], send, 'begun');
  },

  async 'knows each of many that ended together'(newPlace) {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    const sends = Array.from({ length: 30 }, (_, nth) => ({ send: aSend(), told: { answer: { said: 'ä'.repeat(nth), nth } } }));
    await Promise.all(sends.map(({ send }) => one.begin(send)));
    await Promise.all(sends.map(({ send, told }) => one.end(send, told)));
    const third = await place.open();
    for (const { send, told } of sends) await knows([one, other, third], send, told);
  },

  async 'does not unlearn an end by another beginning'(newPlace) {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    const send = aSend();
    await one.begin(send);
    await one.end(send, delivered);
    for (const journal of [one, other]) await journal.begin(send).catch(() => undefined);
    await knows([one, other, await place.open()], send, delivered);
  },

  async 'lets one process at most begin a send'(newPlace) {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    const send = aSend();
    strictEqual(await one.begin(send), true);
    strictEqual(await other.begin(send), false);
    await one.end(send, refused);
    strictEqual(await (await place.open()).begin(send), false);
    await knows([one, other], send, refused);
    for (let round = 0; round < 20; round++) {
      const next = aSend();
      const begun = await Promise.all([one.begin(next), other.begin(next)]);
      ok(begun.filter(Boolean).length <= 1);
    }
  },

  async 'shows nobody what was answered'(newPlace) {
    const place = await newPlace();
    const journal = await place.open();
    const send = aSend();
    await journal.begin(send);
    await journal.end(send, { answer: { name: canary } });
    const raw = await place.raw();
    ok(raw.includes(send.runId));
    deepStrictEqual(foundIn(raw, [canary, 'Zeisig']), []);
  },

  async 'forgets a run for good'(newPlace) {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    const [gone, kept] = [aSend(), aSend()];
    const second = { ...gone, place: 'sendComments:1' };
    for (const send of [gone, second, kept]) {
      await one.begin(send);
      await one.end(send, delivered);
    }
    await other.forget(new Set([gone.runId]));
    for (const send of [gone, second]) await knows([other, await place.open()], send, undefined);
    await knows([one, other], kept, delivered);
    const raw = await place.raw();
    ok(!raw.includes(gone.runId) && raw.includes(kept.runId));
  },

  async 'lets nothing of a stopped run begin, and knows what has begun before'(newPlace) {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    const [sending, sent, idle] = [aSend(), aSend(), aSend()];
    for (const send of [sending, sent]) strictEqual(await one.begin(send), true);
    await one.end(sent, delivered);
    await other.stop([sending, sent, idle]);
    for (const journal of [one, other, await place.open()]) {
      for (const send of [idle, { ...sending, place: 'sendComments:1' }]) strictEqual(await journal.begin(send), false);
      strictEqual(await journal.isStopped(idle.runId), true);
      deepStrictEqual(await journal.underWay([sending, sent, idle].map(({ runId }) => runId)), new Set([sending.runId]));
    }
    await one.end(sending, refused);
    deepStrictEqual(await other.underWay([sending.runId]), new Set());
    await other.forget(new Set([sending.runId]));
    strictEqual(await one.begin({ ...sending, place: 'sendToRt:2' }), false);
    strictEqual(await one.begin(aSend()), true);
  },

  async 'sends nothing twice or unseen when a stop comes at the same moment'(newPlace) {
    const place = await newPlace();
    const [one, other] = [await place.open(), await place.open()];
    for (let round = 0; round < 20; round++) {
      const send = aSend();
      const stops = other.stop([send]).then(() => other.underWay([send.runId]));
      const [begun, seen] = await Promise.all([one.begin(send), stops]);
      strictEqual(begun && !seen.has(send.runId), false);
    }
  },

  async 'clears away what is committed, and keeps the rest'(newPlace) {
    const place = await newPlace();
    const one = await place.open();
    const [committed, open] = [aSend(), aSend()];
    const second = { ...committed, place: 'sendComments:1', length: 9 };
    for (const send of [committed, open, second]) await one.begin(send);
    await one.end(committed, delivered);
    await one.close();
    const other = await place.open();
    const asked: Send[] = [];
    await other.clear(async (sends) => {
      asked.push(...sends);
      return new Set();
    });
    strictEqual(asked.length, 0, 'what is young is not asked for');
    await other.clear(async (sends) => {
      asked.push(...sends);
      return new Set([committed.runId]);
    }, later());
    const named = (sends: readonly Send[]) => new Set(sends.map(({ runId, place }) => `${runId} ${place}`));
    deepStrictEqual(named(asked), named([committed, open, second]));
    await knows([other], committed, undefined);
    await knows([other], open, 'begun');
  },

  async 'does not ask at once again for what stays'(newPlace) {
    const place = await newPlace();
    const one = await place.open();
    await one.begin(aSend());
    await one.close();
    const other = await place.open();
    let asked = 0;
    const committed = async (sends: readonly Send[]) => {
      asked += sends.length;
      return new Set<string>();
    };
    const now = later();
    await other.clear(committed, now);
    await other.clear(committed, now);
    strictEqual(asked, 1);
  },

  async 'keeps what a run begins while it is cleared'(newPlace) {
    const place = await newPlace();
    const one = await place.open();
    const send = aSend();
    await one.begin(send);
    await one.close();
    const other = await place.open();
    const next = { ...send, place: 'sendComments:1', length: 9 };
    await other.clear(async () => {
      await other.begin(next);
      return new Set([send.runId]);
    }, later());
    await knows([other], send, undefined);
    await knows([other, await place.open()], next, 'begun');
  },

  async 'clears together with others'(newPlace) {
    const place = await newPlace();
    const one = await place.open();
    const [gone, open] = [Array.from({ length: 30 }, () => aSend()), aSend()];
    await Promise.all([...gone, open].map((send) => one.begin(send)));
    await one.close();
    const others = [await place.open(), await place.open(), await place.open()];
    const committed = async (sends: readonly Send[]) => new Set(sends.map(({ runId }) => runId).filter((runId) => runId !== open.runId));
    await Promise.all(others.map((journal) => journal.clear(committed, later())));
    for (const send of gone) await knows(others.slice(0, 1), send, undefined);
    await knows(others, open, 'begun');
  },

  async 'has an id that stays, and another one elsewhere'(newPlace) {
    const place = await newPlace();
    const together = await Promise.all([place.open(), place.open(), place.open()]);
    const [first] = together;
    ok(first?.id);
    deepStrictEqual(new Set(together.map(({ id }) => id)), new Set([first.id]));
    const again = await place.open();
    strictEqual(again.id, first.id);
    const elsewhere = await (await newPlace()).open();
    notStrictEqual(elsewhere.id, first.id);
  },
};

/** What is opened on the way is closed in the end. */
export const contract = Object.entries(rules).map(([name, holds]) => ({
  name,
  async holds(newPlace: NewPlace): Promise<void> {
    const opened = new Set<OpenJournal>();
    const open = async (place: Place): Promise<OpenJournal> => {
      const journal = await place.open();
      opened.add(journal);
      return { ...journal, close: async () => void (opened.delete(journal) && (await journal.close())) };
    };
    try {
      await holds(async () => {
        const place = await newPlace();
        return { ...place, open: () => open(place) };
      });
    } finally {
      for (const journal of opened) await journal.close();
    }
  },
}));
