/** Writes a copy for an inspector, and prints what was written. The commands that copy share it. */
import { apiUrl, type Config } from '../../src/config/config';
import { version } from '../../src/config/version';
import { codeOf } from '../../src/lib/errors';
import type { Leadgate } from '../client';
import type { About, Manifest } from '../copies/manifest';
import { verifyCopy } from '../copies/verify';
import { writeCopy, type Entries, type Form } from '../copies/write';
import { CommandError, statuses, throwAsCommandError, type ExitStatus, type Io, type Option } from './command';
import { json, pluralize } from './print';
import { program } from './program';
import { loadSigner } from './signing-key';

export const out = {
  type: 'string',
  value: 'dir',
  required: true,
  file: true,
  about: 'a new directory for the copy',
} as const satisfies Option;

interface Copy<Entry> {
  readonly dir: string;
  readonly form: Form<Entry>;
  readonly about: Pick<About, 'what' | 'since' | 'until' | 'leadId' | 'clear'>;
  entriesIn(dir: string): Entries<Entry>;
}

interface CopyCall {
  readonly io: Io;
  readonly config: Config;
  readonly gateway: Leadgate;
  readonly options: { readonly json?: boolean };
}

/** Verifies the copy after it is written. A copy with a problem is reported, and stays for a look at it. */
export async function copyTo<Entry extends object>(
  { io, config, gateway, options }: CopyCall,
  { dir, form, about, entriesIn }: Copy<Entry>,
): Promise<ExitStatus> {
  const signer = loadSigner(config);
  const { name: who } = await gateway.operators.getCaller();
  const madeAt = new Date().toISOString();
  const whole: About = { ...about, service: apiUrl(config), madeAt, madeBy: `leadgate ${version}`, who };
  const manifest = await writeCopy(dir, whole, form, entriesIn, signer).catch((error: unknown) => {
    if (codeOf(error) === 'EEXIST') throw new CommandError(`${dir} exists: each copy needs a new directory`);
    return throwAsCommandError(error);
  });
  const { problems, notes } = await verifyCopy(dir, signer.fingerprint);
  const isWhole = problems.length === 0;
  if (options.json) io.out(json({ success: isWhole, dir, manifest, problems, notes }));
  else io.out([...problems, ...notes.map((note) => `note: ${note}`)].map((line) => `${line}\n`).join('') + madeLines(dir, manifest));
  return isWhole ? statuses.done : statuses.no;
}

const madeLines = (dir: string, { entries, signer: { fingerprint } }: Manifest): string =>
  `${dir}: ${pluralize(entries, 'entry', 'entries')}
signed with the key ${fingerprint}
Give the inspector this fingerprint by another way than the copy. To verify the copy anywhere:
  ${program} audit verify ${dir} --key ${fingerprint}
`;
