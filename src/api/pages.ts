/** Serves the reference and the console. The console's files contain no data and need no key; their requests to the API do. */
import { Router, type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ApiError } from '../contract/errors';
import { pick } from '../domain/formats';

/** The pages of `tools/`. An entry passes them in, because the service does not import `tools/`. */
export interface Pages {
  /** The folder of the files that a browser loads. */
  readonly files: string;
  /** The HTML of the sign-in page. */
  readonly signIn: string;
  /** Builds the reference on first use, because it takes 200 ms. */
  reference(): Reference;
}

export interface Reference {
  /** The OpenAPI document. */
  readonly document: object;
  readonly search: object;
  /** Returns the page at `/docs/<slug>`, or at `/docs` for an empty slug; undefined if there is none. */
  page(slug: string, address: Pick<Request, 'protocol' | 'headers'>): string | undefined;
}

const types: Readonly<Record<string, string>> = { '.html': 'html', '.css': 'css', '.js': 'text/javascript' };

/** Content-Security-Policy: a page loads only its own files, and no other page can frame it. */
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
export const pageHeaders = { 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' };

/** Answers a browser without a key or session with the sign-in page. */
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

/** Makes the routes of the reference. Any valid key can read it. */
export function referenceRoutes({ reference, signIn }: Pages, authenticate: RequestHandler): Router {
  const page: RequestHandler = (request, response) => {
    const html = reference().page(String(request.params.page ?? ''), request);
    if (html === undefined) throw new ApiError('NOT_FOUND', 'This path does not exist: see /docs');
    response.set(pageHeaders).type('html').send(html);
  };
  const routes = Router();
  routes.use(['/openapi.json', '/docs'], authenticate);
  routes.get('/openapi.json', (_request, response) => void response.json(reference().document));
  routes.use('/docs', signInWith(signIn));
  routes.get('/docs/search.json', (_request, response) => void response.json(reference().search));
  return routes.get('/docs', page).get('/docs/:page', page);
}

/** Makes the routes of the console. All files are read at the start, so that a path can never reach another file. */
export function consoleRoutes({ files: folder }: Pages): Router {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => extname(name) in types);
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

  // The browser preloads all modules at once, instead of one after the other as they import each other.
  const modules = names
    .filter((name) => extname(name) === '.js' && !/^(docs|signed-in)/.test(name))
    .map((name) => `</console/${name}>; rel=modulepreload`);

  const answer = (response: Response, name: string) => {
    const file = pick(files, name);
    if (file === undefined) throw new ApiError('NOT_FOUND', 'This path does not exist');
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
