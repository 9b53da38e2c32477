import { HELP } from './help.ts';
import { LENGTHS, SAMPLE_GUID, text } from './parameters.ts';

/** Operation 13. */
export const submitReview = {
  name: 'submitReview',
  documentation: 'Submit a review',
  help: HELP.submitReview,
  access: undefined,
  writes: true,
  parameters: [
    text('id', 'Whatever is reviewed.', SAMPLE_GUID),
    { ...text('IsPositive', 'true or false; empty for no vote.', 'true'), unencodedPlus: 'lone' },
    text(
      'Mark',
      'A rating from 0 to 5 (or what REVIEW_SCALE says), or a remark.',
      '5',
      LENGTHS.mark,
    ),
    text('ip', 'Address of the reviewer; empty for the address of the caller.', '203.0.113.7'),
    text('userId', 'The reviewer; empty to go by the address.', 'u-1002'),
  ],
  result: 'string',
} as const;
