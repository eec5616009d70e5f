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
        description: 'Assign a user to a card, or unassign the user'
      },
      {
        name: 'Create Comment',
        value: 'createComment',
        action: 'Create comment',
        description: 'Add a comment to a card'
      },
      {
        name: 'Create List',
        value: 'createList',
        action: 'Create list',
        description: 'Create a column, by default after the last one'
      },
      {
        name: 'Create Project',
        value: 'createProject',
        action: 'Create project',
        description: 'Create a project, by default as a copy of the template with its columns and cards'
      },
      {
        name: 'Create Todo',
        value: 'createTodo',
        action: 'Create todo',
        description: 'Create a card at the bottom of a column'
      },
      {
        name: 'Get Project',
        value: 'getProject',
        action: 'Get project',
        description: 'Get a project with its columns in order, each with its cards'
      },
      {
        name: 'Get Todo',
        value: 'getTodo',
        action: 'Get todo',
        description: 'Get a card with its text, links, checklists and files'
      },
      {
        name: 'List Comments',
        value: 'listComments',
        action: 'List comments',
        description: 'List the comments of a card, oldest first'
      },
      {
        name: 'List Lists',
        value: 'listLists',
        action: 'List lists',
        description: 'List the columns of a project, in order'
      },
      {
        name: 'List Projects',
        value: 'listProjects',
        action: 'List projects',
        description: 'List the projects of the organisation'
      },
      {
        name: 'List Todos',
        value: 'listTodos',
        action: 'List todos',
        description: 'List the cards of a project, or of one of its columns'
      },
      {
        name: 'List Users',
        value: 'listUsers',
        action: 'List users',
        description: 'List the users of the organisation, or those whose name or email contains a text'
      },
      {
        name: 'Update Todo',
        value: 'updateTodo',
        action: 'Update todo',
        description: 'Update a card: change it, mark it done, or move it to another column'
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
    description: 'ID of the project',
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
    description: 'ID of the project',
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
    description: 'ID of the column',
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
    description: 'ID of the card',
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
    description: 'Text; write a link as label [URL]',
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
        description: 'Description of the project'
      },
      {
        displayName: 'From Template',
        name: 'fromTemplate',
        type: 'boolean',
        default: false,
        description: 'Whether to turn it on. True: copy the template; false: create an empty project.'
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
        description: 'Position of the column: columns are sorted by their positions'
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
        description: 'ISO 8601 date or date-time; a date means midnight in UTC'
      },
      {
        displayName: 'Project ID',
        name: 'projectId',
        type: 'string',
        default: '',
        description: 'The project of the card or column; looked up if absent'
      },
      {
        displayName: 'Text',
        name: 'text',
        type: 'string',
        default: '',
        description: 'Text; write a link as label [URL]'
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
        description: 'The project of the card or column; looked up if absent'
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
        description: 'Whether to turn it on. True: mark it done; false: mark it open.'
      },
      {
        displayName: 'Due Date',
        name: 'dueDate',
        type: 'string',
        default: '',
        description: 'ISO 8601 date or date-time; null clears it'
      },
      {
        displayName: 'Project ID',
        name: 'projectId',
        type: 'string',
        default: '',
        description: 'The project of the card or column; looked up if absent'
      },
      {
        displayName: 'Text',
        name: 'text',
        type: 'string',
        default: '',
        description: 'A new text; "" clears it'
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
        description: 'Move the card to the bottom of this column'
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
        description: 'Assign or unassign; add and remove are aliases'
      },
      {
        displayName: 'Project ID',
        name: 'projectId',
        type: 'string',
        default: '',
        description: 'The project of the card or column; looked up if absent'
      },
      {
        displayName: 'User',
        name: 'user',
        type: 'string',
        default: '',
        description: 'Email or full name of the user, or a part of it that matches only one user'
      },
      {
        displayName: 'User ID',
        name: 'userId',
        type: 'string',
        default: '',
        description: 'ID of the user; overrides user'
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
