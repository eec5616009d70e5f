/** Creates the start page of the sandbox from the tables of calls and effects. */
import type { Simulator } from './call';
import { controls } from './controls';
import { effects } from './effects';
import { repeats } from './sentinels';

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const prose = (text: string) => escape(text).replace(/`([^`]+)`/g, '<code>$1</code>');
const code = (text: string) => `<code>${escape(text)}</code>`;

function table(heads: string[], rows: string[][]): string {
  const head = heads.map((text) => `<th>${text}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
  return `<table><tr>${head}</tr>\n${body}</table>`;
}

const callTable = ({ calls }: Simulator) =>
  table(
    ['call', 'path', 'what it does', 'reads sentinels from'],
    calls.map(({ name, method, path, about, readsSentinelsFrom }) => [
      code(name),
      code(`${method.toUpperCase()} ${path}`),
      prose(about),
      prose(readsSentinelsFrom),
    ]),
  );

export function indexPage(simulators: Simulator[]): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Leadgate sandbox</title>
<style>body{font:16px/1.5 system-ui;max-width:75em;margin:2em auto;padding:0 1em}td,th{text-align:left;padding:.15em 1em .15em 0;vertical-align:top}</style>
<h1>Leadgate sandbox</h1>
<p>Simulators of the systems behind the gateway. Nothing sent here reaches a real system. All data is in memory until a reset or the end of the process.</p>
${simulators.map((simulator) => `<h2>${escape(simulator.name)}</h2>\n${callTable(simulator)}`).join('\n')}
<h2>Failures on purpose</h2>
<p>Put a word like ${code('v1-reset-after')} into the e-mail (${code('ann+v1-reset-after@example.org')}), the instance (${code('erg-oct.key-500')}) or the comment:
the name of the call, a hyphen, and an effect, optionally followed by ${repeats.map(({ name, about }) => `${code(name)} (${about})`).join(', ')}.</p>
${table(
  ['effect', 'stored', 'what happens'],
  effects.map(({ name, stored, about }) => [code(name), stored, prose(about)]),
)}
<h2>The sandbox itself</h2>
${table(
  ['path', 'what it does'],
  controls.map(({ method, path, about }) => [code(`${method.toUpperCase()} ${path}`), prose(about)]),
)}
</html>
`;
}
