/** Written by `npm run reference` from src/contract. */
import type { INodeProperties } from 'n8n-workflow';

export const lead: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ]
      }
    },
    options: [
      {
        name: 'Apply Reconciliation',
        value: 'applyReconciliation',
        action: 'Apply reconciliation',
        description: 'Carry out the proposals of a reconciliation as one decision: confirm or resend its parked leads; without count, only count them'
      },
      {
        name: 'Confirm Lead',
        value: 'confirmLead',
        action: 'Confirm lead',
        description: 'Confirm that the parked step arrived, and continue with the upstream\'s ID'
      },
      {
        name: 'Count Leads',
        value: 'countLeads',
        action: 'Count leads',
        description: 'Count the leads in each state; with groups=true, also by error code and upstream'
      },
      {
        name: 'Count Leads By Day',
        value: 'countLeadsByDay',
        action: 'Count leads by day',
        description: 'Count the leads received on each day, in UTC, by their current state; a redriven lead counts once'
      },
      {
        name: 'Discard Lead',
        value: 'discardLead',
        action: 'Discard lead',
        description: 'End a parked or waiting lead, which is not sent again'
      },
      {
        name: 'Get Decision',
        value: 'getDecision',
        action: 'Get decision',
        description: 'Get the progress of a decision about many leads, and the outcome of each lead'
      },
      {
        name: 'Get Events',
        value: 'getEvents',
        action: 'Get events',
        description: 'List the events of a lead with their deliveries'
      },
      {
        name: 'Get Exchanges',
        value: 'getExchanges',
        action: 'Get exchanges',
        description: 'Get the requests that were sent for a lead and their answers, masked; in clear with clear=true, which the audit trail records'
      },
      {
        name: 'Get Lead',
        value: 'getLead',
        action: 'Get lead',
        description: 'Get a lead with its steps; wait=N waits up to N seconds for its end'
      },
      {
        name: 'Get Reconciliation',
        value: 'getReconciliation',
        action: 'Get reconciliation',
        description: 'Get the progress of a reconciliation, its counts and its findings'
      },
      {
        name: 'Get Redrive',
        value: 'getRedrive',
        action: 'Get redrive',
        description: 'Get the progress of a redrive, and the outcome of each lead'
      },
      {
        name: 'Get Resend',
        value: 'getResend',
        action: 'Get resend',
        description: 'Get the progress of a resend of events, and the outcome of each lead'
      },
      {
        name: 'Get Traffic',
        value: 'getTraffic',
        action: 'Get traffic',
        description: 'Get the number of leads and task-board calls that this process answered in each minute of the last hour, with their latency'
      },
      {
        name: 'List Decisions',
        value: 'listDecisions',
        action: 'List decisions',
        description: 'List decisions about many leads, newest first'
      },
      {
        name: 'List Deliveries',
        value: 'listDeliveries',
        action: 'List deliveries',
        description: 'List the deliveries of events over all leads: the lead whose events were posted last comes first, and its newest event'
      },
      {
        name: 'List Leads',
        value: 'listLeads',
        action: 'List leads',
        description: 'List the leads that the filter matches, newest attempt first'
      },
      {
        name: 'List Reconciliations',
        value: 'listReconciliations',
        action: 'List reconciliations',
        description: 'List reconciliations, newest first'
      },
      {
        name: 'List Redrives',
        value: 'listRedrives',
        action: 'List redrives',
        description: 'List redrives of many leads, newest first'
      },
      {
        name: 'List Resends',
        value: 'listResends',
        action: 'List resends',
        description: 'List resends of events of many leads, newest first'
      },
      {
        name: 'List Upstreams',
        value: 'listUpstreams',
        action: 'List upstreams',
        description: 'List the upstreams with their states (open, paused, or held because they fail) and the number of waiting leads'
      },
      {
        name: 'Pause Upstream',
        value: 'pauseUpstream',
        action: 'Pause upstream',
        description: 'Pause an upstream until an operator resumes it; after the answer, no further lead is sent to it'
      },
      {
        name: 'Redrive Lead',
        value: 'redriveLead',
        action: 'Redrive lead',
        description: 'Redrive a failed lead, or a waiting one with corrected fields'
      },
      {
        name: 'Resend Lead',
        value: 'resendLead',
        action: 'Resend lead',
        description: 'Send the parked step again'
      },
      {
        name: 'Resume Upstream',
        value: 'resumeUpstream',
        action: 'Resume upstream',
        description: 'Resume a paused upstream; the waiting leads are sent'
      },
      {
        name: 'Send Event Again',
        value: 'sendEventAgain',
        action: 'Send event again',
        description: 'Send one event of a lead again, with its original webhook ID'
      },
      {
        name: 'Send Events Again',
        value: 'sendEventsAgain',
        action: 'Send events again',
        description: 'Send all events of a lead again, each with its original webhook ID'
      },
      {
        name: 'Start Decision',
        value: 'startDecision',
        action: 'Start decision',
        description: 'Resend or discard the parked leads that a filter matches, or discard waiting ones; without count, only count them'
      },
      {
        name: 'Start Reconciliation',
        value: 'startReconciliation',
        action: 'Start reconciliation',
        description: 'Compare delivered and parked leads with what the site system holds; nothing is sent or changed'
      },
      {
        name: 'Start Redrive',
        value: 'startRedrive',
        action: 'Start redrive',
        description: 'Redrive the failed leads that a filter matches, or waiting ones with corrected fields; without count, only count them'
      },
      {
        name: 'Start Resend',
        value: 'startResend',
        action: 'Start resend',
        description: 'Send the events again whose delivery was given up; without count, only count their leads'
      },
      {
        name: 'Stop Decision',
        value: 'stopDecision',
        action: 'Stop decision',
        description: 'Stop a decision; leads that are already decided continue, the others are unchanged'
      },
      {
        name: 'Stop Reconciliation',
        value: 'stopReconciliation',
        action: 'Stop reconciliation',
        description: 'Stop a reconciliation; its findings so far remain'
      },
      {
        name: 'Stop Redrive',
        value: 'stopRedrive',
        action: 'Stop redrive',
        description: 'Stop a redrive; leads that are already started continue, the others are unchanged'
      },
      {
        name: 'Stop Resend',
        value: 'stopResend',
        action: 'Stop resend',
        description: 'Stop a resend of events; those of the leads that it has not reached stay given up'
      },
      {
        name: 'Try Lead',
        value: 'tryLead',
        action: 'Try lead',
        description: 'Try a waiting lead now; if its upstream is held, the next lead in line is tried'
      }
    ],
    default: 'applyReconciliation'
  },
  {
    displayName: 'Lead ID',
    name: 'leadId',
    type: 'string',
    default: '',
    description: 'The ID of the lead, as an answer returned it',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'getLead',
          'getExchanges',
          'getEvents',
          'sendEventsAgain',
          'sendEventAgain',
          'resendLead',
          'confirmLead',
          'discardLead',
          'tryLead',
          'redriveLead'
        ]
      }
    }
  },
  {
    displayName: 'Event ID',
    name: 'eventId',
    type: 'string',
    default: '',
    description: 'The ID of the event, as a list returned it',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'sendEventAgain'
        ]
      }
    }
  },
  {
    displayName: 'Reason',
    name: 'reason',
    type: 'string',
    default: '',
    description: 'The reason, as free text; stored encrypted, with the run and with the audit trail',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'resendLead',
          'confirmLead',
          'discardLead',
          'tryLead',
          'redriveLead',
          'startRedrive',
          'stopRedrive',
          'startDecision',
          'stopDecision',
          'stopReconciliation',
          'applyReconciliation',
          'startResend',
          'stopResend'
        ]
      }
    }
  },
  {
    displayName: 'Upstream ID',
    name: 'upstreamId',
    type: 'string',
    default: '',
    description: 'The ID of the lead in the upstream, such as its PatientID; for a comment only the PatientID in rtResponse',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'confirmLead'
        ]
      }
    }
  },
  {
    displayName: 'Filter',
    name: 'filter',
    type: 'json',
    default: '{}',
    description: 'Selects failed or waiting leads; empty for every failed lead',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'startRedrive'
        ]
      }
    }
  },
  {
    displayName: 'Redrive ID',
    name: 'redriveId',
    type: 'string',
    default: '',
    description: 'The ID that the start of the redrive returned',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'getRedrive',
          'stopRedrive'
        ]
      }
    }
  },
  {
    displayName: 'Filter',
    name: 'filter',
    type: 'json',
    default: '{}',
    description: 'Selects parked or waiting leads; empty for every parked lead',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'startDecision'
        ]
      }
    }
  },
  {
    displayName: 'Verb',
    name: 'verb',
    type: 'options',
    options: [
      {
        name: 'Discard',
        value: 'discard'
      },
      {
        name: 'Resend',
        value: 'resend'
      }
    ],
    default: 'discard',
    description: 'Resend: send the parked step again, only for parked leads; discard: end the lead, which is not sent again',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'startDecision'
        ]
      }
    }
  },
  {
    displayName: 'Decision ID',
    name: 'decisionId',
    type: 'string',
    default: '',
    description: 'The ID that the start of the decision returned',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'getDecision',
          'stopDecision'
        ]
      }
    }
  },
  {
    displayName: 'Since',
    name: 'since',
    type: 'string',
    default: '',
    description: 'Compare leads that were received or redriven at this time or later, ISO 8601',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'startReconciliation'
        ]
      }
    }
  },
  {
    displayName: 'Reconciliation ID',
    name: 'reconciliationId',
    type: 'string',
    default: '',
    description: 'The ID that the start of the reconciliation returned',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'getReconciliation',
          'stopReconciliation',
          'applyReconciliation'
        ]
      }
    }
  },
  {
    displayName: 'Filter',
    name: 'filter',
    type: 'json',
    default: '{}',
    description: 'Selects deliveries that were given up; empty for all',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'startResend'
        ]
      }
    }
  },
  {
    displayName: 'Resend ID',
    name: 'resendId',
    type: 'string',
    default: '',
    description: 'The ID that the start of the resend returned',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'getResend',
          'stopResend'
        ]
      }
    }
  },
  {
    displayName: 'Upstream',
    name: 'upstream',
    type: 'options',
    options: [
      {
        name: 'Key Service',
        value: 'key-service'
      },
      {
        name: 'Leadforms',
        value: 'leadforms'
      },
      {
        name: 'Recruitment',
        value: 'recruitment'
      },
      {
        name: 'Screening',
        value: 'screening'
      },
      {
        name: 'V1',
        value: 'V1'
      },
      {
        name: 'V2',
        value: 'V2'
      }
    ],
    default: 'key-service',
    description: 'Name of the upstream',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'pauseUpstream',
          'resumeUpstream'
        ]
      }
    }
  },
  {
    displayName: 'Reason',
    name: 'reason',
    type: 'string',
    default: '',
    description: 'The reason, as free text; stored encrypted, and returned with the upstreams',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'pauseUpstream',
          'resumeUpstream'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Days',
        name: 'days',
        type: 'string',
        default: '',
        description: 'Number of days including today, 1 to 30; at most as many as the engine retains closed runs'
      },
      {
        displayName: 'Flow',
        name: 'flow',
        type: 'options',
        options: [
          {
            name: 'Leadforms',
            value: 'leadforms'
          },
          {
            name: 'Leadforms Sandbox',
            value: 'leadforms-sandbox'
          },
          {
            name: 'No Prescreen',
            value: 'no-prescreen'
          },
          {
            name: 'Recruit',
            value: 'recruit'
          },
          {
            name: 'Screening',
            value: 'screening'
          },
          {
            name: 'With Prescreen',
            value: 'with-prescreen'
          }
        ],
        default: 'leadforms',
        description: 'Count only leads of this flow'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'countLeadsByDay'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Code',
        name: 'code',
        type: 'options',
        options: [
          {
            name: 'Config Error',
            value: 'CONFIG_ERROR'
          },
          {
            name: 'Outcome Unknown',
            value: 'OUTCOME_UNKNOWN'
          },
          {
            name: 'Possible Repeat',
            value: 'POSSIBLE_REPEAT'
          },
          {
            name: 'Rate Limited',
            value: 'RATE_LIMITED'
          },
          {
            name: 'Run Ended',
            value: 'RUN_ENDED'
          },
          {
            name: 'Unauthorized',
            value: 'UNAUTHORIZED'
          },
          {
            name: 'Upstream Error',
            value: 'UPSTREAM_ERROR'
          },
          {
            name: 'Upstream Paused',
            value: 'UPSTREAM_PAUSED'
          },
          {
            name: 'Upstream Rejected',
            value: 'UPSTREAM_REJECTED'
          }
        ],
        default: 'CONFIG_ERROR',
        description: 'Only leads that wait, are parked or failed with this error code'
      },
      {
        displayName: 'Email',
        name: 'email',
        type: 'string',
        default: '',
        placeholder: 'name@email.com',
        description: 'Only leads with this email, in any case'
      },
      {
        displayName: 'Flow',
        name: 'flow',
        type: 'string',
        default: '',
        description: 'Only leads of this flow, such as no-prescreen or recruit'
      },
      {
        displayName: 'Groups',
        name: 'groups',
        type: 'options',
        options: [
          {
            name: 'False',
            value: 'false'
          },
          {
            name: 'True',
            value: 'true'
          }
        ],
        default: 'false',
        description: 'True: also count by state, error code and upstream'
      },
      {
        displayName: 'Import ID',
        name: 'importId',
        type: 'string',
        default: '',
        description: 'Only leads of this import'
      },
      {
        displayName: 'Instance Name',
        name: 'instanceName',
        type: 'string',
        default: '',
        description: 'Only leads of this instance of the site system'
      },
      {
        displayName: 'Patient ID',
        name: 'patientId',
        type: 'string',
        default: '',
        description: 'Only the lead with this ID in the upstream'
      },
      {
        displayName: 'Phone',
        name: 'phone',
        type: 'string',
        default: '',
        description: 'Only leads with this phone, in any punctuation'
      },
      {
        displayName: 'Protocol',
        name: 'protocol',
        type: 'string',
        default: '',
        description: 'Only leads of this protocol'
      },
      {
        displayName: 'Reference',
        name: 'reference',
        type: 'string',
        default: '',
        description: 'Only the lead that was sent with this Idempotency-Key; each caller may have one'
      },
      {
        displayName: 'Repeated Within',
        name: 'repeatedWithin',
        type: 'string',
        default: '',
        description: 'Only leads that were sent twice: they came again within this time, such as 10m or 24h, after the end of a lead with the same body and without an Idempotency-Key, which had not failed or been discarded'
      },
      {
        displayName: 'Restored',
        name: 'restored',
        type: 'options',
        options: [
          {
            name: 'True',
            value: 'true'
          }
        ],
        default: 'true',
        description: 'True: only leads that were open in the restored backup'
      },
      {
        displayName: 'Since',
        name: 'since',
        type: 'string',
        default: '',
        description: 'Only leads that were received or redriven at this time or later, ISO 8601'
      },
      {
        displayName: 'Site',
        name: 'site',
        type: 'string',
        default: '',
        description: 'Only leads of this site, by name or slug'
      },
      {
        displayName: 'Study ID',
        name: 'studyId',
        type: 'string',
        default: '',
        description: 'Only leads of this study'
      },
      {
        displayName: 'Until',
        name: 'until',
        type: 'string',
        default: '',
        description: 'Only leads that were received or redriven at this time or earlier, ISO 8601'
      },
      {
        displayName: 'Upstream',
        name: 'upstream',
        type: 'options',
        options: [
          {
            name: 'Key Service',
            value: 'key-service'
          },
          {
            name: 'Leadforms',
            value: 'leadforms'
          },
          {
            name: 'Recruitment',
            value: 'recruitment'
          },
          {
            name: 'Screening',
            value: 'screening'
          },
          {
            name: 'V1',
            value: 'V1'
          },
          {
            name: 'V2',
            value: 'V2'
          }
        ],
        default: 'key-service',
        description: 'Only leads that wait, are parked or failed because of this upstream'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'countLeads'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Changed Since',
        name: 'changedSince',
        type: 'string',
        default: '',
        description: 'Only leads that were received or changed at this time or later, ISO 8601'
      },
      {
        displayName: 'Code',
        name: 'code',
        type: 'options',
        options: [
          {
            name: 'Config Error',
            value: 'CONFIG_ERROR'
          },
          {
            name: 'Outcome Unknown',
            value: 'OUTCOME_UNKNOWN'
          },
          {
            name: 'Possible Repeat',
            value: 'POSSIBLE_REPEAT'
          },
          {
            name: 'Rate Limited',
            value: 'RATE_LIMITED'
          },
          {
            name: 'Run Ended',
            value: 'RUN_ENDED'
          },
          {
            name: 'Unauthorized',
            value: 'UNAUTHORIZED'
          },
          {
            name: 'Upstream Error',
            value: 'UPSTREAM_ERROR'
          },
          {
            name: 'Upstream Paused',
            value: 'UPSTREAM_PAUSED'
          },
          {
            name: 'Upstream Rejected',
            value: 'UPSTREAM_REJECTED'
          }
        ],
        default: 'CONFIG_ERROR',
        description: 'Only leads that wait, are parked or failed with this error code'
      },
      {
        displayName: 'Cursor',
        name: 'cursor',
        type: 'string',
        default: '',
        description: 'NextCursor of the previous page'
      },
      {
        displayName: 'Email',
        name: 'email',
        type: 'string',
        default: '',
        placeholder: 'name@email.com',
        description: 'Only leads with this email, in any case'
      },
      {
        displayName: 'Flow',
        name: 'flow',
        type: 'string',
        default: '',
        description: 'Only leads of this flow, such as no-prescreen or recruit'
      },
      {
        displayName: 'Import ID',
        name: 'importId',
        type: 'string',
        default: '',
        description: 'Only leads of this import'
      },
      {
        displayName: 'Instance Name',
        name: 'instanceName',
        type: 'string',
        default: '',
        description: 'Only leads of this instance of the site system'
      },
      {
        displayName: 'Limit',
        name: 'limit',
        type: 'string',
        default: '',
        description: 'Leads per page, 1 to 200; default 50'
      },
      {
        displayName: 'Patient ID',
        name: 'patientId',
        type: 'string',
        default: '',
        description: 'Only the lead with this ID in the upstream'
      },
      {
        displayName: 'Phone',
        name: 'phone',
        type: 'string',
        default: '',
        description: 'Only leads with this phone, in any punctuation'
      },
      {
        displayName: 'Protocol',
        name: 'protocol',
        type: 'string',
        default: '',
        description: 'Only leads of this protocol'
      },
      {
        displayName: 'Reference',
        name: 'reference',
        type: 'string',
        default: '',
        description: 'Only the lead that was sent with this Idempotency-Key; each caller may have one'
      },
      {
        displayName: 'Repeated Within',
        name: 'repeatedWithin',
        type: 'string',
        default: '',
        description: 'Only leads that were sent twice: they came again within this time, such as 10m or 24h, after the end of a lead with the same body and without an Idempotency-Key, which had not failed or been discarded'
      },
      {
        displayName: 'Restored',
        name: 'restored',
        type: 'options',
        options: [
          {
            name: 'True',
            value: 'true'
          }
        ],
        default: 'true',
        description: 'True: only leads that were open in the restored backup'
      },
      {
        displayName: 'Since',
        name: 'since',
        type: 'string',
        default: '',
        description: 'Only leads that were received or redriven at this time or later, ISO 8601'
      },
      {
        displayName: 'Site',
        name: 'site',
        type: 'string',
        default: '',
        description: 'Only leads of this site, by name or slug'
      },
      {
        displayName: 'State',
        name: 'state',
        type: 'options',
        options: [
          {
            name: 'Delivered',
            value: 'delivered'
          },
          {
            name: 'Discarded',
            value: 'discarded'
          },
          {
            name: 'Failed',
            value: 'failed'
          },
          {
            name: 'Parked',
            value: 'parked'
          },
          {
            name: 'Running',
            value: 'running'
          },
          {
            name: 'Skipped',
            value: 'skipped'
          },
          {
            name: 'Verifying',
            value: 'verifying'
          },
          {
            name: 'Waiting',
            value: 'waiting'
          }
        ],
        default: 'delivered',
        description: 'Only leads in this state'
      },
      {
        displayName: 'Study ID',
        name: 'studyId',
        type: 'string',
        default: '',
        description: 'Only leads of this study'
      },
      {
        displayName: 'Until',
        name: 'until',
        type: 'string',
        default: '',
        description: 'Only leads that were received or redriven at this time or earlier, ISO 8601'
      },
      {
        displayName: 'Upstream',
        name: 'upstream',
        type: 'options',
        options: [
          {
            name: 'Key Service',
            value: 'key-service'
          },
          {
            name: 'Leadforms',
            value: 'leadforms'
          },
          {
            name: 'Recruitment',
            value: 'recruitment'
          },
          {
            name: 'Screening',
            value: 'screening'
          },
          {
            name: 'V1',
            value: 'V1'
          },
          {
            name: 'V2',
            value: 'V2'
          }
        ],
        default: 'key-service',
        description: 'Only leads that wait, are parked or failed because of this upstream'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'listLeads'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Clear',
        name: 'clear',
        type: 'options',
        options: [
          {
            name: 'False',
            value: 'false'
          },
          {
            name: 'True',
            value: 'true'
          }
        ],
        default: 'false',
        description: 'False: always mask the result. Otherwise the key that sent the lead and operators get it in clear, and the audit trail records the read.'
      },
      {
        displayName: 'Wait',
        name: 'wait',
        type: 'string',
        default: '',
        description: 'Seconds to wait for the end of the lead, at most 60'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'getLead'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Attempt',
        name: 'attempt',
        type: 'string',
        default: '',
        description: 'Number of the attempt; default: the newest'
      },
      {
        displayName: 'Clear',
        name: 'clear',
        type: 'options',
        options: [
          {
            name: 'False',
            value: 'false'
          },
          {
            name: 'True',
            value: 'true'
          }
        ],
        default: 'false',
        description: 'True: in clear; the audit trail records the read'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'getExchanges'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Receiver',
        name: 'receiver',
        type: 'options',
        options: [
          {
            name: 'Callback',
            value: 'callback'
          },
          {
            name: 'Webhook',
            value: 'webhook'
          }
        ],
        default: 'callback',
        description: 'Only to this receiver; default: to each'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'sendEventAgain'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Upstream ID',
        name: 'upstreamId',
        type: 'string',
        default: '',
        description: 'Accepted and ignored: only confirm uses it'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'resendLead',
          'discardLead'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Fields',
        name: 'fields',
        type: 'json',
        default: '{}',
        description: 'Corrected input fields, named as in the lead\'s route; required for a waiting lead'
      },
      {
        displayName: 'Not There',
        name: 'notThere',
        type: 'boolean',
        default: false,
        description: 'Whether to turn it on. True: confirms that a lead whose run was ended outside of Leadgate (RUN_ENDED) is not in the upstream.'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'redriveLead'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Count',
        name: 'count',
        type: 'string',
        default: '',
        description: 'The number of leads that the filter matches, from the answer to a request without count'
      },
      {
        displayName: 'Fields',
        name: 'fields',
        type: 'json',
        default: '{}',
        description: 'Corrected input fields for all of them, named as in the leads\' routes; required for waiting leads'
      },
      {
        displayName: 'Not There',
        name: 'notThere',
        type: 'boolean',
        default: false,
        description: 'Whether to turn it on. True: confirms that a lead whose run was ended outside of Leadgate (RUN_ENDED) is not in the upstream.'
      },
      {
        displayName: 'Rate Per S',
        name: 'ratePerS',
        type: 'string',
        default: '',
        description: 'Maximum number of leads per second'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'startRedrive'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Cursor',
        name: 'cursor',
        type: 'string',
        default: '',
        description: 'NextCursor of the previous page'
      },
      {
        displayName: 'Limit',
        name: 'limit',
        type: 'string',
        default: '',
        description: 'Results per page, 1 to 500; default 100'
      },
      {
        displayName: 'Outcome',
        name: 'outcome',
        type: 'options',
        options: [
          {
            name: 'Invalid',
            value: 'invalid'
          },
          {
            name: 'Not Found',
            value: 'not-found'
          },
          {
            name: 'Started',
            value: 'started'
          },
          {
            name: 'Unknown',
            value: 'unknown'
          },
          {
            name: 'Wrong State',
            value: 'wrong-state'
          }
        ],
        default: 'invalid',
        description: 'Return only results with this outcome'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'getRedrive'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Count',
        name: 'count',
        type: 'string',
        default: '',
        description: 'The number of leads that the filter matches, from the answer to a request without count'
      },
      {
        displayName: 'Rate Per S',
        name: 'ratePerS',
        type: 'string',
        default: '',
        description: 'Maximum number of leads per second'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'startDecision',
          'startResend'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Cursor',
        name: 'cursor',
        type: 'string',
        default: '',
        description: 'NextCursor of the previous page'
      },
      {
        displayName: 'Limit',
        name: 'limit',
        type: 'string',
        default: '',
        description: 'Results per page, 1 to 500; default 100'
      },
      {
        displayName: 'Outcome',
        name: 'outcome',
        type: 'options',
        options: [
          {
            name: 'Decided',
            value: 'decided'
          },
          {
            name: 'Invalid',
            value: 'invalid'
          },
          {
            name: 'Not Found',
            value: 'not-found'
          },
          {
            name: 'Unknown',
            value: 'unknown'
          },
          {
            name: 'Wrong State',
            value: 'wrong-state'
          }
        ],
        default: 'decided',
        description: 'Return only results with this outcome'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'getDecision'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Dry Run',
        name: 'dryRun',
        type: 'boolean',
        default: false,
        description: 'Whether to turn it on. True: only count the leads.'
      },
      {
        displayName: 'Flows',
        name: 'flows',
        type: 'json',
        default: '[]',
        description: 'Compare only leads of these flows; default: all flows'
      },
      {
        displayName: 'Until',
        name: 'until',
        type: 'string',
        default: '',
        description: 'Compare leads that were received or redriven at this time or earlier, ISO 8601; default: now'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'startReconciliation'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Cursor',
        name: 'cursor',
        type: 'string',
        default: '',
        description: 'NextCursor of the previous page'
      },
      {
        displayName: 'Finding',
        name: 'finding',
        type: 'options',
        options: [
          {
            name: 'Matched',
            value: 'matched'
          },
          {
            name: 'Missing',
            value: 'missing'
          },
          {
            name: 'Not Comparable',
            value: 'not-comparable'
          },
          {
            name: 'Twice',
            value: 'twice'
          },
          {
            name: 'Unknown Here',
            value: 'unknown-here'
          }
        ],
        default: 'matched',
        description: 'Return only these findings'
      },
      {
        displayName: 'Limit',
        name: 'limit',
        type: 'string',
        default: '',
        description: 'Findings per page, 1 to 500; default 100'
      },
      {
        displayName: 'Proposed',
        name: 'proposed',
        type: 'options',
        options: [
          {
            name: 'True',
            value: 'true'
          }
        ],
        default: 'true',
        description: 'True: return only findings with a proposal'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'getReconciliation'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Count',
        name: 'count',
        type: 'string',
        default: '',
        description: 'The number of leads that the filter matches, from the answer to a request without count'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'applyReconciliation'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Cursor',
        name: 'cursor',
        type: 'string',
        default: '',
        description: 'NextCursor of the previous page'
      },
      {
        displayName: 'Lead ID',
        name: 'leadId',
        type: 'string',
        default: '',
        description: 'Only events of this lead'
      },
      {
        displayName: 'Limit',
        name: 'limit',
        type: 'string',
        default: '',
        description: 'Deliveries per page, 1 to 200; default 50. A page may have fewer, and still a nextCursor.'
      },
      {
        displayName: 'Receiver',
        name: 'receiver',
        type: 'options',
        options: [
          {
            name: 'Callback',
            value: 'callback'
          },
          {
            name: 'Webhook',
            value: 'webhook'
          }
        ],
        default: 'callback',
        description: 'Only deliveries to this receiver'
      },
      {
        displayName: 'Since',
        name: 'since',
        type: 'string',
        default: '',
        description: 'Only events of this time or later, ISO 8601'
      },
      {
        displayName: 'State',
        name: 'state',
        type: 'options',
        options: [
          {
            name: 'Given Up',
            value: 'given-up'
          },
          {
            name: 'Told',
            value: 'told'
          },
          {
            name: 'Waiting',
            value: 'waiting'
          }
        ],
        default: 'given-up',
        description: 'Only deliveries in this state'
      },
      {
        displayName: 'Type',
        name: 'type',
        type: 'options',
        options: [
          {
            name: 'Lead.accepted',
            value: 'lead.accepted'
          },
          {
            name: 'Lead.delivered',
            value: 'lead.delivered'
          },
          {
            name: 'Lead.discarded',
            value: 'lead.discarded'
          },
          {
            name: 'Lead.failed',
            value: 'lead.failed'
          },
          {
            name: 'Lead.parked',
            value: 'lead.parked'
          },
          {
            name: 'Lead.redriven',
            value: 'lead.redriven'
          },
          {
            name: 'Lead.skipped',
            value: 'lead.skipped'
          }
        ],
        default: 'lead.accepted',
        description: 'Only events of this type'
      },
      {
        displayName: 'Until',
        name: 'until',
        type: 'string',
        default: '',
        description: 'Only events of this time or earlier, ISO 8601'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'listDeliveries'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Cursor',
        name: 'cursor',
        type: 'string',
        default: '',
        description: 'NextCursor of the previous page'
      },
      {
        displayName: 'Limit',
        name: 'limit',
        type: 'string',
        default: '',
        description: 'Results per page, 1 to 500; default 100'
      },
      {
        displayName: 'Outcome',
        name: 'outcome',
        type: 'options',
        options: [
          {
            name: 'Invalid',
            value: 'invalid'
          },
          {
            name: 'Not Found',
            value: 'not-found'
          },
          {
            name: 'Resent',
            value: 'resent'
          },
          {
            name: 'Unknown',
            value: 'unknown'
          },
          {
            name: 'Wrong State',
            value: 'wrong-state'
          }
        ],
        default: 'invalid',
        description: 'Return only results with this outcome'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'getResend'
        ]
      }
    }
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Instance',
        name: 'instance',
        type: 'string',
        default: '',
        description: 'Only this instance: account/instanceName of the site system, an environment, or a variant'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'lead'
        ],
        operation: [
          'pauseUpstream',
          'resumeUpstream'
        ]
      }
    }
  }
];
