import { operation, string, unencodedPlus } from '@ws01/asmx/contract';
import { HELP } from './help.ts';
import { LENGTHS, SAMPLE_GUID, text } from './parameters.ts';

/** Operation 13. */
export const submitReview = operation({
  summary: 'Submit a review',
  help: HELP.submitReview,
  input: {
    id: text('Whatever is reviewed.', SAMPLE_GUID),
    IsPositive: unencodedPlus(text('true or false; empty for no vote.', 'true'), 'lone'),
    Mark: text('A rating from 0 to 5 (or what REVIEW_SCALE says), or a remark.', '5', LENGTHS.mark),
    ip: text('Address of the reviewer; empty for the address of the caller.', '203.0.113.7'),
    userId: text('The reviewer; empty to go by the address.', 'u-1002'),
  },
  result: string,
});
