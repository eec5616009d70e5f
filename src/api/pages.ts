/** Serves the reference, and the files that run in a browser. The files hold no data and need no key; their requests to the API do. */
import { Router, type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ApiError } from '../contract/errors';
import { pick } from '../domain/formats';

/** What is served of `tools/`, which the service does not import: an entry hands it in. */
export interface Pages {
  /** The folder of the files that a browser loads. */
  readonly files: string;
  /** Asks a browser for a key. */
  readonly signIn: string;
  /** Written when it is first read: it takes a fifth of a second, which few starts need. */
  reference(): Reference;
}

export interface Reference {
  /** The OpenAPI document. */
  readonly document: object;
  readonly search: object;
  /** The page at `/docs/<slug>`, or at `/docs` for an empty slug; undefined if there is none. */
  page(slug: string, address: Pick<Request, 'protocol' | 'headers'>): string | undefined;
}

const types: Readonly<Record<string, string>> = { '.html': 'html', '.css': 'css', '.js': 'text/javascript' };

/** Content-Security-Policy: the page loads its own files only, and no other page may frame it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** The headers of every page. */
const pageHeaders = { 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' };

/** Answers a browser without a key with a form that asks for one. */
const signInWith =
  (html: string): ErrorRequestHandler =>
  (error, request, response, next) => {
    const isAsked = error instanceof ApiError && error.code === 'UNAUTHORIZED' && request.accepts(['json', 'html']) === 'html';
    if (!isAsked) return next(error);
    response
      .status(401)
      .set({ ...error.extras.headers, ...pageHeaders })
      .type('html')
      .send(html);
  };

/** The reference may be read by every caller whose key is known. */
export function referenceRoutes({ reference, signIn }: Pages, authenticate: RequestHandler): Router {
  const page: RequestHandler = (request, response) => {
    const html = reference().page(String(request.params.page ?? ''), request);
    if (html === undefined) throw new ApiError('NOT_FOUND', 'There is no such path, see /docs');
    response.set(pageHeaders).type('html').send(html);
  };
  const routes = Router();
  routes.use(['/openapi.json', '/docs'], authenticate);
  routes.get('/openapi.json', (_request, response) => void response.json(reference().document));
  routes.use('/docs', signInWith(signIn));
  routes.get('/docs/search.json', (_request, response) => void response.json(reference().search));
  return routes.get('/docs', page).get('/docs/:page', page);
}

/** Reads all files at the start, so that a path can never reach another file. */
export function consoleRoutes({ files: folder }: Pages): Router {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => extname(name) in types);
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

  // Every module of the console is asked for at once, and not only when the module that imports it has come.
  const modules = names
    .filter((name) => extname(name) === '.js' && !name.startsWith('docs'))
    .map((name) => `</console/${name}>; rel=modulepreload`);

  const answer = (response: Response, name: string) => {
    const file = pick(files, name);
    if (file === undefined) throw new ApiError('NOT_FOUND', 'There is no such path');
    response
      .set({ ...pageHeaders, 'Cache-Control': 'no-cache' })
      .type(types[extname(name)] ?? 'text')
      .send(file);
  };

  const routes = Router();
  routes.get('/console', (_request, response) => answer(response.set('Link', modules), 'index.html'));
  routes.get('/console/*file', ({ params }, response) => answer(response, params.file.join('/')));
  return routes;
}
