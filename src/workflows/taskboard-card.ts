/**
 * Updates a card: text, then due date, then column, then `done`. The first three are idempotent. The board can only toggle `done`, so this
 * workflow reads it first, and does not toggle again while an earlier request may still arrive.
 */
import { sleep } from '@temporalio/workflow';
import { text } from '../domain/formats';
import type { JsonObject } from '../domain/lead';
import type { InProject } from '../domain/taskboard';
import { changingCall, boardTarget, refuse, type Board } from './board';
import { failedAttempt } from './failures';
import { lookUp, once, reading } from './proxies';

/** A value of `done` that was read this recently is trusted. */
const freshMs = 2_000;
/** The pauses before each check whether a toggle arrived. */
const readPausesMs = [0, 1_000, 2_000] as const;
/** Other people may toggle the same card at the same time. */
const mostToggles = 4;

type CardRead = Awaited<ReturnType<typeof readCard>>;

const readCard = (board: Board, id: string, project: InProject) =>
  board.read('read card', (activities) => activities.readTodo(id, project));

export const updateTodo = changingCall(async (board, body) => {
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

async function setDone(board: Board, id: string, project: InProject, wanted: boolean, before?: CardRead): Promise<void> {
  let done = before && Date.now() - before.readAt < freshMs ? before.card.done : await readDone(board, id, project);
  for (let toggles = 0; done !== wanted && toggles < mostToggles; toggles++) done = await toggleOnce(board, id, project, wanted);
  if (done !== wanted) await refuse(board, { code: 'UPSTREAM_ERROR', message: `The task board did not keep done at ${wanted}` });
}

const readDone = async (board: Board, id: string, project: InProject) => (await readCard(board, id, project)).card.done;

/** Toggles `done` once and returns its value. */
async function toggleOnce(board: Board, id: string, project: InProject, wanted: boolean): Promise<boolean> {
  let done = !wanted;
  await board.run.runStep({
    name: 'toggle done',
    attempt: async (): Promise<JsonObject> => {
      try {
        ({ done } = await once('toggle done', boardTarget(board.lead)).toggleDone(id, project));
      } catch (error) {
        if (failedAttempt(error).type !== 'UNKNOWN') throw error;
        done = await readUntil(board, id, project, wanted);
        // The first request may still arrive, so do not send a second one.
        if (done !== wanted) throw error;
      }
      return {};
    },
  });
  return done;
}

async function readUntil(board: Board, id: string, project: InProject, wanted: boolean): Promise<boolean> {
  for (const pauseMs of readPausesMs) {
    if (pauseMs) await sleep(pauseMs);
    try {
      const { card } = await reading('read card', boardTarget(board.lead), lookUp).readTodo(id, project);
      if (card.done === wanted) return wanted;
    } catch (error) {
      failedAttempt(error);
    }
  }
  return !wanted;
}
