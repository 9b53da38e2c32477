import { operation, string } from '@ws01/asmx/contract';
import { date, LENGTHS, line, SAMPLE_USER, text } from './parameters.ts';

/** Operation 11. */
export const UrltoShortUrl = operation({
  summary: 'Add a new short link',
  help: {
    purpose: 'Creates a short link. The same URL of the same user gets the same link.',
    answer: 'The short link.',
    example: 'http://localhost:8080/s/Bh2dFgR',
    required: ['_orgUrl'],
    errors: {
      MissingParameter: 'There is no _orgUrl.',
      InvalidParameter: 'It is no http or https address, or a deadline has passed.',
      DestinationBlocked:
        'The URL contains a user name, is a short link itself, or is private and that is not allowed.',
      RateLimited: 'Too many new links came from this address.',
    },
  },
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
