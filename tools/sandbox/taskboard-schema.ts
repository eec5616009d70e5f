/** Declares the part of the task board's public GraphQL schema that the gateway uses. */
export const taskboardSchema = /* GraphQL */ `
  scalar DateTime

  type Query {
    projectList(filter: ProjectListFilter!, sort: [ProjectSort!], skip: Int = 0, take: Int = 20): ProjectPagination!
    project(id: String!): Project
    todoList(id: String!): TodoList
    todoLists(projectId: String!): [TodoList!]!
    todo(id: String!): Todo
    todoQueries: TodoQueries!
    commentList(categoryId: String!, category: CommentCategory!, first: Int = 20, skip: Int = 0, orderBy: CommentOrderByInput): CommentList!
    companyUserList(companyId: String!, first: Int = 20, skip: Int = 0, search: String): CompanyUserList!
  }

  type Mutation {
    createProject(input: CreateProjectInput!): Project
    copyProject(input: CopyProjectInput!): Boolean
    editProject(input: EditProjectInput!): Project!
    createTodoList(input: CreateTodoListInput!): TodoList!
    createTodo(input: CreateTodoInput!): Todo!
    editTodo(input: EditTodoInput!): Todo!
    moveTodo(input: MoveTodoInput!): Boolean!
    updateTodoDoneStatus(todoId: String!): Todo!
    updateTodoDueDate(todoId: String!, startedAt: DateTime, duedAt: DateTime): Todo!
    addTodoAssignees(input: AddTodoAssigneesInput!): MutationResult!
    removeTodoAssignees(input: RemoveTodoAssigneesInput!): MutationResult!
    createComment(input: CreateCommentInput!): Comment!
  }

  type TodoQueries {
    todos(filter: TodosFilter!, sort: [TodosSort!], limit: Int = 20, skip: Int = 0): TodosResult!
  }

  type PageInfo {
    totalItems: Int
    hasNextPage: Boolean!
  }

  type ProjectPagination {
    items: [Project!]!
    pageInfo: PageInfo!
    totalCount: Int!
  }

  type TodosResult {
    items: [Todo!]!
    pageInfo: PageInfo!
  }

  type CommentList {
    comments: [Comment!]!
    pageInfo: PageInfo!
    totalCount: Int!
  }

  type CompanyUserList {
    users: [User!]!
    pageInfo: PageInfo!
    totalCount: Int!
  }

  type Project {
    id: ID!
    uid: String!
    name: String!
    description: String
    createdAt: DateTime!
    updatedAt: DateTime!
  }

  type TodoList {
    id: ID!
    title: String!
    position: Float!
    todosCount: Int!
    project: Project!
  }

  type Todo {
    id: ID!
    uid: String!
    title: String!
    text: String!
    html: String!
    done: Boolean!
    startedAt: DateTime
    duedAt: DateTime
    position: Float!
    commentCount: Int!
    todoList: TodoList!
    users: [User!]!
    checklists: [Checklist!]!
    files: [File!]!
  }

  type Checklist {
    id: ID!
    title: String!
    position: Float!
    checklistItems: [ChecklistItem!]!
  }

  type ChecklistItem {
    id: ID!
    title: String!
    done: Boolean!
    position: Float!
    duedAt: DateTime
    users: [User!]!
  }

  type File {
    id: ID!
    uid: String!
    name: String!
    size: Float!
    type: String!
    extension: String!
  }

  type Comment {
    id: ID!
    text: String!
    html: String!
    createdAt: DateTime!
    user: User!
  }

  type User {
    id: ID!
    fullName: String!
    email: String!
  }

  type MutationResult {
    success: Boolean!
  }

  input ProjectListFilter {
    companyIds: [String!]!
    search: String
  }

  input TodosFilter {
    companyIds: [String!]!
    projectIds: [String!]
    todoListIds: [String!]
  }

  input CreateProjectInput {
    companyId: String!
    name: String!
    description: String
    templateId: String
  }

  input CopyProjectInput {
    projectId: String!
    companyId: String!
    name: String!
    description: String
    options: CopyProjectOptionsInput!
  }

  input CopyProjectOptionsInput {
    todos: Boolean
    todoLists: Boolean
    checklists: Boolean
    tags: Boolean
    customFields: Boolean
    dueDates: Boolean
    todoActions: Boolean
    files: Boolean
    forms: Boolean
    automations: Boolean
    coverConfig: Boolean
    people: Boolean
  }

  input EditProjectInput {
    projectId: String!
    name: String
    description: String
  }

  input CreateTodoListInput {
    projectId: String!
    title: String!
    position: Float!
  }

  input CreateTodoInput {
    todoListId: String!
    title: String!
    description: String
    duedAt: DateTime
    placement: CreateTodoInputPlacement
  }

  input EditTodoInput {
    todoId: String!
    title: String
    html: String
    text: String
  }

  input MoveTodoInput {
    todoId: String!
    todoListId: String!
  }

  input AddTodoAssigneesInput {
    todoId: String!
    assigneeIds: [String!]!
  }

  input RemoveTodoAssigneesInput {
    todoId: String!
    assigneeIds: [String!]!
  }

  input CreateCommentInput {
    html: String!
    text: String!
    category: CommentCategory!
    categoryId: String!
  }

  enum CommentCategory {
    TODO
    DISCUSSION
    STATUS_UPDATE
  }

  enum CommentOrderByInput {
    createdAt_ASC
    createdAt_DESC
  }

  enum CreateTodoInputPlacement {
    TOP
    BOTTOM
  }

  enum ProjectSort {
    name_ASC
    name_DESC
    createdAt_ASC
    createdAt_DESC
  }

  enum TodosSort {
    todoListPosition_ASC
    position_ASC
  }
`;
