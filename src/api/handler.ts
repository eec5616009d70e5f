/** Defines the handler of a route. Each subject has a table of handlers, under the names of the contract's rows. */
import type { Request, Response } from 'express';
import type { Caller } from '../config/callers';
import type { endpoints } from '../contract';
import type { Input } from '../contract/input';
import type { Requester } from '../domain/requester';
import type { AuditedAnswer } from './audited';

export interface HandlerContext {
  readonly request: Request;
  /** A handler can set headers, or stream the whole answer. */
  readonly response: Response;
  readonly input: Input;
  readonly caller: Caller;
  readonly requester: Requester;
}

export type Handler = (context: HandlerContext) => Promise<AuditedAnswer>;

type Endpoints = typeof endpoints;

/** One handler for each route that the API handles itself. */
export type Handlers = Readonly<{ [Name in keyof Endpoints as Endpoints[Name]['handledBy'] extends 'api' ? Name : never]: Handler }>;
