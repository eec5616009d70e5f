/** Written by `npm run reference` from src/contract. */
import type { INodeProperties } from 'n8n-workflow';

export const siteSystem: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ]
      }
    },
    options: [
      {
        name: 'Get Interview Questions',
        value: 'getInterviewQuestions',
        action: 'Get interview questions',
        description: 'List the interview questions'
      },
      {
        name: 'Get Patient Statuses',
        value: 'getPatientStatuses',
        action: 'Get patient statuses',
        description: 'Get the patient statuses report of a subject'
      },
      {
        name: 'Get Referral Sources',
        value: 'getReferralSources',
        action: 'Get referral sources',
        description: 'List the referral sources of a site'
      },
      {
        name: 'Get Sites',
        value: 'getSites',
        action: 'Get sites',
        description: 'List the sites'
      },
      {
        name: 'Get Studies',
        value: 'getStudies',
        action: 'Get studies',
        description: 'List the studies'
      },
      {
        name: 'Get Subjects',
        value: 'getSubjects',
        action: 'Get subjects',
        description: 'Look up a subject by email'
      },
      {
        name: 'List Interview Questions',
        value: 'listInterviewQuestions',
        action: 'List interview questions',
        description: 'List the interview questions'
      },
      {
        name: 'List Referral Sources',
        value: 'listReferralSources',
        action: 'List referral sources',
        description: 'List the referral sources of a site'
      },
      {
        name: 'List Sites',
        value: 'listSites',
        action: 'List sites',
        description: 'List the sites'
      },
      {
        name: 'List Studies',
        value: 'listStudies',
        action: 'List studies',
        description: 'List the studies'
      },
      {
        name: 'No Prescreen',
        value: 'noPrescreen',
        action: 'No prescreen',
        description: 'Send a lead through all steps, without prescreen questions'
      },
      {
        name: 'No Prescreen Check Email',
        value: 'noPrescreenCheckEmail',
        action: 'No prescreen check email',
        description: 'Look up the email (one step of no-prescreen)'
      },
      {
        name: 'No Prescreen Format Data',
        value: 'noPrescreenFormatData',
        action: 'No prescreen format data',
        description: 'Format phone, date of birth, sex and answers (one step of no-prescreen)'
      },
      {
        name: 'No Prescreen Get API Key',
        value: 'noPrescreenGetApiKey',
        action: 'No prescreen get API key',
        description: 'Fetch the access key (one step of no-prescreen)'
      },
      {
        name: 'No Prescreen Send Comments',
        value: 'noPrescreenSendComments',
        action: 'No prescreen send comments',
        description: 'Send the comment (one step of no-prescreen)'
      },
      {
        name: 'No Prescreen Send To Rt',
        value: 'noPrescreenSendToRt',
        action: 'No prescreen send to rt',
        description: 'Send the lead to the site system (one step of no-prescreen)'
      },
      {
        name: 'With Prescreen',
        value: 'withPrescreen',
        action: 'With prescreen',
        description: 'Send a lead through all steps, with its prescreen answers'
      },
      {
        name: 'With Prescreen Check Email',
        value: 'withPrescreenCheckEmail',
        action: 'With prescreen check email',
        description: 'Look up the email (one step of with-prescreen)'
      },
      {
        name: 'With Prescreen Format Data',
        value: 'withPrescreenFormatData',
        action: 'With prescreen format data',
        description: 'Format phone, date of birth, sex and answers (one step of with-prescreen)'
      },
      {
        name: 'With Prescreen Get API Key',
        value: 'withPrescreenGetApiKey',
        action: 'With prescreen get API key',
        description: 'Fetch the access key (one step of with-prescreen)'
      },
      {
        name: 'With Prescreen Send Comments',
        value: 'withPrescreenSendComments',
        action: 'With prescreen send comments',
        description: 'Send the comment (one step of with-prescreen)'
      },
      {
        name: 'With Prescreen Send To Rt',
        value: 'withPrescreenSendToRt',
        action: 'With prescreen send to rt',
        description: 'Send the lead to the site system (one step of with-prescreen)'
      }
    ],
    default: 'getInterviewQuestions'
  },
  {
    displayName: 'Study ID',
    name: 'StudyID',
    type: 'string',
    default: '',
    description: 'Study of the site system',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'withPrescreen',
          'withPrescreenSendToRt',
          'noPrescreen',
          'noPrescreenSendToRt'
        ]
      }
    }
  },
  {
    displayName: 'Referrer ID',
    name: 'ReferrerID',
    type: 'string',
    default: '',
    description: 'Referral source of the site system',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'withPrescreen',
          'withPrescreenSendToRt',
          'noPrescreen',
          'noPrescreenSendToRt'
        ]
      }
    }
  },
  {
    displayName: 'Instance Name',
    name: 'instanceName',
    type: 'string',
    default: '',
    description: 'Instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'withPrescreen',
          'withPrescreenGetApiKey',
          'withPrescreenCheckEmail',
          'withPrescreenSendToRt',
          'withPrescreenSendComments',
          'noPrescreen',
          'noPrescreenGetApiKey',
          'noPrescreenCheckEmail',
          'noPrescreenSendToRt',
          'noPrescreenSendComments',
          'getSubjects',
          'getPatientStatuses',
          'listSites',
          'listStudies',
          'listInterviewQuestions',
          'listReferralSources',
          'getSites',
          'getStudies',
          'getInterviewQuestions',
          'getReferralSources'
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
          'siteSystem'
        ],
        operation: [
          'withPrescreen',
          'withPrescreenSendToRt',
          'noPrescreen',
          'noPrescreenSendToRt'
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
          'siteSystem'
        ],
        operation: [
          'withPrescreen',
          'withPrescreenSendToRt',
          'noPrescreen',
          'noPrescreenSendToRt'
        ]
      }
    }
  },
  {
    displayName: 'Email',
    name: 'email',
    type: 'string',
    default: '',
    placeholder: 'name@email.com',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'withPrescreen',
          'withPrescreenCheckEmail',
          'noPrescreen',
          'noPrescreenCheckEmail'
        ]
      }
    }
  },
  {
    displayName: 'Key',
    name: 'key',
    type: 'string',
    typeOptions: {
      password: true
    },
    default: '',
    description: 'Access key, from get-api-key',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'withPrescreenCheckEmail',
          'withPrescreenSendToRt',
          'withPrescreenSendComments',
          'noPrescreenCheckEmail',
          'noPrescreenSendToRt',
          'noPrescreenSendComments'
        ]
      }
    }
  },
  {
    displayName: 'Rt Response',
    name: 'rtResponse',
    type: 'json',
    default: '{}',
    description: 'The result of send-to-rt',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'withPrescreenSendComments',
          'noPrescreenSendComments'
        ]
      }
    }
  },
  {
    displayName: 'Email Exists',
    name: 'emailExists',
    type: 'boolean',
    default: false,
    description: 'Whether to turn it on. The result of check-email.',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'noPrescreenSendToRt'
        ]
      }
    }
  },
  {
    displayName: 'Email',
    name: 'email',
    type: 'string',
    default: '',
    placeholder: 'name@email.com',
    description: 'Email of the subject',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'getSubjects'
        ]
      }
    }
  },
  {
    displayName: 'Subject ID',
    name: 'subjectID',
    type: 'string',
    default: '',
    description: 'ID of the subject',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'getPatientStatuses'
        ]
      }
    }
  },
  {
    displayName: 'Site Name',
    name: 'siteName',
    type: 'string',
    default: '',
    description: 'Name of the site, as listed by /api/clinicsys/toolkit/sites',
    required: true,
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'listReferralSources',
          'getReferralSources'
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
        displayName: 'Account',
        name: 'account',
        type: 'options',
        options: [
          {
            name: 'Erg',
            value: 'ERG'
          },
          {
            name: 'Futuro',
            value: 'Futuro'
          }
        ],
        default: 'ERG',
        description: 'Account of the site system; default ERG'
      },
      {
        displayName: 'Condition',
        name: 'condition',
        type: 'string',
        default: '',
        description: 'Condition, for the comment; N/A if missing'
      },
      {
        displayName: 'Dob',
        name: 'dob',
        type: 'string',
        default: '',
        description: 'Birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future'
      },
      {
        displayName: 'Ethnicity',
        name: 'ethnicity',
        type: 'string',
        default: '',
        description: 'Ethnicity, for the comment'
      },
      {
        displayName: 'Height',
        name: 'height',
        type: 'string',
        default: '',
        description: 'Height, for the comment'
      },
      {
        displayName: 'Phone',
        name: 'phone',
        type: 'string',
        default: '',
        description: 'Phone in any punctuation; ten digits are sent as XXX-XXX-XXXX'
      },
      {
        displayName: 'Photo Upload',
        name: 'photoUpload',
        type: 'string',
        default: '',
        description: 'URL of a photo, for the comment'
      },
      {
        displayName: 'Protocol',
        name: 'protocol',
        type: 'string',
        default: '',
        description: 'Protocol, for the comment; N/A if missing'
      },
      {
        displayName: 'Race',
        name: 'race',
        type: 'string',
        default: '',
        description: 'Race, for the comment'
      },
      {
        displayName: 'Recruitment Status',
        name: 'recruitmentStatus',
        type: 'string',
        default: '',
        description: 'Such as Qualified, for the comment'
      },
      {
        displayName: 'Sex',
        name: 'sex',
        type: 'string',
        default: '',
        description: 'M, f, male or female, sent as M or F; any other value is kept in the record and not sent'
      },
      {
        displayName: 'Weight',
        name: 'weight',
        type: 'string',
        default: '',
        description: 'Weight, for the comment'
      },
      {
        displayName: 'Zip Code',
        name: 'zipCode',
        type: 'string',
        default: '',
        description: 'Postal code'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'withPrescreen',
          'noPrescreen'
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
        displayName: 'Account',
        name: 'account',
        type: 'options',
        options: [
          {
            name: 'Erg',
            value: 'ERG'
          },
          {
            name: 'Futuro',
            value: 'Futuro'
          }
        ],
        default: 'ERG',
        description: 'Account of the site system; default ERG'
      },
      {
        displayName: 'Condition',
        name: 'condition',
        type: 'string',
        default: '',
        description: 'Condition, for the comment; N/A if missing'
      },
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
        placeholder: 'name@email.com'
      },
      {
        displayName: 'Ethnicity',
        name: 'ethnicity',
        type: 'string',
        default: '',
        description: 'Ethnicity, for the comment'
      },
      {
        displayName: 'First Name',
        name: 'firstName',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Height',
        name: 'height',
        type: 'string',
        default: '',
        description: 'Height, for the comment'
      },
      {
        displayName: 'Last Name',
        name: 'lastName',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Phone',
        name: 'phone',
        type: 'string',
        default: '',
        description: 'Phone in any punctuation; ten digits are sent as XXX-XXX-XXXX'
      },
      {
        displayName: 'Photo Upload',
        name: 'photoUpload',
        type: 'string',
        default: '',
        description: 'URL of a photo, for the comment'
      },
      {
        displayName: 'Protocol',
        name: 'protocol',
        type: 'string',
        default: '',
        description: 'Protocol, for the comment; N/A if missing'
      },
      {
        displayName: 'Race',
        name: 'race',
        type: 'string',
        default: '',
        description: 'Race, for the comment'
      },
      {
        displayName: 'Recruitment Status',
        name: 'recruitmentStatus',
        type: 'string',
        default: '',
        description: 'Such as Qualified, for the comment'
      },
      {
        displayName: 'Referrer ID',
        name: 'ReferrerID',
        type: 'string',
        default: '',
        description: 'Referral source of the site system'
      },
      {
        displayName: 'Sex',
        name: 'sex',
        type: 'string',
        default: '',
        description: 'M, f, male or female, sent as M or F; any other value is kept in the record and not sent'
      },
      {
        displayName: 'Study ID',
        name: 'StudyID',
        type: 'string',
        default: '',
        description: 'Study of the site system'
      },
      {
        displayName: 'Weight',
        name: 'weight',
        type: 'string',
        default: '',
        description: 'Weight, for the comment'
      },
      {
        displayName: 'Zip Code',
        name: 'zipCode',
        type: 'string',
        default: '',
        description: 'Postal code'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'withPrescreenGetApiKey',
          'withPrescreenSendComments',
          'noPrescreenGetApiKey',
          'noPrescreenSendComments'
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
        displayName: 'Account',
        name: 'account',
        type: 'options',
        options: [
          {
            name: 'Erg',
            value: 'ERG'
          },
          {
            name: 'Futuro',
            value: 'Futuro'
          }
        ],
        default: 'ERG',
        description: 'Account of the site system; default ERG'
      },
      {
        displayName: 'Condition',
        name: 'condition',
        type: 'string',
        default: '',
        description: 'Condition, for the comment; N/A if missing'
      },
      {
        displayName: 'Dob',
        name: 'dob',
        type: 'string',
        default: '',
        description: 'Birth date, MM/DD/YYYY or YYYY-MM-DD, real and not in the future'
      },
      {
        displayName: 'Ethnicity',
        name: 'ethnicity',
        type: 'string',
        default: '',
        description: 'Ethnicity, for the comment'
      },
      {
        displayName: 'First Name',
        name: 'firstName',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Height',
        name: 'height',
        type: 'string',
        default: '',
        description: 'Height, for the comment'
      },
      {
        displayName: 'Last Name',
        name: 'lastName',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Phone',
        name: 'phone',
        type: 'string',
        default: '',
        description: 'Phone in any punctuation; ten digits are sent as XXX-XXX-XXXX'
      },
      {
        displayName: 'Photo Upload',
        name: 'photoUpload',
        type: 'string',
        default: '',
        description: 'URL of a photo, for the comment'
      },
      {
        displayName: 'Protocol',
        name: 'protocol',
        type: 'string',
        default: '',
        description: 'Protocol, for the comment; N/A if missing'
      },
      {
        displayName: 'Race',
        name: 'race',
        type: 'string',
        default: '',
        description: 'Race, for the comment'
      },
      {
        displayName: 'Recruitment Status',
        name: 'recruitmentStatus',
        type: 'string',
        default: '',
        description: 'Such as Qualified, for the comment'
      },
      {
        displayName: 'Referrer ID',
        name: 'ReferrerID',
        type: 'string',
        default: '',
        description: 'Referral source of the site system'
      },
      {
        displayName: 'Sex',
        name: 'sex',
        type: 'string',
        default: '',
        description: 'M, f, male or female, sent as M or F; any other value is kept in the record and not sent'
      },
      {
        displayName: 'Study ID',
        name: 'StudyID',
        type: 'string',
        default: '',
        description: 'Study of the site system'
      },
      {
        displayName: 'Weight',
        name: 'weight',
        type: 'string',
        default: '',
        description: 'Weight, for the comment'
      },
      {
        displayName: 'Zip Code',
        name: 'zipCode',
        type: 'string',
        default: '',
        description: 'Postal code'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'withPrescreenCheckEmail',
          'noPrescreenCheckEmail'
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
        displayName: 'Account',
        name: 'account',
        type: 'options',
        options: [
          {
            name: 'Erg',
            value: 'ERG'
          },
          {
            name: 'Futuro',
            value: 'Futuro'
          }
        ],
        default: 'ERG',
        description: 'Account of the site system; default ERG'
      },
      {
        displayName: 'Condition',
        name: 'condition',
        type: 'string',
        default: '',
        description: 'Condition, for the comment; N/A if missing'
      },
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
        placeholder: 'name@email.com'
      },
      {
        displayName: 'Ethnicity',
        name: 'ethnicity',
        type: 'string',
        default: '',
        description: 'Ethnicity, for the comment'
      },
      {
        displayName: 'First Name',
        name: 'firstName',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Height',
        name: 'height',
        type: 'string',
        default: '',
        description: 'Height, for the comment'
      },
      {
        displayName: 'Instance Name',
        name: 'instanceName',
        type: 'string',
        default: '',
        description: 'Instance of the site system: 1 to 64 letters, digits, dots, dashes or underscores'
      },
      {
        displayName: 'Last Name',
        name: 'lastName',
        type: 'string',
        default: ''
      },
      {
        displayName: 'Phone',
        name: 'phone',
        type: 'string',
        default: '',
        description: 'Phone in any punctuation; ten digits are sent as XXX-XXX-XXXX'
      },
      {
        displayName: 'Photo Upload',
        name: 'photoUpload',
        type: 'string',
        default: '',
        description: 'URL of a photo, for the comment'
      },
      {
        displayName: 'Protocol',
        name: 'protocol',
        type: 'string',
        default: '',
        description: 'Protocol, for the comment; N/A if missing'
      },
      {
        displayName: 'Race',
        name: 'race',
        type: 'string',
        default: '',
        description: 'Race, for the comment'
      },
      {
        displayName: 'Recruitment Status',
        name: 'recruitmentStatus',
        type: 'string',
        default: '',
        description: 'Such as Qualified, for the comment'
      },
      {
        displayName: 'Referrer ID',
        name: 'ReferrerID',
        type: 'string',
        default: '',
        description: 'Referral source of the site system'
      },
      {
        displayName: 'Sex',
        name: 'sex',
        type: 'string',
        default: '',
        description: 'M, f, male or female, sent as M or F; any other value is kept in the record and not sent'
      },
      {
        displayName: 'Study ID',
        name: 'StudyID',
        type: 'string',
        default: '',
        description: 'Study of the site system'
      },
      {
        displayName: 'Weight',
        name: 'weight',
        type: 'string',
        default: '',
        description: 'Weight, for the comment'
      },
      {
        displayName: 'Zip Code',
        name: 'zipCode',
        type: 'string',
        default: '',
        description: 'Postal code'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'withPrescreenFormatData',
          'noPrescreenFormatData'
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
        displayName: 'Account',
        name: 'account',
        type: 'options',
        options: [
          {
            name: 'Erg',
            value: 'ERG'
          },
          {
            name: 'Futuro',
            value: 'Futuro'
          }
        ],
        default: 'ERG',
        description: 'Account of the site system; default ERG'
      },
      {
        displayName: 'Condition',
        name: 'condition',
        type: 'string',
        default: '',
        description: 'Condition, for the comment; N/A if missing'
      },
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
        placeholder: 'name@email.com'
      },
      {
        displayName: 'Ethnicity',
        name: 'ethnicity',
        type: 'string',
        default: '',
        description: 'Ethnicity, for the comment'
      },
      {
        displayName: 'Height',
        name: 'height',
        type: 'string',
        default: '',
        description: 'Height, for the comment'
      },
      {
        displayName: 'Phone',
        name: 'phone',
        type: 'string',
        default: '',
        description: 'Phone in any punctuation; ten digits are sent as XXX-XXX-XXXX'
      },
      {
        displayName: 'Photo Upload',
        name: 'photoUpload',
        type: 'string',
        default: '',
        description: 'URL of a photo, for the comment'
      },
      {
        displayName: 'Protocol',
        name: 'protocol',
        type: 'string',
        default: '',
        description: 'Protocol, for the comment; N/A if missing'
      },
      {
        displayName: 'Race',
        name: 'race',
        type: 'string',
        default: '',
        description: 'Race, for the comment'
      },
      {
        displayName: 'Recruitment Status',
        name: 'recruitmentStatus',
        type: 'string',
        default: '',
        description: 'Such as Qualified, for the comment'
      },
      {
        displayName: 'Sex',
        name: 'sex',
        type: 'string',
        default: '',
        description: 'M, f, male or female, sent as M or F; any other value is kept in the record and not sent'
      },
      {
        displayName: 'Weight',
        name: 'weight',
        type: 'string',
        default: '',
        description: 'Weight, for the comment'
      },
      {
        displayName: 'Zip Code',
        name: 'zipCode',
        type: 'string',
        default: '',
        description: 'Postal code'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'withPrescreenSendToRt',
          'noPrescreenSendToRt'
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
        displayName: 'Account',
        name: 'account',
        type: 'options',
        options: [
          {
            name: 'Erg',
            value: 'ERG'
          },
          {
            name: 'Futuro',
            value: 'Futuro'
          }
        ],
        default: 'ERG',
        description: 'Account of the site system; default ERG'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'getSubjects',
          'getPatientStatuses',
          'listReferralSources',
          'getReferralSources'
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
        displayName: 'Account',
        name: 'account',
        type: 'options',
        options: [
          {
            name: 'Erg',
            value: 'ERG'
          },
          {
            name: 'Futuro',
            value: 'Futuro'
          }
        ],
        default: 'ERG',
        description: 'Account of the site system; default ERG'
      },
      {
        displayName: 'Site Name',
        name: 'siteName',
        type: 'string',
        default: '',
        description: 'Return only data of this site'
      }
    ],
    displayOptions: {
      show: {
        resource: [
          'siteSystem'
        ],
        operation: [
          'listSites',
          'listStudies',
          'listInterviewQuestions',
          'getSites',
          'getStudies',
          'getInterviewQuestions'
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
          'siteSystem'
        ],
        operation: [
          'withPrescreen',
          'withPrescreenGetApiKey',
          'withPrescreenCheckEmail',
          'withPrescreenFormatData',
          'withPrescreenSendToRt',
          'withPrescreenSendComments',
          'noPrescreen',
          'noPrescreenGetApiKey',
          'noPrescreenCheckEmail',
          'noPrescreenFormatData',
          'noPrescreenSendToRt',
          'noPrescreenSendComments'
        ]
      }
    }
  }
];
