import { HELP } from './help.ts';
import { date, LENGTHS, line, SAMPLE_USER, text } from './parameters.ts';

/** Operation 11. */
export const UrltoShortUrl = {
  name: 'UrltoShortUrl',
  documentation: 'Add a new short link',
  help: HELP.UrltoShortUrl,
  access: undefined,
  writes: true,
  parameters: [
    text('_userId', 'The user who shortens.', SAMPLE_USER),
    text('_userEmail', 'E-mail address of the user.', 'ada@example.com'),
    date('_deadline', 'The link works until then; not given for always.', '2030-01-31T00:00:00Z'),
    line(
      '_orgUrl',
      'The address to shorten, http or https.',
      'https://example.com/a/long/address',
      LENGTHS.url,
    ),
  ],
  result: 'string',
} as const;
