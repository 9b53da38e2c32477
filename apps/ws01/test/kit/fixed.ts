import type { TestContext } from 'node:test';
import { FIXED, type Fixed } from '../../src/config/fixed.ts';
import { parseRates, type Rate } from '../../src/domain/values/rate.ts';

/**
 * Variables of the environment for `startService`; `fixed` replaces fixed values, `impatient` is
 * for tests of limits by the clock that wait for them (docs/decisions/time-limits.md).
 */
export interface ServiceEnv {
  readonly [variable: string]: string | boolean | Partial<Fixed> | undefined;
  readonly fixed?: Partial<Fixed>;
  readonly impatient?: boolean;
}

/** Reads the rates of a budget, such as `1/30s 5/10min`. */
export const rates = (text: string): readonly Rate[] => parseRates(text)!;

/** A disk that is never called short: how full the disk of the machine is that tests run on is no matter of theirs. */
export const ANY_DISK = { diskWarnBelow: { percent: 0, bytes: 0 } } as const;

/** A disk that is always called short. */
export const NO_DISK = { diskWarnBelow: { percent: 100, bytes: Number.MAX_VALUE } } as const;

/** Gives commands that run in this process other fixed values until the test ends. */
export function replaceFixed(test: TestContext, fixed: Partial<Fixed>): void {
  replaced.push(fixed);
  Object.assign(FIXED, fixed);
  test.after(() => {
    replaced.splice(replaced.indexOf(fixed), 1);
    // What was replaced first is put back first.
    Object.assign(FIXED, OWN, ...replaced);
  });
}

const OWN = { ...FIXED };
const replaced: Partial<Fixed>[] = [];

/** Returns variables by which a service that is a process of its own has other fixed values: it loads this file first. */
export function fixedInProcess(fixed: Partial<Fixed>): Record<string, string> {
  return { NODE_OPTIONS: `--import=${import.meta.url}`, TEST_FIXED: JSON.stringify(fixed) };
}

if (process.env.TEST_FIXED !== undefined) Object.assign(FIXED, JSON.parse(process.env.TEST_FIXED));
