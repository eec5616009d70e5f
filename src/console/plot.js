/** Draws small charts of the last hour, stacked bars and lines, without a library. */
import { h, svg } from './dom.js';
import { local } from './time.js';

/**
 * @typedef {import('./traffic.js').Minute} Minute
 * @typedef {readonly (readonly [name: string, read: (minute: Minute) => number | undefined])[]} Series
 */

const width = 400;
const height = 150;
const left = 44;
const bottom = 18;
const top = 8;

/** A round number at or above the largest value. @param {number} most */
function ceiling(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= most) ?? most;
}

/** @param {number} value @param {number} most */
const y = (value, most) => height - bottom - (value / most) * (height - bottom - top);
/** @param {number} at @param {number} of */
const x = (at, of) => left + (at / of) * (width - left);

/** @param {string} title @param {string} words @param {readonly Minute[]} minutes @param {Series} series @param {number} most @param {Node[]} drawn */
function frame(title, words, minutes, series, most, drawn) {
  const grid = [0, most / 2, most].flatMap((value) => [
    svg('line', { x1: left, x2: width, y1: y(value, most), y2: y(value, most), class: 'grid' }),
    svg('text', { x: left - 6, y: y(value, most) + 4, 'text-anchor': 'end' }, Number.isInteger(value) ? value.toLocaleString() : ''),
  ]);
  const moments = [0, 30, minutes.length - 1].map((at, place) => {
    const anchor = ['start', 'middle', 'end'][place];
    return svg(
      'text',
      { x: place === 2 ? width : x(at, minutes.length), y: height - 3, 'text-anchor': anchor },
      local(minutes[at]?.at ?? '').replace(/:\d\d(?=\D*$)/, ''),
    );
  });
  return h(
    'figure',
    { class: 'panel plot' },
    h('figcaption', {}, h('b', {}, title), ' ', h('span', { class: 'soft' }, words)),
    svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${title}: ${words}` }, ...grid, ...moments, ...drawn),
    h('p', { class: 'legend soft' }, ...series.map(([name]) => h('span', { class: `key ${classOf(name)}` }, name))),
  );
}

/** @param {string} name */
const classOf = (name) => `s-${name.replaceAll(/[^a-z0-9]/gi, '')}`;

/** @param {string} title @param {string} words @param {readonly Minute[]} minutes @param {Series} series */
export function bars(title, words, minutes, series) {
  const most = ceiling(Math.max(...minutes.map((minute) => series.reduce((sum, [, read]) => sum + (read(minute) ?? 0), 0))));
  const each = (width - left) / minutes.length;
  const drawn = minutes.flatMap((minute, at) => {
    let under = 0;
    return series.flatMap(([name, read]) => {
      const value = read(minute) ?? 0;
      if (value === 0) return [];
      const from = under;
      under += value;
      const label = svg('title', {}, `${local(minute.at)} — ${name}: ${value}`);
      return [
        svg(
          'rect',
          {
            x: x(at, minutes.length) + 1,
            width: each - 2,
            y: y(under, most),
            height: y(from, most) - y(under, most),
            class: classOf(name),
          },
          label,
        ),
      ];
    });
  });
  return frame(title, words, minutes, series, most, drawn);
}

/** Draws lines. A minute without a value breaks the line, so nothing is drawn that was not measured. @param {string} title @param {string} words @param {readonly Minute[]} minutes @param {Series} series */
export function lines(title, words, minutes, series) {
  const most = ceiling(Math.max(1, ...minutes.flatMap((minute) => series.map(([, read]) => read(minute) ?? 0))));
  const drawn = series.flatMap(([name, read]) => {
    /** @type {string[]} */
    const path = [];
    let isDrawing = false;
    const dots = minutes.flatMap((minute, at) => {
      const value = read(minute);
      if (value === undefined) {
        isDrawing = false;
        return [];
      }
      const place = [x(at + 0.5, minutes.length), y(value, most)];
      path.push(`${isDrawing ? 'L' : 'M'}${place.map((one) => one.toFixed(1)).join(' ')}`);
      isDrawing = true;
      return [
        svg(
          'circle',
          { cx: place[0], cy: place[1], r: 2.5, class: classOf(name) },
          svg('title', {}, `${local(minute.at)} — ${name}: ${value} ms`),
        ),
      ];
    });
    return [svg('path', { d: path.join(''), class: `line ${classOf(name)}` }), ...dots];
  });
  return frame(title, words, minutes, series, most, drawn);
}
