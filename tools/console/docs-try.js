/** Adds a form to each route of the reference that sends a request. A real request needs an explicit tick. */
import { callerHeader, get } from './api.js';
import { showAnswer } from './docs-answer.js';
import { h, message } from './dom.js';

/**
 * @typedef {{ name: string, in: 'path' | 'query' | 'header', required: boolean, value: string }} Field
 * @typedef {{ method: string, path: string, fields: Field[], type?: string, body?: string, dryRun: boolean }} Route
 */

export function addForms() {
  for (const article of document.querySelectorAll('article')) {
    /** @type {Route} */
    const route = JSON.parse(article.dataset.form ?? '');
    const samples = article.querySelector('.samples');
    const button = h('button', { type: 'button', class: 'try', 'aria-expanded': 'false', onclick: toggle }, 'Try it');
    samples?.querySelector('fieldset')?.append(button);
    /** @type {HTMLElement | undefined} */
    let form;

    function toggle() {
      const isOpen = form?.isConnected;
      button.setAttribute('aria-expanded', String(!isOpen));
      if (isOpen) return form?.remove();
      form ??= formOf(article.id, route);
      samples?.after(form);
      form.querySelector('input, textarea, button')?.scrollIntoView({ block: 'nearest' });
    }
  }
}

/** @param {string} id @param {Route} route */
function formOf(id, route) {
  const inputs = route.fields.map((field) => ({
    field,
    input: h('input', {
      id: `${id}-try-${field.name}`,
      value: field.value,
      required: field.required,
      autocomplete: 'off',
      spellcheck: 'false',
    }),
  }));
  const body = route.body === undefined ? undefined : h('textarea', { id: `${id}-try-body`, rows: 12, spellcheck: 'false', class: 'id' });
  if (body) body.value = route.body ?? '';
  const tick = route.method === 'GET' ? undefined : h('input', { type: 'checkbox', required: !route.dryRun, onchange: label });
  const button = h('button', { class: 'primary' });
  const reach = h('div', {});
  const answer = h('div', { class: 'answer' });

  function label() {
    const isReal = Boolean(tick?.checked);
    button.textContent = !route.dryRun ? 'Send the request' : isReal ? 'Send the lead' : 'Send as a dry run';
    button.className = isReal ? 'grave' : 'primary';
  }

  /** @param {SubmitEvent} event */
  async function send(event) {
    event.preventDefault();
    const isDryRun = route.dryRun && !tick?.checked;
    const headers = {
      ...callerHeader(),
      ...(route.type && { 'content-type': route.type }),
      ...(isDryRun && { 'x-dry-run': 'true' }),
      ...Object.fromEntries(typed('header')),
    };
    button.disabled = true;
    answer.replaceChildren(h('p', { class: 'soft' }, 'Sending …'));
    await showAnswer(answer, address(), { method: route.method, headers, body: body?.value }, isDryRun);
    button.disabled = false;
    // Require a new tick before the next real request.
    if (tick) tick.checked = false;
    label();
  }

  /** @param {Field['in']} place */
  const typed = (place) =>
    inputs.flatMap(({ field, input }) => (field.in === place && input.value !== '' ? [[field.name, input.value]] : []));

  function address() {
    const values = new Map(inputs.map(({ field, input }) => [field.name, input.value]));
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values.get(name) ?? ''));
    const query = new URLSearchParams(typed('query')).toString();
    return query ? `${path}?${query}` : path;
  }

  label();
  if (tick) void tellReach(reach);
  return h(
    'form',
    { class: 'panel', 'aria-label': `Try ${route.method} ${route.path}`, onsubmit: send },
    inputs.length > 0 &&
      h(
        'div',
        { class: 'fields' },
        ...inputs.map(({ field, input }) => h('div', {}, h('label', { for: input.id }, `${field.name} (${field.in})`), input)),
      ),
    body && h('div', {}, h('label', { for: body.id }, 'Body'), body),
    tick &&
      h(
        'label',
        { class: 'choice' },
        tick,
        route.dryRun
          ? 'Send it for real. Without this tick, it is a dry run that sends nothing.'
          : 'Send it. This request may change something.',
      ),
    reach,
    h('div', { class: 'actions' }, button),
    answer,
  );
}

/** Shows which systems a request reaches: the sandbox or real ones. @param {HTMLElement} place */
async function tellReach(place) {
  /** @type {{ upstreams: { upstream: string, sandbox?: true }[] } | undefined} */
  const answer = await get('/api/upstreams').catch(() => undefined);
  const real = new Set(answer?.upstreams.flatMap(({ upstream, sandbox }) => (sandbox ? [] : [upstream])));
  const words = real.size > 0 ? `These upstreams are real: ${[...real].join(', ')}.` : 'The sandbox is used for every upstream.';
  place.replaceChildren(
    message(
      answer && real.size === 0 ? 'good' : 'warn',
      answer ? words : 'Assume that the upstreams are real: this key may not list them.',
    ),
  );
}
