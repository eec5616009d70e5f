export { newestRun } from '../../src/leads/runs';
