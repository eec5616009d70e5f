/** Written by `npm run reference` from src/contract. */
import type { Calls, None } from '../types.ts';

export type ListProjectsOutput = {
  success: true;
  count: number;
  projects: readonly {
    id: string;
    uid: string;
    name: string;
    description: string;
    createdAt: string;
    updatedAt: string;
  }[];
};

export type CreateProjectInput = {
  /** name of the project */
  name: string;
  /** what it is for */
  description?: string | null;
  /** false makes an empty project */
  fromTemplate?: boolean | null;
};

export type CreateProjectOutput = {
  success: true;
  project: {
    id: string;
    uid: string;
    name: string;
    description: string;
    createdAt: string;
    updatedAt: string;
  };
};

export type GetProjectInput = {
  /** the project */
  id: string;
};

export type GetProjectOutput = {
  success: true;
  project: {
    id: string;
    name: string;
    todoLists: readonly {
      id: string;
      title: string;
      position: number;
      todosCount: number;
      todos: readonly {
        id: string;
        title: string;
        text: string;
        done: boolean;
        duedAt: string | null;
        users: readonly {
          id: string;
          fullName: string;
          email: string;
        }[];
      }[];
    }[];
  };
};

export type ListListsInput = {
  /** the project */
  projectId: string;
};

export type ListListsOutput = {
  success: true;
  count: number;
  lists: readonly {
    id: string;
    title: string;
    position: number;
    todosCount: number;
  }[];
};

export type CreateListInput = {
  /** the project */
  projectId: string;
  /** title of the column */
  title: string;
  /** where it stands: columns are in the order of their positions */
  position?: number | null;
};

export type CreateListOutput = {
  success: true;
  list: {
    id: string;
    title: string;
    position: number;
  };
};

export type ListTodosInput = {
  /** the project */
  projectId: string;
  /** only the cards of this column */
  todoListId?: string | null;
};

export type ListTodosOutput = {
  success: true;
  count: number;
  cards: readonly {
    id: string;
    title: string;
    text: string;
    done: boolean;
    duedAt: string | null;
    users: readonly {
      id: string;
      fullName: string;
      email: string;
    }[];
    uid: string;
    todoList: {
      id: string;
      title: string;
    };
  }[];
};

export type CreateTodoInput = {
  /** the column */
  todoListId: string;
  /** title of the card */
  title: string;
  /** a link is written as label [url] */
  text?: string | null;
  /** ISO 8601 date or date-time; a date alone is its first moment in UTC */
  dueDate?: string | null;
  /** scopes the request to a project; resolved when left out */
  projectId?: string | null;
};

export type CreateTodoOutput = {
  success: true;
  card: {
    id: string;
    uid: string;
    title: string;
  };
};

export type GetTodoInput = {
  /** the card */
  id: string;
  /** scopes the request to a project; resolved when left out */
  projectId?: string | null;
};

export type GetTodoOutput = {
  success: true;
  card: {
    id: string;
    title: string;
    text: string;
    done: boolean;
    duedAt: string | null;
    users: readonly {
      id: string;
      fullName: string;
    }[];
    uid: string;
    todoList: {
      id: string;
      title: string;
    };
    html: string;
    commentCount: number;
    checklists: readonly {
      id: string;
      title: string;
      position: number;
      checklistItems: readonly {
        id: string;
        title: string;
        done: boolean;
        position: number;
        duedAt: string | null;
        users: readonly {
          id: string;
          fullName: string;
        }[];
      }[];
    }[];
    links: readonly {
      url: string;
      label: string;
    }[];
    files: readonly {
      id: string;
      uid: string;
      name: string;
      size: number;
      type: string;
      extension: string;
    }[];
  };
};

export type UpdateTodoInput = {
  /** the card */
  id: string;
  /** scopes the request to a project; resolved when left out */
  projectId?: string | null;
  /** a new title */
  title?: string | null;
  /** "" clears */
  text?: string | null;
  /** ISO 8601 date or date-time; null clears */
  dueDate?: string | null;
  /** true marks it done, false open */
  done?: boolean | null;
  /** the column that it moves to, at the bottom */
  todoListId?: string | null;
};

export type UpdateTodoOutput = {
  success: true;
  card: {
    id: string;
    title: string;
  };
};

export type AssignTodoInput = {
  /** the card */
  id: string;
  /** scopes the request to a project; resolved when left out */
  projectId?: string | null;
  /** the user, by id; wins over user */
  userId?: string | null;
  /** an e-mail, a full name, or a part of one that only one user has */
  user?: string | null;
  /** add is assign, remove is unassign */
  action?: 'assign' | 'add' | 'unassign' | 'remove' | null;
};

export type AssignTodoOutput = {
  success: true;
  action: 'assign' | 'unassign';
  userId: string;
  result: {
    success: boolean;
  };
};

export type ListCommentsInput = GetTodoInput;

export type ListCommentsOutput = {
  success: true;
  totalCount: number;
  comments: readonly {
    id: string;
    text: string;
    createdAt: string;
    user: {
      id: string;
      fullName: string;
    };
  }[];
};

export type CreateCommentInput = {
  /** the card */
  id: string;
  /** scopes the request to a project; resolved when left out */
  projectId?: string | null;
  /** a link is written as label [url] */
  text: string;
};

export type CreateCommentOutput = {
  success: true;
  comment: {
    id: string;
    text: string;
    createdAt: string;
  };
};

export type ListUsersInput = {
  /** part of a name or e-mail, in any case */
  q?: string | null;
};

export type ListUsersOutput = {
  success: true;
  count: number;
  users: readonly {
    id: string;
    fullName: string;
    email: string;
  }[];
};

export const taskBoard = (calls: Calls) => ({
  /** Every project in the organisation. */
  listProjects: calls.get<None, ListProjectsOutput>('/api/taskboard/projects'),
  /** Make a project, by default a copy of the template with its columns and cards. */
  createProject: calls.keyed<CreateProjectInput, CreateProjectOutput>('POST', '/api/taskboard/projects'),
  /** A whole board: its columns in order, each with its cards. */
  getProject: calls.get<GetProjectInput, GetProjectOutput>('/api/taskboard/projects/{id}'),
  /** The columns of a project, in order. */
  listLists: calls.get<ListListsInput, ListListsOutput>('/api/taskboard/lists'),
  /** Add a column, by default behind the last one. */
  createList: calls.keyed<CreateListInput, CreateListOutput>('POST', '/api/taskboard/lists'),
  /** The cards of a project, or of one of its columns. */
  listTodos: calls.get<ListTodosInput, ListTodosOutput>('/api/taskboard/todos'),
  /** Add a card at the bottom of a column. */
  createTodo: calls.keyed<CreateTodoInput, CreateTodoOutput>('POST', '/api/taskboard/todos'),
  /** One card with its text, links, checklists and files. */
  getTodo: calls.get<GetTodoInput, GetTodoOutput>('/api/taskboard/todos/{id}'),
  /** Change a card, mark it done, or move it to another column. */
  updateTodo: calls.keyed<UpdateTodoInput, UpdateTodoOutput>('PATCH', '/api/taskboard/todos/{id}'),
  /** Assign a user to a card, or take the user off it. */
  assignTodo: calls.keyed<AssignTodoInput, AssignTodoOutput>('POST', '/api/taskboard/todos/{id}/assign'),
  /** The comments of a card, the oldest first. */
  listComments: calls.get<ListCommentsInput, ListCommentsOutput>('/api/taskboard/todos/{id}/comments'),
  /** Comment on a card. */
  createComment: calls.keyed<CreateCommentInput, CreateCommentOutput>('POST', '/api/taskboard/todos/{id}/comments'),
  /** The users of the organisation, all or those whose name or e-mail holds a text. */
  listUsers: calls.get<ListUsersInput, ListUsersOutput>('/api/taskboard/users'),
});
