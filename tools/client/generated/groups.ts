/** Written by `npm run reference` from src/contract. */
import type { Calls } from '../types.ts';
import { taskBoard } from './task-board.ts';
import { recruitmentSystem } from './recruitment-system.ts';
import { leadForms } from './lead-forms.ts';
import { screeningPlatform } from './screening-platform.ts';
import { siteSystem } from './site-system.ts';
import { leads } from './leads.ts';
import { operators } from './operators.ts';
import { service } from './service.ts';

export const groupsOf = (calls: Calls) => ({
  taskBoard: taskBoard(calls),
  recruitmentSystem: recruitmentSystem(calls),
  leadForms: leadForms(calls),
  screeningPlatform: screeningPlatform(calls),
  siteSystem: siteSystem(calls),
  leads: leads(calls),
  operators: operators(calls),
  service: service(calls),
});
