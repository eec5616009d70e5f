/** Declares the GraphQL documents for the task board. A caller's values go into variables, never into a document. */
export const documents = {
  ListProjects: `
    query ListProjects($companyId: String!, $skip: Int!, $take: Int!) {
      projectList(filter: { companyIds: [$companyId] }, sort: [name_ASC], skip: $skip, take: $take) {
        items { id uid name description createdAt updatedAt }
        pageInfo { hasNextPage }
        totalCount
      }
    }
  `,
  FindProjects: `
    query FindProjects($companyId: String!, $search: String!) {
      projectList(filter: { companyIds: [$companyId], search: $search }, sort: [createdAt_DESC], skip: 0, take: 50) {
        items { id uid name description createdAt updatedAt }
      }
    }
  `,
  GetProject: `
    query GetProject($id: String!) {
      project(id: $id) { id uid name description createdAt updatedAt }
    }
  `,
  ListLists: `
    query ListLists($projectId: String!) {
      todoLists(projectId: $projectId) { id title position todosCount }
    }
  `,
  ListTodos: `
    query ListTodos($filter: TodosFilter!, $limit: Int!, $skip: Int!) {
      todoQueries {
        todos(filter: $filter, sort: [todoListPosition_ASC, position_ASC], limit: $limit, skip: $skip) {
          items { id uid title text done duedAt users { id fullName email } todoList { id title } }
          pageInfo { totalItems hasNextPage }
        }
      }
    }
  `,
  GetList: `
    query GetList($id: String!) {
      todoList(id: $id) { id title project { id } }
    }
  `,
  GetTodo: `
    query GetTodo($id: String!) {
      todo(id: $id) {
        id uid title text html done duedAt commentCount
        todoList { id title project { id } }
        users { id fullName email }
        checklists { id title position checklistItems { id title done position duedAt users { id fullName } } }
        files { id uid name size type extension }
      }
    }
  `,
  ListComments: `
    query ListComments($id: String!, $first: Int!, $skip: Int!) {
      todo(id: $id) { id }
      commentList(categoryId: $id, category: TODO, first: $first, skip: $skip, orderBy: createdAt_ASC) {
        comments { id text createdAt user { id fullName } }
        totalCount
        pageInfo { hasNextPage }
      }
    }
  `,
  ListUsers: `
    query ListUsers($companyId: String!, $skip: Int!) {
      companyUserList(companyId: $companyId, first: 200, skip: $skip) {
        users { id fullName email }
        totalCount
        pageInfo { hasNextPage }
      }
    }
  `,
  CreateProject: `
    mutation CreateProject($input: CreateProjectInput!) {
      createProject(input: $input) { id uid name description createdAt updatedAt }
    }
  `,
  CopyProject: `
    mutation CopyProject($input: CopyProjectInput!) {
      copyProject(input: $input)
    }
  `,
  EditProject: `
    mutation EditProject($input: EditProjectInput!) {
      editProject(input: $input) { id uid name description createdAt updatedAt }
    }
  `,
  CreateList: `
    mutation CreateList($input: CreateTodoListInput!) {
      createTodoList(input: $input) { id title position }
    }
  `,
  CreateTodo: `
    mutation CreateTodo($input: CreateTodoInput!) {
      createTodo(input: $input) { id uid title }
    }
  `,
  EditTodo: `
    mutation EditTodo($input: EditTodoInput!) {
      editTodo(input: $input) { id title }
    }
  `,
  MoveTodo: `
    mutation MoveTodo($input: MoveTodoInput!) {
      moveTodo(input: $input)
    }
  `,
  ToggleDone: `
    mutation ToggleDone($id: String!) {
      updateTodoDoneStatus(todoId: $id) { id title done }
    }
  `,
  SetDue: `
    mutation SetDue($id: String!, $startedAt: DateTime, $duedAt: DateTime) {
      updateTodoDueDate(todoId: $id, startedAt: $startedAt, duedAt: $duedAt) { id title duedAt }
    }
  `,
  AddAssignees: `
    mutation AddAssignees($input: AddTodoAssigneesInput!) {
      addTodoAssignees(input: $input) { success }
    }
  `,
  RemoveAssignees: `
    mutation RemoveAssignees($input: RemoveTodoAssigneesInput!) {
      removeTodoAssignees(input: $input) { success }
    }
  `,
  CreateComment: `
    mutation CreateComment($input: CreateCommentInput!) {
      createComment(input: $input) { id text createdAt }
    }
  `,
} as const;

export type OperationName = keyof typeof documents;
