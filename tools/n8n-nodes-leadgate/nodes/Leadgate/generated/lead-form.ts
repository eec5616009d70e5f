/** Written by `npm run reference` from src/contract. */
import type { INodeProperties } from 'n8n-workflow';

export const leadForm: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'leadForm'
        ]
      }
    },
    options: [
      {
        name: 'List Leadforms Sites',
        value: 'listLeadformsSites',
        action: 'List leadforms sites',
        description: 'List the configured sites; of a key, only whether it is set'
      },
      {
        name: 'Send To Leadforms',
        value: 'sendToLeadforms',
        action: 'Send to leadforms',
        description: 'Send a lead to the lead form of a site'
      },
      {
        name: 'Send To Leadforms Sandbox',
        value: 'sendToLeadformsSandbox',
        action: 'Send to leadforms sandbox',
        description: 'Send a lead to the sandbox variant of the lead forms; in bounce mode, return the payload without sending it'
      }
    ],
    default: 'listLeadformsSites'
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
          'leadForm'
        ],
        operation: [
          'sendToLeadforms',
          'sendToLeadformsSandbox'
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
          'leadForm'
        ],
        operation: [
          'sendToLeadforms',
          'sendToLeadformsSandbox'
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
        displayName: 'Account ID',
        name: 'account_id',
        type: 'string',
        default: '',
        description: 'ID of the account; default: that of the site'
      },
      {
        displayName: 'Answer 1',
        name: 'answer_1',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Answer 10',
        name: 'answer_10',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Answer 11',
        name: 'answer_11',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Answer 12',
        name: 'answer_12',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Answer 13',
        name: 'answer_13',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Answer 14',
        name: 'answer_14',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Answer 15',
        name: 'answer_15',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Answer 2',
        name: 'answer_2',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Answer 3',
        name: 'answer_3',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Answer 4',
        name: 'answer_4',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Answer 5',
        name: 'answer_5',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Answer 6',
        name: 'answer_6',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Answer 7',
        name: 'answer_7',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Answer 8',
        name: 'answer_8',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Answer 9',
        name: 'answer_9',
        type: 'string',
        default: '',
        description: 'The answer to it'
      },
      {
        displayName: 'Campaign Name',
        name: 'campaign_name',
        type: 'string',
        default: '',
        description: 'Campaign; default: built from sponsor, protocol and location'
      },
      {
        displayName: 'Date Of Birth',
        name: 'date_of_birth',
        type: 'string',
        default: '',
        description: 'Birth date, YYYY-MM-DD, real and not in the future'
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
        displayName: 'Form Code',
        name: 'form_code',
        type: 'string',
        default: '',
        description: 'Code of the form; default: that of the site'
      },
      {
        displayName: 'Gender',
        name: 'gender',
        type: 'string',
        default: '',
        description: 'Gender, sent unchanged'
      },
      {
        displayName: 'I Agree',
        name: 'i_agree',
        type: 'boolean',
        default: false,
        description: 'Whether to turn it on. True: the person consents.'
      },
      {
        displayName: 'Key',
        name: 'key',
        type: 'string',
        typeOptions: {
          password: true
        },
        default: '',
        description: 'Key of the form; default: the key of the site. No answer contains it.'
      },
      {
        displayName: 'Location',
        name: 'location',
        type: 'string',
        default: '',
        description: 'Used as site if that is absent; part of the campaign name'
      },
      {
        displayName: 'Location ID',
        name: 'location_id',
        type: 'string',
        default: '',
        description: 'The location; the site\'s own where it is left out'
      },
      {
        displayName: 'Patient Photo URL',
        name: 'patient_photo_url',
        type: 'string',
        default: '',
        description: 'URL of a photo'
      },
      {
        displayName: 'Phone Number',
        name: 'phone_number',
        type: 'string',
        default: '',
        description: 'Phone, sent unchanged'
      },
      {
        displayName: 'Postal Code',
        name: 'postal_code',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Protocol',
        name: 'protocol',
        type: 'string',
        default: '',
        description: 'Protocol; part of the campaign name'
      },
      {
        displayName: 'Question 1',
        name: 'question_1',
        type: 'string',
        default: '',
        description: 'Question 1, as text'
      },
      {
        displayName: 'Question 10',
        name: 'question_10',
        type: 'string',
        default: '',
        description: 'Question 10, as text'
      },
      {
        displayName: 'Question 11',
        name: 'question_11',
        type: 'string',
        default: '',
        description: 'Question 11, as text'
      },
      {
        displayName: 'Question 12',
        name: 'question_12',
        type: 'string',
        default: '',
        description: 'Question 12, as text'
      },
      {
        displayName: 'Question 13',
        name: 'question_13',
        type: 'string',
        default: '',
        description: 'Question 13, as text'
      },
      {
        displayName: 'Question 14',
        name: 'question_14',
        type: 'string',
        default: '',
        description: 'Question 14, as text'
      },
      {
        displayName: 'Question 15',
        name: 'question_15',
        type: 'string',
        default: '',
        description: 'Question 15, as text'
      },
      {
        displayName: 'Question 2',
        name: 'question_2',
        type: 'string',
        default: '',
        description: 'Question 2, as text'
      },
      {
        displayName: 'Question 3',
        name: 'question_3',
        type: 'string',
        default: '',
        description: 'Question 3, as text'
      },
      {
        displayName: 'Question 4',
        name: 'question_4',
        type: 'string',
        default: '',
        description: 'Question 4, as text'
      },
      {
        displayName: 'Question 5',
        name: 'question_5',
        type: 'string',
        default: '',
        description: 'Question 5, as text'
      },
      {
        displayName: 'Question 6',
        name: 'question_6',
        type: 'string',
        default: '',
        description: 'Question 6, as text'
      },
      {
        displayName: 'Question 7',
        name: 'question_7',
        type: 'string',
        default: '',
        description: 'Question 7, as text'
      },
      {
        displayName: 'Question 8',
        name: 'question_8',
        type: 'string',
        default: '',
        description: 'Question 8, as text'
      },
      {
        displayName: 'Question 9',
        name: 'question_9',
        type: 'string',
        default: '',
        description: 'Question 9, as text'
      },
      {
        displayName: 'Recruitment Status',
        name: 'recruitment_status',
        type: 'string',
        default: '',
        description: 'Such as Qualified'
      },
      {
        displayName: 'Site',
        name: 'site',
        type: 'string',
        default: '',
        description: 'Name or slug of a configured site, which supplies key, form_code, account_id, location_id and source_url'
      },
      {
        displayName: 'Source URL',
        name: 'source_url',
        type: 'string',
        default: '',
        description: 'The page that the lead came from, sent unchanged; default: that of the site'
      },
      {
        displayName: 'Sponsor',
        name: 'sponsor',
        type: 'string',
        default: '',
        description: 'Sponsor; part of the campaign name'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'leadForm'
        ],
        operation: [
          'sendToLeadforms',
          'sendToLeadformsSandbox'
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
          'leadForm'
        ],
        operation: [
          'sendToLeadforms',
          'sendToLeadformsSandbox'
        ]
      }
    }
  }
];
