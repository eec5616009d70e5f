/**
 * Notices whether the person does something. Each request of a session says so, because the requests that a page sends by itself must not
 * keep the session open.
 */

// Opening the page is an act.
let hasActed = true;

for (const type of ['pointerdown', 'keydown', 'wheel'])
  document.addEventListener(type, () => void (hasActed = true), { capture: true, passive: true });

/** `act` if the person did something since the last call. */
export function takeMark() {
  const mark = hasActed ? 'act' : 'look';
  hasActed = false;
  return mark;
}
