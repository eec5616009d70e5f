/** Lists every command, in the order of the help. */
import { alertsTest } from './alerts';
import { audits } from './audit';
import { backup } from './backup';
import type { Command } from './command';
import { completion } from './completion';
import { deployments } from './deploy';
import { doctor } from './doctor';
import { erase } from './erase';
import { fixture } from './fixture';
import { importLeads } from './import';
import { keyCommands } from './keys';
import { leadDecisions } from './lead-decide';
import { eventCommands } from './lead-events';
import { leadDossier } from './lead-dossier';
import { leadFind } from './lead-find';
import { leadSend } from './lead-send';
import { leadShow } from './lead-show';
import { leadWatch } from './lead-watch';
import { leadsCount } from './leads-count';
import { leadsHistory } from './leads-history';
import { leadsOrders } from './leads-order';
import { reconcile } from './reconcile';
import { replay } from './replay';
import { restore } from './restore';
import { sitesCheck } from './sites';
import { tail } from './tail';
import { upstreamCommands } from './upstreams';
import { verifyReleaseCommand } from './verify-release';
import { whatIf } from './what-if';

export const commands: readonly Command[] = [
  leadSend,
  importLeads,
  leadFind,
  leadShow,
  leadWatch,
  tail,
  ...leadDecisions,
  ...eventCommands,
  leadsCount,
  leadsHistory,
  ...leadsOrders,
  reconcile,
  replay,
  fixture,
  whatIf,
  ...deployments,
  doctor,
  sitesCheck,
  ...upstreamCommands,
  alertsTest,
  backup,
  restore,
  ...audits,
  verifyReleaseCommand,
  leadDossier,
  erase,
  ...keyCommands,
  completion,
];
