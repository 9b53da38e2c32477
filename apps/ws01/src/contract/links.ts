import { operation, string } from '@ws01/asmx/contract';
import { HELP } from './help.ts';
import { date, LENGTHS, line, SAMPLE_USER, text } from './parameters.ts';

/** Operation 11. */
export const UrltoShortUrl = operation({
  summary: 'Add a new short link',
  help: HELP.UrltoShortUrl,
  input: {
    _userId: text('The user who shortens.', SAMPLE_USER),
    _userEmail: text('E-mail address of the user.', 'ada@example.com'),
    _deadline: date('The link works until then; not given for always.', '2030-01-31T00:00:00Z'),
    _orgUrl: line(
      'The address to shorten, http or https.',
      'https://example.com/a/long/address',
      LENGTHS.url,
    ),
  },
  result: string,
});
