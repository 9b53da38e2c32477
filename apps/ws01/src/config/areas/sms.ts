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
  smsNetworks: setting({
    variable: 'SMS_NETWORKS',
    form: forms.networks,
    without: 'none: only public addresses are connected to',
    documentation: 'Private networks that `SMS_URL` may lead to; written as `TRUSTED_PROXIES`.',
  }),
  smsSecret: setting({
    variable: 'SMS_SECRET',
    form: forms.secretText,
    without: 'none: an HTTP webhook cannot be used',
    secret: 'whole',
    documentation: 'Secret that calls of an HTTP webhook are signed with; it knows the same one.',
  }),
  smsCountries: setting({
    variable: 'SMS_COUNTRIES',
    form: forms.countries,
    without: 'none: messages go to all countries',
    documentation: 'Countries that text messages are sent to, such as `US,CN`; to others they are refused.',
  }),
  smsText: setting({
    variable: 'SMS_TEXT',
    form: smsForms.smsText,
    fallback: '{service}: your code is {code}. It is valid for 3 minutes.',
    documentation: 'What a text message says: `{code}` is the code, `{service}` is `SERVICE_NAME`.',
  }),
  smsKeptDays: setting({
    variable: 'SMS_KEPT_DAYS',
    form: forms.integer(1, 36_500),
    fallback: '30',
    documentation: 'Days after its end that a text message can be looked at.',
  }),
} as const satisfies Record<string, Setting>;
