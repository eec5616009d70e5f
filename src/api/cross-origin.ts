/** Lets scripts of the web pages in CORS_ORIGINS call the API. A browser keeps the answers from the scripts of all others. */
import cors from 'cors';
import type { RequestHandler } from 'express';
import type { Config } from '../config/config';

/** The headers of an answer that a script may read besides those that every script may. */
const exposedHeaders = [
  ...['X-Lead-Id', 'X-Log-Id', 'X-Request-Id', 'X-Workflow-Id', 'X-Leadgate-Sandbox'],
  ...['Idempotency-Replayed', 'Location', 'Retry-After', 'Content-Disposition'],
];
const remembersS = 600;

export const crossOrigin = ({ CORS_ORIGINS }: Config): RequestHandler[] =>
  CORS_ORIGINS ? [cors({ origin: [...CORS_ORIGINS], methods: ['GET', 'POST', 'PATCH'], exposedHeaders, maxAge: remembersS })] : [];
