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
  /** description of the project */
  description?: string | null;
  /** true: copy the template; false: create an empty project */
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
  /** id of the project */
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
  /** id of the project */
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
  /** id of the project */
  projectId: string;
  /** title of the column */
  title: string;
  /** position of the column: columns are sorted by their positions */
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
  /** id of the project */
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
  /** id of the column */
  todoListId: string;
  /** title of the card */
  title: string;
  /** text; write a link as label [url] */
  text?: string | null;
  /** ISO 8601 date or date-time; a date means midnight in UTC */
  dueDate?: string | null;
  /** the project of the card or column; looked up if absent */
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
  /** id of the card */
  id: string;
  /** the project of the card or column; looked up if absent */
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
  /** id of the card */
  id: string;
  /** the project of the card or column; looked up if absent */
  projectId?: string | null;
  /** a new title */
  title?: string | null;
  /** a new text; "" clears it */
  text?: string | null;
  /** ISO 8601 date or date-time; null clears it */
  dueDate?: string | null;
  /** true: mark it done; false: mark it open */
  done?: boolean | null;
  /** move the card to the bottom of this column */
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
  /** id of the card */
  id: string;
  /** the project of the card or column; looked up if absent */
  projectId?: string | null;
  /** id of the user; overrides user */
  userId?: string | null;
  /** e-mail or full name of the user, or a part of it that matches only one user */
  user?: string | null;
  /** assign or unassign; add and remove are aliases */
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
  /** id of the card */
  id: string;
  /** the project of the card or column; looked up if absent */
  projectId?: string | null;
  /** text; write a link as label [url] */
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
  /** List the projects of the organisation. */
  listProjects: calls.get<None, ListProjectsOutput>('/api/taskboard/projects'),
  /** Create a project, by default as a copy of the template with its columns and cards. */
  createProject: calls.keyed<CreateProjectInput, CreateProjectOutput>('POST', '/api/taskboard/projects'),
  /** Get a project with its columns in order, each with its cards. */
  getProject: calls.get<GetProjectInput, GetProjectOutput>('/api/taskboard/projects/{id}'),
  /** List the columns of a project, in order. */
  listLists: calls.get<ListListsInput, ListListsOutput>('/api/taskboard/lists'),
  /** Create a column, by default after the last one. */
  createList: calls.keyed<CreateListInput, CreateListOutput>('POST', '/api/taskboard/lists'),
  /** List the cards of a project, or of one of its columns. */
  listTodos: calls.get<ListTodosInput, ListTodosOutput>('/api/taskboard/todos'),
  /** Create a card at the bottom of a column. */
  createTodo: calls.keyed<CreateTodoInput, CreateTodoOutput>('POST', '/api/taskboard/todos'),
  /** Get a card with its text, links, checklists and files. */
  getTodo: calls.get<GetTodoInput, GetTodoOutput>('/api/taskboard/todos/{id}'),
  /** Update a card: change it, mark it done, or move it to another column. */
  updateTodo: calls.keyed<UpdateTodoInput, UpdateTodoOutput>('PATCH', '/api/taskboard/todos/{id}'),
  /** Assign a user to a card, or unassign the user. */
  assignTodo: calls.keyed<AssignTodoInput, AssignTodoOutput>('POST', '/api/taskboard/todos/{id}/assign'),
  /** List the comments of a card, oldest first. */
  listComments: calls.get<ListCommentsInput, ListCommentsOutput>('/api/taskboard/todos/{id}/comments'),
  /** Add a comment to a card. */
  createComment: calls.keyed<CreateCommentInput, CreateCommentOutput>('POST', '/api/taskboard/todos/{id}/comments'),
  /** List the users of the organisation, or those whose name or e-mail contains a text. */
  listUsers: calls.get<ListUsersInput, ListUsersOutput>('/api/taskboard/users'),
});
