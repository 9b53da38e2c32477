import { NO_RATES, RATE_TEXTS, type Sides } from './sides.ts';

/** How often things can be had. */
export const BUDGETS = {
  LINKS_PER_ADDRESS: { property: 'linksPerAddress', takes: RATE_TEXTS, refuses: NO_RATES },
  REVIEWS_PER_ADDRESS: { property: 'reviewsPerAddress', takes: RATE_TEXTS, refuses: NO_RATES },
  QUERIES_PER_ADDRESS: { property: 'queriesPerAddress', takes: RATE_TEXTS, refuses: NO_RATES },
  PICTURES_PER_ADDRESS: { property: 'picturesPerAddress', takes: RATE_TEXTS, refuses: NO_RATES },
  MAILS_PER_SENDER: { property: 'mailsPerSender', takes: RATE_TEXTS, refuses: NO_RATES },
  MAILS_PER_RECIPIENT: { property: 'mailsPerRecipient', takes: RATE_TEXTS, refuses: NO_RATES },
  RECIPIENTS_PER_BODY: { property: 'recipientsPerBody', takes: RATE_TEXTS, refuses: NO_RATES },
  RECIPIENTS_PER_BODY_OF_SERVICE: {
    property: 'recipientsPerBodyOfService',
    takes: RATE_TEXTS,
    refuses: NO_RATES,
  },
  CODES_PER_PHONE: { property: 'codesPerPhone', takes: RATE_TEXTS, refuses: NO_RATES },
  SMS_PER_PHONE: { property: 'smsPerPhone', takes: RATE_TEXTS, refuses: NO_RATES },
  SMS_PER_PREFIX: { property: 'smsPerPrefix', takes: RATE_TEXTS, refuses: NO_RATES },
  SMS_PER_COUNTRY: { property: 'smsPerCountry', takes: RATE_TEXTS, refuses: NO_RATES },
  SMS_PER_USER: { property: 'smsPerUser', takes: RATE_TEXTS, refuses: NO_RATES },
  SMS_PER_TOKEN: { property: 'smsPerToken', takes: RATE_TEXTS, refuses: NO_RATES },
  SMS_PER_DAY: { property: 'smsPerDay', takes: RATE_TEXTS, refuses: NO_RATES },
  POSTS_PER_USER: { property: 'postsPerUser', takes: RATE_TEXTS, refuses: NO_RATES },
  RATE_LIMITS: {
    property: 'rateLimits',
    takes: [
      ['on', true],
      ['OFF', false],
    ],
    refuses: ['true', '0', 'none'],
  },
} satisfies Readonly<Record<string, Sides>>;
