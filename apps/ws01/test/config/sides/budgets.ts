import { NO_RATES, RATE_TEXTS, type Sides, switched } from './sides.ts';

/** How often things can be had. */
export const BUDGETS = {
  MAILS_PER_SENDER: { property: 'mailsPerSender', takes: RATE_TEXTS, refuses: NO_RATES },
  MAILS_PER_RECIPIENT: { property: 'mailsPerRecipient', takes: RATE_TEXTS, refuses: NO_RATES },
  SMS_PER_DAY: { property: 'smsPerDay', takes: RATE_TEXTS, refuses: NO_RATES },
  POSTS_PER_USER: { property: 'postsPerUser', takes: RATE_TEXTS, refuses: NO_RATES },
  RATE_LIMITS: switched('rateLimits'),
} satisfies Readonly<Record<string, Sides>>;
