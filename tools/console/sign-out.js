/** Signs a person out, here and at the issuer. */
import { post } from './api.js';

const channel = new BroadcastChannel('leadgate-session');

/** Tells the other tabs of this browser. @param {'signed-in' | 'signed-out'} what */
export function tellTabs(what) {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only pages of this origin get it
  channel.postMessage(what);
}

/** @param {(what: 'signed-in' | 'signed-out') => void} hear */
export const hearTabs = (hear) => channel.addEventListener('message', ({ data }) => hear(data));

const placeName = 'leadgate-place';

export const place = {
  /** Keeps what follows `#`, which may hold a search for a person, in this tab and not in an address that servers see. */
  keep: () => sessionStorage.setItem(placeName, location.hash),
  /** Returns to it. */
  restore() {
    const hash = sessionStorage.getItem(placeName);
    sessionStorage.removeItem(placeName);
    if (hash && !location.hash) history.replaceState(null, '', hash);
  },
};

export async function signOutPerson() {
  /** @type {{ url?: string }} */
  const { url } = await post('/sign-out', {});
  tellTabs('signed-out');
  location.replace(url ?? '/console');
}
