/** Handles the routes about the service itself: health, metrics, version, security.txt, reference and console. */
import { Router, type RequestHandler } from 'express';
import type { Config } from '../../config/config';
import { ApiError } from '../../contract/errors';
import { callerWith } from '../auth';
import { consoleRoutes, referenceRoutes, type Pages } from '../pages';
import { securityTxt, securityTxtPath } from '../security-txt';
import type { Metrics } from './traffic';

export interface OperationsNeeds {
  readonly config: Config;
  readonly version: string;
  readonly authenticate: RequestHandler;
  /** The routes on which people sign in and out; undefined without OIDC_ISSUER. */
  readonly signIn: Router | undefined;
  readonly pages: Pages;
  /** Returns why no lead can be accepted; undefined if the service is ready. */
  unreadyReason(): Promise<string | undefined>;
  readonly metrics: Metrics;
}

export function createOperations({ config, version, authenticate, signIn, pages, unreadyReason, metrics }: OperationsNeeds): Router {
  const routes = Router();

  routes.get('/', (_request, response) => response.redirect('/docs'));
  routes.get('/health/live', (_request, response) => void response.json({ status: 'live' }));
  routes.get('/health/ready', async (_request, response) => {
    const missing = await unreadyReason();
    if (missing) throw new ApiError('NOT_ACCEPTED', missing, { headers: { 'Retry-After': '1' } });
    response.json({ status: 'ready' });
  });
  routes.get(securityTxtPath, (_request, response) => {
    const text = securityTxt(config);
    if (text === undefined) throw new ApiError('NOT_FOUND', 'This path does not exist: SECURITY_CONTACT is not set');
    response.type('text/plain').send(text);
  });
  if (signIn) routes.use(signIn);
  routes.use(['/metrics', '/version'], authenticate);
  routes.get('/metrics', async (_request, response) => {
    callerWith(response, 'watching');
    response.type(metrics.contentType).send(await metrics.text());
  });
  routes.get('/version', (_request, response) => void response.json({ name: 'leadgate', version }));
  routes.use(referenceRoutes(pages, authenticate), consoleRoutes(pages));

  const pagePaths = ['/docs', '/docs/:page', '/console', '/console/*file'];
  for (const path of ['/', '/health/live', '/health/ready', securityTxtPath, '/metrics', '/version', '/openapi.json', ...pagePaths])
    routes.all(path, () => {
      throw new ApiError('METHOD_NOT_ALLOWED', 'This path accepts only GET', { headers: { Allow: 'GET' } });
    });

  return routes;
}
