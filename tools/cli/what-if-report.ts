/** Formats the effect of new settings, for `leadgate what-if`. */
import { effects, type ChangeGroup, type SettingsEffect, type SettingsEffects, type ProblemGroup } from './what-if-effects';
import type { Io } from './command';
import { columns, pluralize, heading, onOneLine, shortTime } from './print';

interface ComparisonScope {
  readonly since: string;
  readonly flows: readonly string[];
  readonly looked: number;
}

const words: Readonly<Record<SettingsEffect, string>> = {
  same: 'are unchanged',
  changed: 'would be sent differently',
  becomesInvalid: 'become invalid',
  becomesValid: 'become valid',
  staysInvalid: 'are invalid before and after',
};

export function effectLines(io: Io, { since, flows, looked }: ComparisonScope, { counts, changes, problems }: SettingsEffects): string {
  const rows = effects.map((effect) => [`  ${counts[effect]}`, words[effect]]);
  const parts = [
    [`${words.becomesInvalid}, because`, problems.becomesInvalid.map(problemRow)],
    [`${words.becomesValid}; before, because`, problems.becomesValid.map(problemRow)],
    [`${words.staysInvalid}, because`, problems.staysInvalid.map(problemRow)],
    [words.changed, changes.map(changeRow)],
  ] as const;
  return [
    `${pluralize(looked, 'lead')} of ${flows.join(', ')} since ${shortTime(since)}\n${columns(rows)}\n`,
    ...parts.flatMap(([title, lines]) => (lines.length > 0 ? [`\n${heading(io, `Leads that ${title}`)}\n${columns(lines)}\n`] : [])),
  ].join('');
}

const value = (shown: unknown): string =>
  shown === undefined ? '(not sent)' : onOneLine(typeof shown === 'string' ? shown : JSON.stringify(shown));

const which = ({ count, leadIds }: Pick<ChangeGroup, 'count' | 'leadIds'>): string =>
  `${leadIds.join(', ')}${count > leadIds.length ? ', …' : ''}`;

const changeRow = (group: ChangeGroup): string[] => [
  `  ${group.count}`,
  group.flow,
  `${group.field}: ${value(group.before)} → ${value(group.after)}`,
  which(group),
];

const problemRow = (group: ProblemGroup): string[] => [
  `  ${group.count}`,
  group.flow,
  [group.field, group.given !== undefined && `(${value(group.given)})`, group.message].filter(Boolean).join(' '),
  which(group),
];
