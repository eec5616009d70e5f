/**
 * Watches the session of a person. It warns before the session ends, and covers the page once it has ended. The page stays as it is, so that
 * nothing typed is lost: after another sign-in in a window of its own, the person goes on. Another person gets a new page.
 */
import { get, Refused } from './api.js';
import { h } from './dom.js';
import { hearTabs, signOutPerson, tellTabs } from './sign-out.js';

const warnMs = 60_000;
const windowForm = 'popup,width=560,height=720';

/** @typedef {import('./api.js').Offer} Offer */

/** @type {{ name: string, changed(): void, left(seconds: number): void, ended(offer?: Offer): void }} */
export const session = { name: '', changed: () => {}, left, ended: cover };

let deadline = 0;
let longestMs = 0;
let isAsking = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** @type {HTMLDialogElement | undefined} */
let warning;
/** @type {HTMLDialogElement | undefined} */
let lock;

/** Each answer to a signed-in person says how long the session lasts without another act. @param {number} seconds */
function left(seconds) {
  deadline = Date.now() + seconds * 1000;
  longestMs = Math.max(longestMs, seconds * 1000);
  if (!isNear()) warning?.close();
  if (!session.name || lock) void ask();
  clearTimeout(timer);
  timer = setTimeout(() => void warn(), Math.max(0, deadline - Date.now() - nearMs()));
}

const nearMs = () => Math.min(warnMs, longestMs / 2);
const isNear = () => deadline - Date.now() <= nearMs();

/** Asks who is signed in, and tells the gateway whether the person did something. */
async function ask() {
  if (isAsking) return;
  isAsking = true;
  try {
    /** @type {{ name: string }} */
    const { name } = await get('/sign-in/session');
    if (session.name && name !== session.name) return location.reload();
    const isNew = !session.name || lock !== undefined;
    session.name = name;
    lift();
    if (isNew) {
      tellTabs('signed-in');
      session.changed();
    }
  } catch (error) {
    // The session has ended: `ended` was called.
    if (!(error instanceof Refused)) throw error;
  } finally {
    isAsking = false;
  }
}

/** @param {string} title @param {string} means @param {readonly HTMLElement[]} buttons @param {() => void} closed */
function open(title, means, buttons, closed) {
  const dialog = h(
    'dialog',
    {
      class: 'session',
      role: 'alertdialog',
      'aria-labelledby': 'session-title',
      'aria-describedby': 'session-means',
      onclose: () => {
        dialog.remove();
        closed();
      },
    },
    h('h2', { id: 'session-title' }, title),
    h('p', { id: 'session-means' }, means),
    h('div', { class: 'actions' }, ...buttons),
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

async function warn() {
  await ask();
  if (!isNear() || warning || lock) return;
  const stay = h('button', { type: 'button', class: 'primary', onclick: () => void ask() }, 'Stay signed in');
  const leave = h('button', { type: 'button', class: 'plain', onclick: () => void signOutPerson() }, 'Sign out');
  const isMinute = nearMs() === warnMs;
  warning = open(
    isMinute ? 'You will be signed out in a minute' : 'You will be signed out soon',
    'You have not done anything for a while. What you typed stays here.',
    [stay, leave],
    () => (warning = undefined),
  );
  timer = setTimeout(() => void ask(), Math.max(0, deadline - Date.now()) + 500);
}

/** Covers the page. @param {Offer} [offer] */
function cover(offer) {
  clearTimeout(timer);
  warning?.close();
  if (lock) return;
  const { url = '/sign-in', issuer = 'the issuer' } = offer ?? {};
  const again = () => void window.open(`${url}?to=/console/signed-in.html`, 'leadgate-sign-in', windowForm);
  document.body.classList.add('locked');
  lock = open(
    'You are signed out',
    `Your session has ended. Sign in as ${session.name} to go on: what you typed is still here.`,
    [
      h('button', { type: 'button', class: 'primary', onclick: again }, `Sign in with ${issuer}`),
      h('button', { type: 'button', class: 'plain', onclick: () => location.reload() }, 'Leave this page'),
    ],
    // Whatever closes it, the page stays covered until the sign-in.
    () => {
      if (!lock) return;
      lock = undefined;
      cover(offer);
    },
  );
}

function lift() {
  const open = lock;
  lock = undefined;
  open?.close();
  document.body.classList.remove('locked');
}

// Escape would close the cover, and then the dialog with what was typed.
document.addEventListener('keydown', (event) => {
  if (lock && event.key === 'Escape') event.preventDefault();
});

hearTabs((what) => {
  if (what === 'signed-in' && lock) void ask();
  if (what === 'signed-out' && session.name) location.reload();
});
