/**
 * Changing a card: text, then due date, then column, then done. The first three say what shall be, so that repeating one of them
 * changes nothing. `done` can only be turned over: it is read first, and never turned over again while an earlier try may still arrive.
 */
import { ActivityFailure, sleep, TimeoutFailure } from '@temporalio/workflow';
import { text } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import type { InProject } from '../domain/taskboard';
import { failedAttempt } from './attempt';
import { call, refuse, type Board } from './board';
import { onceQuickly, repeatable } from './proxies';

type Read = Awaited<ReturnType<typeof readCard>>;

const readCard = (board: Board, id: string, project: InProject) =>
  board.read('read card', (activities) => activities.readTodo(id, project));

export const updateTodo = call(async (board, body) => {
  const id = text(body.id) ?? '';
  const given: InProject = { projectId: text(body.projectId) };
  const changesText = body.title !== undefined || body.text !== undefined;
  const changesNothing = !changesText && body.dueDate === undefined;
  const toList = text(body.todoListId);
  const read = !given.projectId || toList || changesNothing ? await readCard(board, id, given) : undefined;
  const project: InProject = { projectId: given.projectId ?? read?.projectId };
  let card: { readonly id: string; readonly title: string } | undefined = read?.card;

  if (changesText) {
    const change = { title: text(body.title), text: body.text as string | undefined };
    ({ card } = await board.set('change text', (activities) => activities.changeTodo(id, project, change)));
  }
  if (body.dueDate !== undefined) {
    const due = body.dueDate as string | null;
    ({ card } = await board.set('set due date', (activities) => activities.setDue(id, project, due)));
  }
  if (toList && read?.card.todoList.id !== toList) {
    await board.set('move card', (activities) => activities.moveTodo(id, project, toList));
  }
  if (typeof body.done === 'boolean') await setDone(board, id, project, body.done, read);
  return { card: { id, title: card?.title ?? '' } };
});

/** Younger than this, what was read before is true enough to act upon. */
const freshMs = 2_000;
/** After a broken connection, when it is looked whether the card was turned over. */
const looksMs = [0, 1_000, 2_000] as const;
/** Others may turn the same card over at the same time. */
const mostToggles = 4;

async function setDone(board: Board, id: string, project: InProject, wanted: boolean, before?: Read): Promise<void> {
  let done = before && Date.now() - before.readAt < freshMs ? before.card.done : await readDone(board, id, project);
  for (let toggles = 0; done !== wanted && toggles < mostToggles; toggles++) done = await toggled(board, id, project, wanted);
  if (done !== wanted) await refuse(board, { code: 'UPSTREAM_ERROR', message: `The task board does not keep done at ${wanted}` });
}

const readDone = async (board: Board, id: string, project: InProject) => (await readCard(board, id, project)).card.done;

/** What `done` is after it was turned over once. */
async function toggled(board: Board, id: string, project: InProject, wanted: boolean): Promise<boolean> {
  let done = !wanted;
  board.run.tellsAtOnce = false;
  await board.run.take({
    name: 'turn done over',
    attempt: async ({ tries }): Promise<JsonObject> => {
      const { rules } = board.lead;
      try {
        ({ done } = await onceQuickly('turn done over', rules.board.timeoutMs, { ...rules, tries }, (activities) =>
          activities.toggleDone(id, project),
        ));
      } catch (error) {
        if (failedAttempt(error).type !== 'UNKNOWN') throw error;
        done = await lookedUp(board, id, project, wanted);
        // Nothing of a worker that died can still be under way by now: what was read is what is.
        if (done !== wanted && !isDeath(error)) throw error;
      }
      return {};
    },
  });
  return done;
}

const isDeath = (error: unknown) => error instanceof ActivityFailure && error.cause instanceof TimeoutFailure;

async function lookedUp(board: Board, id: string, project: InProject, wanted: boolean): Promise<boolean> {
  const { timeoutMs } = board.lead.rules.board;
  for (const pauseMs of looksMs) {
    if (pauseMs) await sleep(pauseMs);
    try {
      const { card } = await repeatable('read card', timeoutMs, 0).readTodo(id, project);
      if (card.done === wanted) return wanted;
    } catch (error) {
      failedAttempt(error);
    }
  }
  return !wanted;
}
