/**
 * Creates a project, by default as a copy of the template. The task board queues copies and does not report when one is ready, so the
 * workflow reads the projects of that name, orders the copy once, and polls until a new project has its columns. A lock runs the copies of
 * one name one after the other, so a new project of that name belongs to this run.
 */
import { sleep } from '@temporalio/workflow';
import type { CopyOrder } from '../activities/taskboard';
import { text } from '../domain/formats';
import { sameName, type Project } from '../domain/taskboard';
import { changingCall, boardTarget, refusal, refuse, type Board } from './board';
import { failedAttempt } from './failures';
import type { FailedAttempt } from './step';
import { lookUp, once, reading } from './proxies';

interface ProjectRequest {
  readonly name: string;
  readonly description?: string;
}

const notYetThere = 'The copy was ordered but has not appeared yet: check the board before you send this again';
const notRenamed =
  'The project was created (projectId), but the task board did not confirm its name and description: set them on the board, and do not send this again';
const anotherCopy = { code: 'COPY_IN_PROGRESS', message: 'Another copy is being made: nothing was ordered' } as const;
const noTemplate = { code: 'NOT_FOUND', message: 'The task board does not have the template (TASKBOARD_TEMPLATE_PROJECT_ID)' } as const;

export const createProject = changingCall(async (board, body) => {
  const request: ProjectRequest = { name: text(body.name) ?? '', description: text(body.description) };
  if (body.fromTemplate !== false) return { project: await copyTemplate(board, request) };
  const { project } = await board.make('make project', (activities) => activities.makeProject(request.name, request.description));
  return { project };
});

async function copyTemplate(board: Board, request: ProjectRequest): Promise<Project> {
  const giveUpAt = Date.now() + board.lead.rules.board.cloneTimeoutMs;
  if (!(await board.run.takeLock(giveUpAt))) return refuse(board, anotherCopy);
  const { found } = await board.read('find projects of that name', (activities) => activities.findProjects(request.name));
  const known = new Set(found.map(({ id }) => id));
  const { order, doubt } = await orderCopy(board, request, giveUpAt);
  const project = order?.project ?? (await waitForCopy(board, request, known, giveUpAt, doubt));
  return rename(board, project, request);
}

/**
 * Orders the copy once, and waits while the board is busy with another one. An order with an unknown outcome may have been accepted, so
 * the caller still waits for the copy.
 */
async function orderCopy(board: Board, request: ProjectRequest, giveUpAt: number): Promise<{ order?: CopyOrder; doubt?: FailedAttempt }> {
  const { cloneMode, clonePollMs } = board.lead.rules.board;
  let way: 'template' | 'copy' = cloneMode === 'copy' ? 'copy' : 'template';
  for (;;) {
    const { order, doubt } = await orderOnce(board, way, request);
    if (doubt) return { doubt };
    if (order?.state === 'no-template' && way === 'template' && cloneMode === 'auto') {
      way = 'copy';
      continue;
    }
    if (order?.state === 'no-template') return refuse(board, noTemplate);
    if (order?.state !== 'busy') return { order };
    if (Date.now() + clonePollMs > giveUpAt) return refuse(board, anotherCopy);
    await sleep(clonePollMs);
  }
}

async function orderOnce(board: Board, way: 'template' | 'copy', { name, description }: ProjectRequest) {
  let order: CopyOrder | undefined;
  let doubt: FailedAttempt | undefined;
  await board.run.runStep({
    name: 'order copy',
    attempt: async () => {
      try {
        order = await once(`order copy (${way})`, boardTarget(board.lead)).orderCopy(way, name, description);
      } catch (error) {
        const failed = failedAttempt(error);
        if (failed.type !== 'UNKNOWN') throw error;
        doubt = failed;
      }
      return {};
    },
  });
  return { order, doubt };
}

/** Polls for the new project of that name until it has columns. When the time is up, returns it without columns. */
async function waitForCopy(
  board: Board,
  { name }: ProjectRequest,
  known: ReadonlySet<string>,
  giveUpAt: number,
  doubt?: FailedAttempt,
): Promise<Project> {
  const { clonePollMs } = board.lead.rules.board;
  const look = (summary: string) => reading(summary, boardTarget(board.lead), lookUp);
  let copyWithoutLists: Project | undefined;
  do {
    await sleep(clonePollMs);
    try {
      const { found } = await look('look for the copy').findProjects(name);
      const copy = found.find((project) => !known.has(project.id) && sameName(project.name, name));
      if (!copy) continue;
      copyWithoutLists = copy;
      const lists = await look('read its lists').readLists(copy.id);
      if (lists.length > 0) return copy;
    } catch (error) {
      // Ignore a failed poll, but not a cancellation.
      failedAttempt(error);
    }
  } while (Date.now() + clonePollMs <= giveUpAt);
  if (copyWithoutLists) return copyWithoutLists;
  throw await failWithoutCopy(board, doubt?.message);
}

const failWithoutCopy = async (board: Board, why = '') =>
  board.run.runStep({
    name: 'look for the copy',
    attempt: () => Promise.reject(refusal({ code: 'OUTCOME_UNKNOWN', message: [why, notYetThere].filter(Boolean).join('. ') })),
  });

/** Sets the requested name and description, if the copy has others. */
async function rename(board: Board, project: Project, { name, description }: ProjectRequest): Promise<Project> {
  if (project.name === name && (description === undefined || project.description === description)) return project;
  const made = { meaning: notRenamed, errorContext: { projectId: project.id } };
  const change = await board.set('rename', (activities) => activities.changeProject(project.id, name, description), made);
  return change.project;
}
