/** Allows scripts on pages of CORS_ORIGINS to call the API. */
import cors from 'cors';
import type { RequestHandler } from 'express';
import type { Config } from '../config/config';

/** The headers of an answer that a script can read in addition to the CORS-safelisted ones. */
const exposedHeaders = [
  ...['X-Lead-Id', 'X-Log-Id', 'X-Request-Id', 'X-Workflow-Id', 'X-Leadgate-Sandbox'],
  ...['Idempotency-Replayed', 'Location', 'Retry-After', 'Content-Disposition'],
  ...['X-Leadgate-Warnings', 'RateLimit-Policy', 'RateLimit'],
];
const remembersS = 600;

export const crossOrigin = ({ CORS_ORIGINS }: Config): RequestHandler[] =>
  CORS_ORIGINS ? [cors({ origin: [...CORS_ORIGINS], methods: ['GET', 'POST', 'PATCH'], exposedHeaders, maxAge: remembersS })] : [];
