/** Written by `npm run reference` from src/activities/taskboard-documents.ts and tools/sandbox/taskboard-schema.ts. */
export interface Operations {
  readonly ListProjects: {
    readonly variables: {
      readonly companyId: string;
      readonly skip: number;
      readonly take: number;
    };
    readonly result: {
      readonly projectList: {
        readonly items: readonly {
          readonly id: string;
          readonly uid: string;
          readonly name: string;
          readonly description: string | null;
          readonly createdAt: string;
          readonly updatedAt: string;
        }[];
        readonly pageInfo: {
          readonly hasNextPage: boolean;
        };
        readonly totalCount: number;
      };
    };
  };
  readonly FindProjects: {
    readonly variables: {
      readonly companyId: string;
      readonly search: string;
    };
    readonly result: {
      readonly projectList: {
        readonly items: readonly {
          readonly id: string;
          readonly uid: string;
          readonly name: string;
          readonly description: string | null;
          readonly createdAt: string;
          readonly updatedAt: string;
        }[];
      };
    };
  };
  readonly GetProject: {
    readonly variables: {
      readonly id: string;
    };
    readonly result: {
      readonly project: {
        readonly id: string;
        readonly uid: string;
        readonly name: string;
        readonly description: string | null;
        readonly createdAt: string;
        readonly updatedAt: string;
      } | null;
    };
  };
  readonly ListLists: {
    readonly variables: {
      readonly projectId: string;
    };
    readonly result: {
      readonly todoLists: readonly {
        readonly id: string;
        readonly title: string;
        readonly position: number;
        readonly todosCount: number;
      }[];
    };
  };
  readonly ListTodos: {
    readonly variables: {
      readonly filter: {
        readonly companyIds: readonly string[];
        readonly projectIds?: readonly string[] | null;
        readonly todoListIds?: readonly string[] | null;
      };
      readonly limit: number;
      readonly skip: number;
    };
    readonly result: {
      readonly todoQueries: {
        readonly todos: {
          readonly items: readonly {
            readonly id: string;
            readonly uid: string;
            readonly title: string;
            readonly text: string;
            readonly done: boolean;
            readonly duedAt: string | null;
            readonly users: readonly {
              readonly id: string;
              readonly fullName: string;
              readonly email: string;
            }[];
            readonly todoList: {
              readonly id: string;
              readonly title: string;
            };
          }[];
          readonly pageInfo: {
            readonly totalItems: number | null;
            readonly hasNextPage: boolean;
          };
        };
      };
    };
  };
  readonly GetList: {
    readonly variables: {
      readonly id: string;
    };
    readonly result: {
      readonly todoList: {
        readonly id: string;
        readonly title: string;
        readonly project: {
          readonly id: string;
        };
      } | null;
    };
  };
  readonly GetTodo: {
    readonly variables: {
      readonly id: string;
    };
    readonly result: {
      readonly todo: {
        readonly id: string;
        readonly uid: string;
        readonly title: string;
        readonly text: string;
        readonly html: string;
        readonly done: boolean;
        readonly duedAt: string | null;
        readonly commentCount: number;
        readonly todoList: {
          readonly id: string;
          readonly title: string;
          readonly project: {
            readonly id: string;
          };
        };
        readonly users: readonly {
          readonly id: string;
          readonly fullName: string;
          readonly email: string;
        }[];
        readonly checklists: readonly {
          readonly id: string;
          readonly title: string;
          readonly position: number;
          readonly checklistItems: readonly {
            readonly id: string;
            readonly title: string;
            readonly done: boolean;
            readonly position: number;
            readonly duedAt: string | null;
            readonly users: readonly {
              readonly id: string;
              readonly fullName: string;
            }[];
          }[];
        }[];
        readonly files: readonly {
          readonly id: string;
          readonly uid: string;
          readonly name: string;
          readonly size: number;
          readonly type: string;
          readonly extension: string;
        }[];
      } | null;
    };
  };
  readonly ListComments: {
    readonly variables: {
      readonly id: string;
      readonly first: number;
      readonly skip: number;
    };
    readonly result: {
      readonly todo: {
        readonly id: string;
      } | null;
      readonly commentList: {
        readonly comments: readonly {
          readonly id: string;
          readonly text: string;
          readonly createdAt: string;
          readonly user: {
            readonly id: string;
            readonly fullName: string;
          };
        }[];
        readonly totalCount: number;
        readonly pageInfo: {
          readonly hasNextPage: boolean;
        };
      };
    };
  };
  readonly ListUsers: {
    readonly variables: {
      readonly companyId: string;
      readonly skip: number;
    };
    readonly result: {
      readonly companyUserList: {
        readonly users: readonly {
          readonly id: string;
          readonly fullName: string;
          readonly email: string;
        }[];
        readonly totalCount: number;
        readonly pageInfo: {
          readonly hasNextPage: boolean;
        };
      };
    };
  };
  readonly CreateProject: {
    readonly variables: {
      readonly input: {
        readonly companyId: string;
        readonly name: string;
        readonly description?: string | null;
        readonly templateId?: string | null;
      };
    };
    readonly result: {
      readonly createProject: {
        readonly id: string;
        readonly uid: string;
        readonly name: string;
        readonly description: string | null;
        readonly createdAt: string;
        readonly updatedAt: string;
      } | null;
    };
  };
  readonly CopyProject: {
    readonly variables: {
      readonly input: {
        readonly projectId: string;
        readonly companyId: string;
        readonly name: string;
        readonly description?: string | null;
        readonly options: {
          readonly todos?: boolean | null;
          readonly todoLists?: boolean | null;
          readonly checklists?: boolean | null;
          readonly tags?: boolean | null;
          readonly customFields?: boolean | null;
          readonly dueDates?: boolean | null;
          readonly todoActions?: boolean | null;
          readonly files?: boolean | null;
          readonly forms?: boolean | null;
          readonly automations?: boolean | null;
          readonly coverConfig?: boolean | null;
          readonly people?: boolean | null;
        };
      };
    };
    readonly result: {
      readonly copyProject: boolean | null;
    };
  };
  readonly EditProject: {
    readonly variables: {
      readonly input: {
        readonly projectId: string;
        readonly name?: string | null;
        readonly description?: string | null;
      };
    };
    readonly result: {
      readonly editProject: {
        readonly id: string;
        readonly uid: string;
        readonly name: string;
        readonly description: string | null;
        readonly createdAt: string;
        readonly updatedAt: string;
      };
    };
  };
  readonly CreateList: {
    readonly variables: {
      readonly input: {
        readonly projectId: string;
        readonly title: string;
        readonly position: number;
      };
    };
    readonly result: {
      readonly createTodoList: {
        readonly id: string;
        readonly title: string;
        readonly position: number;
      };
    };
  };
  readonly CreateTodo: {
    readonly variables: {
      readonly input: {
        readonly todoListId: string;
        readonly title: string;
        readonly description?: string | null;
        readonly duedAt?: string | null;
        readonly placement?: ('TOP' | 'BOTTOM') | null;
      };
    };
    readonly result: {
      readonly createTodo: {
        readonly id: string;
        readonly uid: string;
        readonly title: string;
      };
    };
  };
  readonly EditTodo: {
    readonly variables: {
      readonly input: {
        readonly todoId: string;
        readonly title?: string | null;
        readonly html?: string | null;
        readonly text?: string | null;
      };
    };
    readonly result: {
      readonly editTodo: {
        readonly id: string;
        readonly title: string;
      };
    };
  };
  readonly MoveTodo: {
    readonly variables: {
      readonly input: {
        readonly todoId: string;
        readonly todoListId: string;
      };
    };
    readonly result: {
      readonly moveTodo: boolean;
    };
  };
  readonly ToggleDone: {
    readonly variables: {
      readonly id: string;
    };
    readonly result: {
      readonly updateTodoDoneStatus: {
        readonly id: string;
        readonly title: string;
        readonly done: boolean;
      };
    };
  };
  readonly SetDue: {
    readonly variables: {
      readonly id: string;
      readonly startedAt?: string | null;
      readonly duedAt?: string | null;
    };
    readonly result: {
      readonly updateTodoDueDate: {
        readonly id: string;
        readonly title: string;
        readonly duedAt: string | null;
      };
    };
  };
  readonly AddAssignees: {
    readonly variables: {
      readonly input: {
        readonly todoId: string;
        readonly assigneeIds: readonly string[];
      };
    };
    readonly result: {
      readonly addTodoAssignees: {
        readonly success: boolean;
      };
    };
  };
  readonly RemoveAssignees: {
    readonly variables: {
      readonly input: {
        readonly todoId: string;
        readonly assigneeIds: readonly string[];
      };
    };
    readonly result: {
      readonly removeTodoAssignees: {
        readonly success: boolean;
      };
    };
  };
  readonly CreateComment: {
    readonly variables: {
      readonly input: {
        readonly html: string;
        readonly text: string;
        readonly category: ('TODO' | 'DISCUSSION' | 'STATUS_UPDATE');
        readonly categoryId: string;
      };
    };
    readonly result: {
      readonly createComment: {
        readonly id: string;
        readonly text: string;
        readonly createdAt: string;
      };
    };
  };
}
