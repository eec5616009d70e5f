/** Written by `npm run reference` from src/contract. */
import type { INodeProperties } from 'n8n-workflow';

export const taskBoard: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ]
      }
    },
    options: [
      {
        name: 'Assign Todo',
        value: 'assignTodo',
        action: 'Assign todo',
        description: 'Assign a user to a card, or take the user off it'
      },
      {
        name: 'Create Comment',
        value: 'createComment',
        action: 'Create comment',
        description: 'Comment on a card'
      },
      {
        name: 'Create List',
        value: 'createList',
        action: 'Create list',
        description: 'Add a column, by default behind the last one'
      },
      {
        name: 'Create Project',
        value: 'createProject',
        action: 'Create project',
        description: 'Make a project, by default a copy of the template with its columns and cards'
      },
      {
        name: 'Create Todo',
        value: 'createTodo',
        action: 'Create todo',
        description: 'Add a card at the bottom of a column'
      },
      {
        name: 'Get Project',
        value: 'getProject',
        action: 'Get project',
        description: 'A whole board: its columns in order, each with its cards'
      },
      {
        name: 'Get Todo',
        value: 'getTodo',
        action: 'Get todo',
        description: 'One card with its text, links, checklists and files'
      },
      {
        name: 'List Comments',
        value: 'listComments',
        action: 'List comments',
        description: 'The comments of a card, the oldest first'
      },
      {
        name: 'List Lists',
        value: 'listLists',
        action: 'List lists',
        description: 'The columns of a project, in order'
      },
      {
        name: 'List Projects',
        value: 'listProjects',
        action: 'List projects',
        description: 'Every project in the organisation'
      },
      {
        name: 'List Todos',
        value: 'listTodos',
        action: 'List todos',
        description: 'The cards of a project, or of one of its columns'
      },
      {
        name: 'List Users',
        value: 'listUsers',
        action: 'List users',
        description: 'The users of the organisation, all or those whose name or email holds a text'
      },
      {
        name: 'Update Todo',
        value: 'updateTodo',
        action: 'Update todo',
        description: 'Change a card, mark it done, or move it to another column'
      }
    ],
    default: 'assignTodo'
  },
  {
    displayName: 'Name',
    name: 'name',
    type: 'string',
    default: '',
    description: 'Name of the project',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'createProject'
        ]
      }
    }
  },
  {
    displayName: 'ID',
    name: 'id',
    type: 'string',
    default: '',
    description: 'The project',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'getProject'
        ]
      }
    }
  },
  {
    displayName: 'Project ID',
    name: 'projectId',
    type: 'string',
    default: '',
    description: 'The project',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'listLists',
          'createList',
          'listTodos'
        ]
      }
    }
  },
  {
    displayName: 'Title',
    name: 'title',
    type: 'string',
    default: '',
    description: 'Title of the column',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'createList'
        ]
      }
    }
  },
  {
    displayName: 'Todo List ID',
    name: 'todoListId',
    type: 'string',
    default: '',
    description: 'The column',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'createTodo'
        ]
      }
    }
  },
  {
    displayName: 'Title',
    name: 'title',
    type: 'string',
    default: '',
    description: 'Title of the card',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'createTodo'
        ]
      }
    }
  },
  {
    displayName: 'ID',
    name: 'id',
    type: 'string',
    default: '',
    description: 'The card',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'getTodo',
          'updateTodo',
          'assignTodo',
          'listComments',
          'createComment'
        ]
      }
    }
  },
  {
    displayName: 'Text',
    name: 'text',
    type: 'string',
    default: '',
    description: 'A link is written as label [URL]',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'createComment'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Description',
        name: 'description',
        type: 'string',
        default: '',
        description: 'What it is for'
      },
      {
        displayName: 'From Template',
        name: 'fromTemplate',
        type: 'boolean',
        default: false,
        description: 'Whether it is so: False makes an empty project'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'createProject'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Position',
        name: 'position',
        type: 'number',
        default: 0,
        description: 'Where it stands: columns are in the order of their positions'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'createList'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Todo List ID',
        name: 'todoListId',
        type: 'string',
        default: '',
        description: 'Only the cards of this column'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'listTodos'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Due Date',
        name: 'dueDate',
        type: 'string',
        default: '',
        description: 'ISO 8601 date or date-time; a date alone is its first moment in UTC'
      },
      {
        displayName: 'Project ID',
        name: 'projectId',
        type: 'string',
        default: '',
        description: 'Scopes the request to a project; resolved when left out'
      },
      {
        displayName: 'Text',
        name: 'text',
        type: 'string',
        default: '',
        description: 'A link is written as label [URL]'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'createTodo'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Project ID',
        name: 'projectId',
        type: 'string',
        default: '',
        description: 'Scopes the request to a project; resolved when left out'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'getTodo',
          'listComments',
          'createComment'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Done',
        name: 'done',
        type: 'boolean',
        default: false,
        description: 'Whether it is so: True marks it done, false open'
      },
      {
        displayName: 'Due Date',
        name: 'dueDate',
        type: 'string',
        default: '',
        description: 'ISO 8601 date or date-time; null clears'
      },
      {
        displayName: 'Project ID',
        name: 'projectId',
        type: 'string',
        default: '',
        description: 'Scopes the request to a project; resolved when left out'
      },
      {
        displayName: 'Text',
        name: 'text',
        type: 'string',
        default: '',
        description: '"" clears'
      },
      {
        displayName: 'Title',
        name: 'title',
        type: 'string',
        default: '',
        description: 'A new title'
      },
      {
        displayName: 'Todo List ID',
        name: 'todoListId',
        type: 'string',
        default: '',
        description: 'The column that it moves to, at the bottom'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'updateTodo'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Action',
        name: 'action',
        type: 'options',
        options: [
          {
            name: 'Add',
            value: 'add'
          },
          {
            name: 'Assign',
            value: 'assign'
          },
          {
            name: 'Remove',
            value: 'remove'
          },
          {
            name: 'Unassign',
            value: 'unassign'
          }
        ],
        default: 'add',
        description: 'Add is assign, remove is unassign'
      },
      {
        displayName: 'Project ID',
        name: 'projectId',
        type: 'string',
        default: '',
        description: 'Scopes the request to a project; resolved when left out'
      },
      {
        displayName: 'User',
        name: 'user',
        type: 'string',
        default: '',
        description: 'An email, a full name, or a part of one that only one user has'
      },
      {
        displayName: 'User ID',
        name: 'userId',
        type: 'string',
        default: '',
        description: 'The user, by ID; wins over user'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'assignTodo'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Q',
        name: 'q',
        type: 'string',
        default: '',
        description: 'Part of a name or email, in any case'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'taskBoard'
        ],
        operation: [
          'listUsers'
        ]
      }
    }
  }
];
