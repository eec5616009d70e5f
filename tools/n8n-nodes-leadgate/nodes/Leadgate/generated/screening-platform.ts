/** Written by `npm run reference` from src/contract. */
import type { INodeProperties } from 'n8n-workflow';

export const screeningPlatform: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'screeningPlatform'
        ]
      }
    },
    options: [
      {
        name: 'Send Patient',
        value: 'sendPatient',
        action: 'Send patient',
        description: 'Send a patient to the screening platform'
      }
    ],
    default: 'sendPatient'
  },
  {
    displayName: 'Study ID',
    name: 'study_id',
    type: 'string',
    default: '',
    description: 'Study of the platform',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'screeningPlatform'
        ],
        operation: [
          'sendPatient'
        ]
      }
    }
  },
  {
    displayName: 'Site ID',
    name: 'site_id',
    type: 'string',
    default: '',
    description: 'Site of the platform',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'screeningPlatform'
        ],
        operation: [
          'sendPatient'
        ]
      }
    }
  },
  {
    displayName: 'First Name',
    name: 'first_name',
    type: 'string',
    default: '',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'screeningPlatform'
        ],
        operation: [
          'sendPatient'
        ]
      }
    }
  },
  {
    displayName: 'Last Name',
    name: 'last_name',
    type: 'string',
    default: '',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'screeningPlatform'
        ],
        operation: [
          'sendPatient'
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
        displayName: 'API Key',
        name: 'apiKey',
        type: 'string',
        typeOptions: {
          password: true
        },
        default: '',
        description: 'An alias of key'
      },
      {
        displayName: 'Date Of Birth',
        name: 'date_of_birth',
        type: 'string',
        default: '',
        description: 'Birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future; sent as YYYY-MM-DD'
      },
      {
        displayName: 'Email',
        name: 'email',
        type: 'string',
        default: '',
        placeholder: 'name@email.com',
        description: 'Email; this or phone_number is required'
      },
      {
        displayName: 'Ethnicity',
        name: 'ethnicity',
        type: 'string',
        default: '',
        description: 'Ethnicity, sent unchanged'
      },
      {
        displayName: 'Gender',
        name: 'gender',
        type: 'string',
        default: '',
        description: 'Gender, sent unchanged'
      },
      {
        displayName: 'Height',
        name: 'height',
        type: 'string',
        default: '',
        description: 'Height in height_unit, as a number or a number in text'
      },
      {
        displayName: 'Height Unit',
        name: 'height_unit',
        type: 'string',
        default: '',
        description: 'Unit of height; default in'
      },
      {
        displayName: 'Key',
        name: 'key',
        type: 'string',
        typeOptions: {
          password: true
        },
        default: '',
        description: 'The platform\'s key; default: the key of the server. No answer contains it.'
      },
      {
        displayName: 'Phone Number',
        name: 'phone_number',
        type: 'string',
        default: '',
        description: 'Phone; only its digits are sent'
      },
      {
        displayName: 'Postal Code',
        name: 'postal_code',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Questions',
        name: 'questions',
        type: 'json',
        default: '[]',
        description: 'The questions and answers; or use question_1, answer_1, …'
      },
      {
        displayName: 'Race',
        name: 'race',
        type: 'string',
        default: '',
        description: 'Race, as free text; mapped to the platform\'s values'
      },
      {
        displayName: 'Recruitment Status',
        name: 'recruitment_status',
        type: 'string',
        default: '',
        description: 'Status, as free text; sent as Referral, or as Not eligible if it says so'
      },
      {
        displayName: 'Sex',
        name: 'sex',
        type: 'string',
        default: '',
        description: 'Used as gender if that is absent'
      },
      {
        displayName: 'Weight',
        name: 'weight',
        type: 'string',
        default: '',
        description: 'Weight in weight_unit, as a number or a number in text'
      },
      {
        displayName: 'Weight Unit',
        name: 'weight_unit',
        type: 'string',
        default: '',
        description: 'Unit of weight; default lb'
      },
      {
        displayName: 'X API Key',
        name: 'x-api-key',
        type: 'string',
        typeOptions: {
          password: true
        },
        default: '',
        description: 'An alias of key'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'screeningPlatform'
        ],
        operation: [
          'sendPatient'
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
          'screeningPlatform'
        ],
        operation: [
          'sendPatient'
        ]
      }
    }
  }
];
