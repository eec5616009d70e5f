/** Routes: shows the page that the URL fragment names. Browsers do not send the fragment, so searches stay out of server logs. */
import { gatewayKey, get, listener } from './api.js';
import { openAudit } from './audit.js';
import { closeDialogs } from './dialog.js';
import { h, write } from './dom.js';
import { openErase } from './erase.js';
import { openImport } from './import.js';
import { openLead } from './lead.js';
import { openLeads } from './leads.js';
import { openDeliveries } from './deliveries.js';
import { openDecide, openDiscard, openMend, openRedrive, openResend } from './many.js';
import { openNoPage } from './no-page.js';
import { openReconciliation } from './reconciliation.js';
import { openReconciliations } from './reconciliations.js';
import { session } from './session.js';
import { openSignIn } from './sign-in.js';
import { place, signOutPerson } from './sign-out.js';
import { openTraffic } from './traffic.js';
import { openUpstreams } from './upstreams.js';

/**
 * @typedef {object} Page
 * @property {() => void} close
 * @property {(query: URLSearchParams) => void} [update] the same page with another query
 *
 * @typedef {(main: HTMLElement, query: URLSearchParams, id: string) => Page} Open
 */

/** The pages. The name of a page with an id ends in a slash. @type {ReadonlyMap<string, readonly [title: string, open: Open]>} */
const pages = new Map([
  ['leads', ['Leads', openLeads]],
  ['leads/', ['Lead', openLead]],
  ['redrive', ['Redrive many', openRedrive]],
  ['mend', ['Mend many', openMend]],
  ['decide', ['Decide many', openDecide]],
  ['discard', ['Discard many', openDiscard]],
  ['events', ['Events', openDeliveries]],
  ['resend', ['Send events again', openResend]],
  ['import', ['Import', openImport]],
  ['upstreams', ['Upstreams', openUpstreams]],
  ['reconciliations', ['Reconciliations', openReconciliations]],
  ['reconciliations/', ['Reconciliation', openReconciliation]],
  ['traffic', ['Traffic', openTraffic]],
  ['audit', ['Audit', openAudit]],
  ['erase', ['Erase a person', openErase]],
]);

/** @type {readonly [title: string, open: Open]} */
const noPage = ['Page not found', openNoPage];

/** @template {HTMLElement} T @param {string} id @param {new () => T} type @returns {T} */
function byId(id, type) {
  const element = document.getElementById(id);
  if (element instanceof type) return element;
  throw new Error(`index.html has no ${id}`);
}

const main = byId('main', HTMLElement);
const connection = byId('connection', HTMLElement);
const caller = byId('caller', HTMLElement);
const signOut = byId('sign-out', HTMLButtonElement);
const version = byId('version', HTMLElement);

/** @type {Page | undefined} */
let page;
let shown = '';
/** The key whose name the header shows. */
let namedKey = '';

/** Reads the address: `#/leads/k…` is one lead, `#/leads?state=parked` a list. */
function route() {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [, name = '', id = ''] = /^([^/]*)\/?(.*)$/.exec(path) ?? [];
  return { name: id ? `${name}/` : name || 'leads', id, query: new URLSearchParams(query) };
}

/** @param {boolean} [isMove] true after navigation, which moves the focus */
function show(isMove = false) {
  const { name, id, query } = route();
  const place = `#/${name}${id}`;
  closeDialogs();
  void showCaller();
  void showVersion();
  if (page?.update && place === shown) return page.update(query);
  page?.close();
  shown = place;
  main.replaceChildren();
  const [title, open] = pages.get(name) ?? noPage;
  document.title = `${title} · Leadgate`;
  page = open(main, query, id);
  markNav(name);
  window.scrollTo(0, 0);
  if (isMove) main.focus({ preventScroll: true });
}

/** Shows the name of the key or the person in the header: decisions are recorded under it. */
async function showCaller() {
  const key = gatewayKey.get() ?? '';
  signOut.hidden = !key && !session.name;
  if (!key && session.name) return write(caller, `Signed in as ${session.name}`);
  if (key === namedKey) return;
  namedKey = key;
  write(caller, '');
  /** @type {{ name?: string } | undefined} */
  const answer = key ? await get('/api/caller').catch(() => undefined) : {};
  if (namedKey !== key) return;
  if (!answer) namedKey = '';
  write(caller, answer?.name ? `Signed in as ${answer.name}` : '');
}

/** Shows at the foot which version runs, once the gateway answers this caller. */
async function showVersion() {
  if (version.textContent) return;
  /** @type {{ version: string } | undefined} */
  const answer = await get('/version').catch(() => undefined);
  if (answer) write(version, `Leadgate ${answer.version}`);
}

/** @param {string} name */
function markNav(name) {
  const current = name === 'resend' ? 'events' : pages.has(name) ? name.replace('/', '') : '';
  for (const link of document.querySelectorAll('#nav a'))
    if (link.getAttribute('href') === `#/${current}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
}

listener.heard = (isThere) => {
  write(connection, isThere ? '' : 'The gateway does not answer');
};

listener.left = session.left;
session.changed = () => void showCaller();

listener.needsKey = (signIn) => {
  if (session.name) return session.ended(signIn);
  if (shown === 'sign-in') return;
  closeDialogs();
  page?.close();
  shown = 'sign-in';
  document.title = 'Sign in · Leadgate';
  page = openSignIn(main, () => show(true), signIn);
  void showCaller();
};

signOut.addEventListener('click', () => {
  if (!gatewayKey.get()) return void signOutPerson().catch(() => write(connection, 'You are not signed out yet: try again'));
  gatewayKey.forget();
  listener.needsKey();
});

document.querySelector('.skip')?.addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});

window.addEventListener('hashchange', () => show(true));
place.restore();
main.replaceChildren(h('p', { class: 'soft' }, 'Loading …'));
show();
