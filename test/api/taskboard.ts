/** A gateway in front of the simulated task board, and short words for asking it. */
import { startGateway, type Answered, type Gateway, type GatewayOptions } from '../support/gateway';

export interface BoardGateway extends Gateway {
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered>;
  /** Adds many things to the simulated board. */
  fill(query: string): Promise<{ projectId: string; todoListIds: string[]; todoId: string }>;
  reset(): Promise<void>;
  /** How often each kind of question came since the last reset. */
  calls(): Promise<Readonly<Record<string, number>>>;
  /** The names of the simulator's projects. */
  simulated(): Promise<readonly string[]>;
  /** A new project, made in the simulator's own way, with one column. */
  board(name?: string): Promise<{ projectId: string; listId: string; otherListId: string }>;
  card(title?: string, more?: object): Promise<{ id: string; projectId: string; listId: string; otherListId: string }>;
}

const base = '/api/taskboard';

export async function startBoard(options: GatewayOptions = {}): Promise<BoardGateway> {
  const gateway = await startGateway(options);
  const ask = (path: string, init?: RequestInit) => fetch(`${gateway.sandboxUrl}${path}`, init);
  const post: Gateway['post'] = (path, body, headers) => gateway.post(base + path, body, headers);

  const board: BoardGateway['board'] = async (name = `Board ${Math.random().toString(36).slice(2, 10)}`) => {
    const { id: projectId } = (await post('/projects', { name, fromTemplate: false })).body.project;
    const list = async (title: string) => (await post('/lists', { projectId, title })).body.list.id as string;
    return { projectId, listId: await list('First'), otherListId: await list('Second') };
  };

  return {
    ...gateway,
    get: (path, headers) => gateway.get(base + path, headers),
    post,
    async patch(path, body, headers = {}) {
      const response = await fetch(`${gateway.url}${base}${path}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
    fill: async (query) => {
      const filled = (await (await ask(`/__fill?${query}`, { method: 'POST' })).json()) as {
        taskboard: { projectId: string; todoListIds: string[]; todoId: string };
      };
      return filled.taskboard;
    },
    reset: async () => void (await ask('/__reset', { method: 'POST' })),
    calls: async () => (await gateway.sandbox()).calls,
    simulated: async () => (await gateway.sandbox()).taskboard.projects.map(({ name }) => name),
    board,
    async card(title = 'A card', more = {}) {
      const where = await board();
      const made = await post('/todos', { todoListId: where.listId, projectId: where.projectId, title, ...more });
      return { id: made.body.card.id, ...where };
    },
  };
}
