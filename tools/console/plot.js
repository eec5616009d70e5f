/** Draws small charts over time, stacked bars and lines, without a library. */
import { h, svg } from './dom.js';

/**
 * @template Moment
 * @typedef {readonly (readonly [name: string, read: (moment: Moment) => number | undefined])[]} Series
 */

/**
 * @template Moment
 * @typedef {object} Chart
 * @property {string} title
 * @property {string} words
 * @property {readonly Moment[]} moments
 * @property {(moment: Moment) => string} label
 * @property {Series<Moment>} series
 */

const width = 400;
const height = 150;
const left = 56;
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

/** @template Moment @param {Chart<Moment>} chart @param {number} most @param {Node[]} drawn */
function frame({ title, words, moments, label, series }, most, drawn) {
  const grid = [0, most / 2, most].flatMap((value) => [
    svg('line', { x1: left, x2: width, y1: y(value, most), y2: y(value, most), class: 'grid' }),
    svg('text', { x: left - 6, y: y(value, most) + 4, 'text-anchor': 'end' }, Number.isInteger(value) ? value.toLocaleString() : ''),
  ]);
  const marks = moments.length > 2 ? [0, Math.floor(moments.length / 2), moments.length - 1] : [0];
  const labels = marks.flatMap((at, place) => {
    const moment = moments[at];
    if (moment === undefined) return [];
    const anchor = ['start', 'middle', 'end'][place];
    return [svg('text', { x: [left, x(at + 0.5, moments.length), width][place], y: height - 3, 'text-anchor': anchor }, label(moment))];
  });
  return h(
    'figure',
    { class: 'panel plot' },
    h('figcaption', {}, h('b', {}, title), ' ', h('span', { class: 'soft' }, words)),
    svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${title}: ${words}` }, ...grid, ...labels, ...drawn),
    h('p', { class: 'legend soft' }, ...series.map(([name]) => h('span', { class: `key ${classOf(name)}` }, name))),
  );
}

/** @param {string} name */
const classOf = (name) => `s-${name.replaceAll(/[^a-z0-9]/gi, '')}`;

/** @template Moment @param {Chart<Moment>} chart */
export function bars(chart) {
  const { moments, label, series } = chart;
  const most = ceiling(Math.max(...moments.map((moment) => series.reduce((sum, [, read]) => sum + (read(moment) ?? 0), 0))));
  const each = (width - left) / moments.length;
  const drawn = moments.flatMap((moment, at) => {
    let under = 0;
    return series.flatMap(([name, read]) => {
      const value = read(moment) ?? 0;
      if (value === 0) return [];
      const from = under;
      under += value;
      const words = svg('title', {}, `${label(moment)} — ${name}: ${value}`);
      return [
        svg(
          'rect',
          {
            x: x(at, moments.length) + 1,
            width: each - 2,
            y: y(under, most),
            height: y(from, most) - y(under, most),
            class: classOf(name),
          },
          words,
        ),
      ];
    });
  });
  return frame(chart, most, drawn);
}

/**
 * Draws lines. A moment without a value leaves a gap.
 * @template Moment @param {Chart<Moment>} chart
 */
export function lines(chart) {
  const { moments, label, series } = chart;
  const most = ceiling(Math.max(1, ...moments.flatMap((moment) => series.map(([, read]) => read(moment) ?? 0))));
  const drawn = series.flatMap(([name, read]) => {
    /** @type {string[]} */
    const path = [];
    let isDrawing = false;
    const dots = moments.flatMap((moment, at) => {
      const value = read(moment);
      if (value === undefined) {
        isDrawing = false;
        return [];
      }
      const place = [x(at + 0.5, moments.length), y(value, most)];
      path.push(`${isDrawing ? 'L' : 'M'}${place.map((one) => one.toFixed(1)).join(' ')}`);
      isDrawing = true;
      return [
        svg(
          'circle',
          { cx: place[0], cy: place[1], r: 2.5, class: classOf(name) },
          svg('title', {}, `${label(moment)} — ${name}: ${value} ms`),
        ),
      ];
    });
    return [svg('path', { d: path.join(''), class: `line ${classOf(name)}` }), ...dots];
  });
  return frame(chart, most, drawn);
}
