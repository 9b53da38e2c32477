import { operation, string } from '@ws01/asmx/contract';
import { SAMPLE_USER, text, tokenFor } from './parameters.ts';

const lastFewDays = text('The last N times 24 hours; 0 or empty for since midnight.', '7');
const level = text('all, article, advert, image or review (or 0 to 4); empty for all.', 'all');

/** Operation 12. */
export const countUserPosted = operation({
  summary: "Count a user's posts over the last few days",
  help: {
    purpose: 'Counts the records that a user has created.',
    answer: 'The number.',
    example: '3',
    required: ['tokenId', 'userId'],
    errors: {
      MissingParameter: 'There is no userId.',
      InvalidParameter: 'lastFewDays is no number from 0 to 3650, or level is not known.',
      Forbidden: 'A user token names another user.',
    },
  },
  readOnly: true,
  input: {
    tokenId: tokenFor('counts'),
    userId: text('The user.', SAMPLE_USER),
    lastFewDays,
    level,
  },
  result: string,
});

/** Operation 16. */
export const countIpPosted = operation({
  summary:
    'Count posts of an IP address over the last few days (described with the same words as ' +
    'countUserPosted)',
  help: {
    purpose: 'Counts the records created from an IP address; an IPv6 address counts its /64.',
    answer: 'The number.',
    example: '3',
    required: ['tokenId'],
    errors: {
      InvalidParameter: 'lastFewDays is no number from 0 to 3650, or level is not known.',
    },
  },
  readOnly: true,
  input: {
    tokenId: tokenFor('counts'),
    IP: text('The address; an IPv6 address counts its /64.', '203.0.113.7'),
    lastFewDays,
    level,
  },
  result: string,
});
