/** A handler answers the requests of one route. Each subject has a table of handlers, under the names of the contract's rows. */
import type { Request, Response } from 'express';
import type { Caller } from '../config/callers';
import type { endpoints } from '../contract';
import type { Input } from '../contract/input';
import type { Audited } from './audited';

export interface Asked {
  readonly request: Request;
  /** A handler may set headers, or send the whole answer itself, line by line. */
  readonly response: Response;
  readonly input: Input;
  readonly caller: Caller;
}

export type Handler = (asked: Asked) => Promise<Audited>;

type Rows = typeof endpoints;

/** One handler for each route that no run carries. */
export type Handlers = Readonly<{ [Name in keyof Rows as Rows[Name]['carried'] extends 'here' ? Name : never]: Handler }>;
