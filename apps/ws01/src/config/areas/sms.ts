import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';
import * as smsForms from '../sms-forms.ts';

export const SMS = {
  smsGateway: setting({
    variable: 'SMS_URL',
    form: smsForms.smsGateway,
    without: 'none: `CreateVerifyCode` returns the code to the caller',
    secret: 'url',
    documentation:
      'The SMS gateway: `twilio://…`, `smpp://…` or the URL of an HTTP webhook, see [text messages](operations/sms.md).',
  }),
  smsSecret: setting({
    variable: 'SMS_SECRET',
    form: forms.secretText,
    without: 'none: an HTTP webhook cannot be used',
    secret: 'whole',
    documentation:
      'Secret that signs the calls of an HTTP webhook, which checks them with the same secret.',
  }),
  smsCountries: setting({
    variable: 'SMS_COUNTRIES',
    form: forms.countries,
    without: 'none: messages are sent to all countries',
    documentation: 'Countries that text messages are sent to, such as `US,CN`; others are refused.',
  }),
  smsText: setting({
    variable: 'SMS_TEXT',
    changes: true,
    form: smsForms.smsText,
    without:
      '`{service}: your code is {code}. It is valid for 3 minutes.`; for https with the line `@host #{code}`',
    documentation:
      'Text of a message: `{code}` is the code, `{service}` is `SERVICE_NAME`; it may have lines, and `\\n` begins one.',
  }),
  smsTestCodes: setting({
    variable: 'SMS_TEST_CODES',
    form: smsForms.testCodes,
    without: 'none',
    secret: 'whole',
    documentation:
      'Test numbers with their fixed codes: `+12015550123=123456,…`, see [text messages](operations/sms.md).',
  }),
  smsKeptDays: setting({
    variable: 'SMS_KEPT_DAYS',
    changes: true,
    form: forms.integer(1, 36_500),
    fallback: '30',
    documentation: 'Days that a text message is kept after it was sent or failed.',
  }),
} as const satisfies Record<string, Setting>;
