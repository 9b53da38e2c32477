import { NO_RATES, RATE_TEXTS, type Sides } from './sides.ts';

/** How often things can be had. */
export const BUDGETS = {
  MAILS_PER_SENDER: { property: 'mailsPerSender', takes: RATE_TEXTS, refuses: NO_RATES },
  MAILS_PER_RECIPIENT: { property: 'mailsPerRecipient', takes: RATE_TEXTS, refuses: NO_RATES },
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
