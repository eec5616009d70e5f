/** Serves what runs in a browser. These files hold no data and need no key; the requests that they make to the API do. */
import { Router, type Response } from 'express';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ApiError } from '../contract/errors';
import { pick } from '../domain/formats';

const folder = join(__dirname, '../console');

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
export const pageHeaders = { 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' };

/** Reads all files at the start, so that a path can never reach another file. */
export function consoleRoutes(): Router {
  const names = readdirSync(folder).filter((name) => extname(name) in types);
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
  routes.get('/console/:file', ({ params }, response) => answer(response, params.file));
  return routes;
}
