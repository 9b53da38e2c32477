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
    form: forms.rates,
    fallback: '200/day',
    documentation: 'Articles, adverts and images together that a user may create with user tokens.',
  }),
  linksPerAddress: setting({
    variable: 'LINKS_PER_ADDRESS',
    form: forms.rates,
    fallback: '600/min',
    documentation: 'Budget of `UrltoShortUrl`: new short links from one address.',
  }),
  reviewsPerAddress: setting({
    variable: 'REVIEWS_PER_ADDRESS',
    form: forms.rates,
    fallback: '600/min',
    documentation: 'Budget of `submitReview`: reviews from one address.',
  }),
  queriesPerAddress: setting({
    variable: 'QUERIES_PER_ADDRESS',
    form: forms.rates,
    fallback: '6000/min',
    documentation: 'Budget of `QueryImgData` and `QueryAdvert` together, from one address.',
  }),
  picturesPerAddress: setting({
    variable: 'PICTURES_PER_ADDRESS',
    form: forms.rates,
    fallback: '600/min',
    documentation: 'Budget of QR codes of short links for one address; cached codes do not count.',
  }),
  mailsPerSender: setting({
    variable: 'MAILS_PER_SENDER',
    form: forms.rates,
    fallback: '600/h',
    documentation: 'Budget of `SendEmail`: mails of one sender.',
  }),
  mailsPerRecipient: setting({
    variable: 'MAILS_PER_RECIPIENT',
    form: forms.rates,
    fallback: '10/h',
    documentation: 'Budget of `SendEmail`: mails to one recipient.',
  }),
  recipientsPerBody: setting({
    variable: 'RECIPIENTS_PER_BODY',
    form: forms.rates,
    fallback: '10/10min',
    documentation:
      'Mailboxes that a user token may send the same text to; more is refused as mass mail.',
  }),
  recipientsPerBodyOfService: setting({
    variable: 'RECIPIENTS_PER_BODY_OF_SERVICE',
    form: forms.rates,
    fallback: '100/10min',
    documentation:
      'Mailboxes that service and admin tokens may send the same text to, for each sender.',
  }),
  codesPerPhone: setting({
    variable: 'CODES_PER_PHONE',
    form: forms.rates,
    fallback: '100/10min',
    documentation: 'Budget of `CreateVerifyCode` without an SMS gateway: codes for one number.',
  }),
  smsPerPhone: setting({
    variable: 'SMS_PER_PHONE',
    form: forms.rates,
    fallback: '1/30s 5/10min',
    documentation: 'Budget of `CreateVerifyCode` with an SMS gateway: codes sent to one number.',
  }),
  smsPerPrefix: setting({
    variable: 'SMS_PER_PREFIX',
    form: forms.rates,
    fallback: '30/h',
    documentation: 'Budget of text messages to numbers that differ only in their last four digits.',
  }),
  smsPerCountry: setting({
    variable: 'SMS_PER_COUNTRY',
    form: forms.rates,
    fallback: '300/h',
    documentation: 'Budget of text messages to one country other than `DEFAULT_COUNTRY`.',
  }),
  smsPerUser: setting({
    variable: 'SMS_PER_USER',
    form: forms.rates,
    fallback: '10/h',
    documentation: 'Budget of text messages that one user requests with user tokens.',
  }),
  smsPerToken: setting({
    variable: 'SMS_PER_TOKEN',
    form: forms.rates,
    fallback: '1000/h',
    documentation: 'Budget of text messages requested with one service or admin token.',
  }),
  smsPerDay: setting({
    variable: 'SMS_PER_DAY',
    form: forms.rates,
    fallback: '5000/day',
    documentation: 'Budget of all text messages together.',
  }),
} as const satisfies Record<string, Setting>;
