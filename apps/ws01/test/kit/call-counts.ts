import { SUMMED } from '../../src/domain/calls/history.ts';
import type { CallCountsTable, CountStep } from '../../src/store/tables/tables.ts';

/** A row of counts: of one call, or of so many, without an error. */
export const countAt = (step: CountStep, at: number, calls = 1): CallCountsTable => ({
  ...(Object.fromEntries(SUMMED.map((column) => [column, 0])) as unknown as CallCountsTable),
  ...{ step, at, operation: 'A', binding: 'json', error: '', calls, us: 1 },
});
