import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

export const BUDGETS = {
  rateLimits: setting({
    variable: 'RATE_LIMITS',
    form: forms.toggle,
    fallback: 'on',
    documentation: '`off` turns off all budgets, for benchmarks and tests.',
  }),
  postsPerUser: setting({
    variable: 'POSTS_PER_USER',
    changes: true,
    form: forms.rates,
    fallback: '200/day',
    documentation: 'Articles, adverts and images together that a user may create with user tokens.',
  }),
  mailsPerSender: setting({
    variable: 'MAILS_PER_SENDER',
    changes: true,
    form: forms.rates,
    fallback: '600/h',
    documentation: 'Budget of `SendEmail`: mails of one sender.',
  }),
  mailsPerRecipient: setting({
    variable: 'MAILS_PER_RECIPIENT',
    changes: true,
    form: forms.rates,
    fallback: '10/h',
    documentation: 'Budget of `SendEmail`: mails to one recipient.',
  }),
  smsPerDay: setting({
    variable: 'SMS_PER_DAY',
    changes: true,
    form: forms.rates,
    fallback: '5000/day',
    documentation: 'Budget of all text messages together.',
  }),
} as const satisfies Record<string, Setting>;
