/** Written by `npm run reference` from src/domain/events.ts. */
export const events = [
  {
    name: 'Accepted',
    value: 'lead.accepted'
  },
  {
    name: 'Delivered',
    value: 'lead.delivered'
  },
  {
    name: 'Discarded',
    value: 'lead.discarded'
  },
  {
    name: 'Failed',
    value: 'lead.failed'
  },
  {
    name: 'Parked',
    value: 'lead.parked'
  },
  {
    name: 'Redriven',
    value: 'lead.redriven'
  },
  {
    name: 'Skipped',
    value: 'lead.skipped'
  }
];
