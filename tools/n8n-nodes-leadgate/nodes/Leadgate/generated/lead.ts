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
        name: 'Confirm Lead',
        value: 'confirmLead',
        action: 'Confirm lead',
        description: 'The parked step did arrive: go on with the upstream\'s own ID'
      },
      {
        name: 'Count Leads',
        value: 'countLeads',
        action: 'Count leads',
        description: 'How many leads are in each state; groups=true counts them by error code and upstream, too'
      },
      {
        name: 'Count Leads By Day',
        value: 'countLeadsByDay',
        action: 'Count leads by day',
        description: 'How many leads came in on each day, in UTC, and how they stand now; a lead that was sent again counts once'
      },
      {
        name: 'Discard Lead',
        value: 'discardLead',
        action: 'Discard lead',
        description: 'End the parked lead without sending'
      },
      {
        name: 'Get Decision',
        value: 'getDecision',
        action: 'Get decision',
        description: 'How far a decision about many leads is, and what became of each lead'
      },
      {
        name: 'Get Events',
        value: 'getEvents',
        action: 'Get events',
        description: 'The events of a lead, and how far each one got with its receivers'
      },
      {
        name: 'Get Exchanges',
        value: 'getExchanges',
        action: 'Get exchanges',
        description: 'What was sent for one lead and what came back, masked; clear=true shows it as it is, and that is recorded'
      },
      {
        name: 'Get Lead',
        value: 'getLead',
        action: 'Get lead',
        description: 'What happened to one lead, step by step; wait=N waits up to N seconds for its end'
      },
      {
        name: 'Get Redrive',
        value: 'getRedrive',
        action: 'Get redrive',
        description: 'How far a redrive is, and what became of each lead'
      },
      {
        name: 'Get Traffic',
        value: 'getTraffic',
        action: 'Get traffic',
        description: 'Leads and task-board calls that this process answered, minute by minute, for the last hour at most'
      },
      {
        name: 'List Decisions',
        value: 'listDecisions',
        action: 'List decisions',
        description: 'Decisions about many leads, newest first'
      },
      {
        name: 'List Leads',
        value: 'listLeads',
        action: 'List leads',
        description: 'Leads, newest attempt first, by what they can be found by'
      },
      {
        name: 'List Redrives',
        value: 'listRedrives',
        action: 'List redrives',
        description: 'Redrives of many leads, newest first'
      },
      {
        name: 'List Upstreams',
        value: 'listUpstreams',
        action: 'List upstreams',
        description: 'The upstreams: open, paused, or held because they fail, and how many leads wait'
      },
      {
        name: 'Pause Upstream',
        value: 'pauseUpstream',
        action: 'Pause upstream',
        description: 'Keep an upstream from taking leads until a person resumes it; once this is answered, no lead begins to go out'
      },
      {
        name: 'Redrive Lead',
        value: 'redriveLead',
        action: 'Redrive lead',
        description: 'Send a failed lead again, with corrected fields where they are given'
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
        description: 'End the pause of an upstream: the leads that waited go out'
      },
      {
        name: 'Send Events Again',
        value: 'sendEventsAgain',
        action: 'Send events again',
        description: 'Send all events of a lead again, each with the webhook ID that it had'
      },
      {
        name: 'Start Decision',
        value: 'startDecision',
        action: 'Start decision',
        description: 'Resend or discard the parked leads that a filter matches; without count they are only counted'
      },
      {
        name: 'Start Redrive',
        value: 'startRedrive',
        action: 'Start redrive',
        description: 'Send the failed leads that a filter matches again; without count they are only counted'
      },
      {
        name: 'Stop Decision',
        value: 'stopDecision',
        action: 'Stop decision',
        description: 'Stop between two leads; what is decided goes on, the rest stays parked'
      },
      {
        name: 'Stop Redrive',
        value: 'stopRedrive',
        action: 'Stop redrive',
        description: 'Stop between two leads; what is started goes on, the rest stays failed'
      },
      {
        name: 'Try Lead',
        value: 'tryLead',
        action: 'Try lead',
        description: 'Try a waiting lead now; before an upstream that is held, the next lead of the line goes'
      }
    ],
    default: 'confirmLead'
  },
  {
    displayName: 'Lead ID',
    name: 'leadId',
    type: 'string',
    default: '',
    description: 'The lead, as X-Lead ID or an answer named it',
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
    displayName: 'Reason',
    name: 'reason',
    type: 'string',
    default: '',
    description: 'Why, in your own words; kept with the run',
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
          'stopDecision'
        ]
      }
    }
  },
  {
    displayName: 'Upstream ID',
    name: 'upstreamId',
    type: 'string',
    default: '',
    description: 'The ID that the upstream gave the lead, such as its PatientID; of a comment, that of rtResponse alone',
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
    description: 'Which failed leads, by what they can be found by; empty for all',
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
    description: 'The redrive, as its start named it',
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
    description: 'Which parked leads, by what they can be found by; empty for all',
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
    description: 'Resend: send the parked step again; discard: end the lead without sending',
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
    description: 'The decision, as its start named it',
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
    description: 'Why, in your own words; kept encrypted, and shown with the upstreams',
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
        description: 'How many days, today included, 1 to 30; never more than the engine keeps closed runs'
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
        description: 'Only leads of this flow'
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
        description: 'Only leads of this email, in any case'
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
        description: 'True: also by state, error code and upstream'
      },
      {
        displayName: 'Import ID',
        name: 'importId',
        type: 'string',
        default: '',
        description: 'Only leads that this import started'
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
        description: 'Only the lead that the upstream knows under this ID'
      },
      {
        displayName: 'Phone',
        name: 'phone',
        type: 'string',
        default: '',
        description: 'Only leads of this phone, in any punctuation'
      },
      {
        displayName: 'Protocol',
        name: 'protocol',
        type: 'string',
        default: '',
        description: 'Only leads of this protocol'
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
        description: 'True: only leads that were open in the copy that was restored'
      },
      {
        displayName: 'Since',
        name: 'since',
        type: 'string',
        default: '',
        description: 'Only leads that came, or were redriven, at this moment or later, ISO 8601'
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
        description: 'Only leads that came, or were redriven, before or at this moment, ISO 8601'
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
        description: 'Only leads that came or changed at this moment or later, ISO 8601'
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
        description: 'NextCursor of the answer before'
      },
      {
        displayName: 'Email',
        name: 'email',
        type: 'string',
        default: '',
        placeholder: 'name@email.com',
        description: 'Only leads of this email, in any case'
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
        description: 'Only leads that this import started'
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
        description: 'How many at once, 1 to 200; 50 when it is left out'
      },
      {
        displayName: 'Patient ID',
        name: 'patientId',
        type: 'string',
        default: '',
        description: 'Only the lead that the upstream knows under this ID'
      },
      {
        displayName: 'Phone',
        name: 'phone',
        type: 'string',
        default: '',
        description: 'Only leads of this phone, in any punctuation'
      },
      {
        displayName: 'Protocol',
        name: 'protocol',
        type: 'string',
        default: '',
        description: 'Only leads of this protocol'
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
        description: 'True: only leads that were open in the copy that was restored'
      },
      {
        displayName: 'Since',
        name: 'since',
        type: 'string',
        default: '',
        description: 'Only leads that came, or were redriven, at this moment or later, ISO 8601'
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
        description: 'Only leads that came, or were redriven, before or at this moment, ISO 8601'
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
        description: 'False: masked for everybody. Otherwise the key that sent the lead and operators see it in clear, which is recorded.'
      },
      {
        displayName: 'Wait',
        name: 'wait',
        type: 'string',
        default: '',
        description: 'Wait up to so many seconds for the end of the lead, at most 60'
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
        description: 'Of this attempt; the newest one when it is left out'
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
        description: 'True: as it is, and that is recorded'
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
        displayName: 'Upstream ID',
        name: 'upstreamId',
        type: 'string',
        default: '',
        description: 'Taken and not used: only confirm needs it'
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
        description: 'Corrected input fields, under the names of the lead\'s own route'
      },
      {
        displayName: 'Not There',
        name: 'notThere',
        type: 'boolean',
        default: false,
        description: 'Whether it is so: True: the run was ended outside of Leadgate (RUN_ENDED), and what may have been sent before is not in the upstream'
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
        description: 'How many leads the filter matches, as the answer without count says'
      },
      {
        displayName: 'Fields',
        name: 'fields',
        type: 'json',
        default: '{}',
        description: 'Corrected input fields for each of them, under the names of the leads\' own routes'
      },
      {
        displayName: 'Not There',
        name: 'notThere',
        type: 'boolean',
        default: false,
        description: 'Whether it is so: True: the run was ended outside of Leadgate (RUN_ENDED), and what may have been sent before is not in the upstream'
      },
      {
        displayName: 'Rate Per S',
        name: 'ratePerS',
        type: 'string',
        default: '',
        description: 'Most leads a second'
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
        description: 'NextCursor of the answer before'
      },
      {
        displayName: 'Limit',
        name: 'limit',
        type: 'string',
        default: '',
        description: 'How many results at once, 1 to 500; 100 when it is left out'
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
        description: 'Only results with this outcome'
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
        description: 'How many leads the filter matches, as the answer without count says'
      },
      {
        displayName: 'Rate Per S',
        name: 'ratePerS',
        type: 'string',
        default: '',
        description: 'Most leads a second'
      }
    ],
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
        description: 'NextCursor of the answer before'
      },
      {
        displayName: 'Limit',
        name: 'limit',
        type: 'string',
        default: '',
        description: 'How many results at once, 1 to 500; 100 when it is left out'
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
        description: 'Only results with this outcome'
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
        displayName: 'Instance',
        name: 'instance',
        type: 'string',
        default: '',
        description: 'Only this instance: account/instanceName of the site system, an environment, a variant'
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
