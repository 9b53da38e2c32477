import { HELP } from './help.ts';
import { credential, SAMPLE_USER, text } from './parameters.ts';

const lastFewDays = text(
  'lastFewDays',
  'The last N times 24 hours; 0 or empty for since midnight.',
  '7',
);
const level = text(
  'level',
  'all, article, advert, image or review (or 0 to 4); empty for all.',
  'all',
);

/** Operation 12. */
export const countUserPosted = {
  name: 'countUserPosted',
  documentation: "Count a user's posts over the last few days",
  help: HELP.countUserPosted,
  access: { credential: 'tokenId', scope: 'counts' },
  writes: false,
  parameters: [
    credential('tokenId', 'counts'),
    text('userId', 'The user.', SAMPLE_USER),
    lastFewDays,
    level,
  ],
  result: 'string',
} as const;

/** Operation 16. */
export const countIpPosted = {
  name: 'countIpPosted',
  documentation:
    'Count posts of an IP address over the last few days (described with the same words as countUserPosted)',
  help: HELP.countIpPosted,
  access: { credential: 'tokenId', scope: 'counts' },
  writes: false,
  parameters: [
    credential('tokenId', 'counts'),
    text('IP', 'The address; an IPv6 address counts its /64.', '203.0.113.7'),
    lastFewDays,
    level,
  ],
  result: 'string',
} as const;
