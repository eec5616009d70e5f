/** Written by `npm run reference` from src/contract. */
import type { INodeProperties } from 'n8n-workflow';

export const recruitmentSystem: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'recruitmentSystem'
        ]
      }
    },
    options: [
      {
        name: 'Send To Recruit',
        value: 'sendToRecruit',
        action: 'Send to recruit',
        description: 'Send a lead to the recruitment system'
      }
    ],
    default: 'sendToRecruit'
  },
  {
    displayName: 'Bearer Token',
    name: 'bearerToken',
    type: 'string',
    typeOptions: {
      password: true
    },
    default: '',
    description: 'Token of the environment, without the word Bearer. No answer contains it.',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'recruitmentSystem'
        ],
        operation: [
          'sendToRecruit'
        ]
      }
    }
  },
  {
    displayName: 'Client ID',
    name: 'clientId',
    type: 'string',
    default: '',
    description: 'Client of the recruitment system',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'recruitmentSystem'
        ],
        operation: [
          'sendToRecruit'
        ]
      }
    }
  },
  {
    displayName: 'Site ID',
    name: 'siteId',
    type: 'string',
    default: '',
    description: 'Site of the recruitment system',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'recruitmentSystem'
        ],
        operation: [
          'sendToRecruit'
        ]
      }
    }
  },
  {
    displayName: 'Environment',
    name: 'environment',
    type: 'options',
    options: [
      {
        name: 'Australia',
        value: 'australia'
      },
      {
        name: 'Canada',
        value: 'canada'
      },
      {
        name: 'Europe',
        value: 'europe'
      },
      {
        name: 'Sandbox',
        value: 'sandbox'
      },
      {
        name: 'Us',
        value: 'us'
      }
    ],
    default: 'australia',
    description: 'Environment that receives the lead, in any case',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'recruitmentSystem'
        ],
        operation: [
          'sendToRecruit'
        ]
      }
    }
  },
  {
    displayName: 'First Name',
    name: 'firstName',
    type: 'string',
    default: '',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'recruitmentSystem'
        ],
        operation: [
          'sendToRecruit'
        ]
      }
    }
  },
  {
    displayName: 'Last Name',
    name: 'lastName',
    type: 'string',
    default: '',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'recruitmentSystem'
        ],
        operation: [
          'sendToRecruit'
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
        displayName: 'Dob',
        name: 'dob',
        type: 'string',
        default: '',
        description: 'Birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future'
      },
      {
        displayName: 'Email',
        name: 'email',
        type: 'string',
        default: '',
        placeholder: 'name@email.com',
        description: 'Email; this or phone is required'
      },
      {
        displayName: 'Home Phone',
        name: 'homePhone',
        type: 'string',
        default: '',
        description: 'In the same form as phone'
      },
      {
        displayName: 'Patient Referral Source Category Key',
        name: 'patientReferralSourceCategoryKey',
        type: 'string',
        default: '',
        description: 'Category of the referral source'
      },
      {
        displayName: 'Patient Referral Source Key',
        name: 'patientReferralSourceKey',
        type: 'string',
        default: '',
        description: 'The referral source'
      },
      {
        displayName: 'Phone',
        name: 'phone',
        type: 'string',
        default: '',
        description: 'Mobile number in any punctuation; ten digits are sent as XXX-XXX-XXXX'
      },
      {
        displayName: 'Postal Code',
        name: 'postalCode',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Recruitment Status',
        name: 'recruitmentStatus',
        type: 'string',
        default: '',
        description: 'Such as INTERESTED or PROSPECT'
      },
      {
        displayName: 'Sex',
        name: 'sex',
        type: 'string',
        default: '',
        description: 'Male or Female; M and F are sent as words'
      },
      {
        displayName: 'Study ID',
        name: 'studyId',
        type: 'string',
        default: '',
        description: 'Study of the recruitment system; without it, subjectStatus and recruitmentStatus are not sent'
      },
      {
        displayName: 'Subject Status',
        name: 'subjectStatus',
        type: 'string',
        default: '',
        description: 'Such as INTERESTED or ENROLLED'
      },
      {
        displayName: 'Work Phone',
        name: 'workPhone',
        type: 'string',
        default: '',
        description: 'In the same form as phone'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'recruitmentSystem'
        ],
        operation: [
          'sendToRecruit'
        ]
      }
    }
  },
  {
    displayName: 'More Fields (JSON)',
    name: 'moreFields',
    type: 'json',
    default: '{}',
    description: 'Fields of other names, such as q101, or the whole record of the previous step',
    displayOptions: {
      show: {
        resource: [
          'recruitmentSystem'
        ],
        operation: [
          'sendToRecruit'
        ]
      }
    }
  }
];
