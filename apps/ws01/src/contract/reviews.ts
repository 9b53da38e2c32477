import { operation, string, unencodedPlus } from '@ws01/asmx/contract';
import { LENGTHS, SAMPLE_GUID, text } from './parameters.ts';

/** Operation 13. */
export const submitReview = operation({
  summary: 'Submit a review',
  help: {
    purpose:
      'Votes for or against a record, rates it, or remarks on it. Each voter has one review ' +
      'per record: a later call replaces it.',
    answer: 'The totals of all reviews, and this voter’s own review, as JSON.',
    example: JSON.stringify({
      id: '0f8fad5b-d9cb-469f-a165-70867728950e',
      positive: 1,
      negative: 0,
      score: 0.206549,
      averageMark: 5,
      marks: 1,
      yours: { isPositive: true, mark: 5 },
    }),
    required: ['id'],
    errors: {
      MissingParameter: 'There is no id, or neither IsPositive nor Mark.',
      InvalidParameter: 'IsPositive is none of the words, or Mark is outside the scale.',
      Forbidden: 'The record belongs to the voter, or REVIEWS_FROM refuses the caller.',
      RateLimited: 'Too many reviews came from this address.',
    },
  },
  input: {
    id: text('Whatever is reviewed.', SAMPLE_GUID),
    IsPositive: unencodedPlus(text('true or false; empty for no vote.', 'true'), 'lone'),
    Mark: text('A rating from 0 to 5 (or what REVIEW_SCALE says), or a remark.', '5', LENGTHS.mark),
    ip: text('Address of the reviewer; empty for the address of the caller.', '203.0.113.7'),
    userId: text('The reviewer; empty to go by the address.', 'u-1002'),
  },
  result: string,
});
