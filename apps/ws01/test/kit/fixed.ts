import type { TestContext } from 'node:test';
import { COMPILED } from '../../../../packages/asmx/test/kit/source-process.ts';
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
    putBack();
  });
}

/** Gives commands that run in this process any disk, unless a test replaces it. @returns what ends that. */
export function allowAnyDisk(): () => void {
  replaced.unshift(ANY_DISK);
  putBack();
  return () => {
    replaced.shift();
    putBack();
  };
}

const OWN = { ...FIXED };
const replaced: Partial<Fixed>[] = [];

/** What was replaced first is put back first. */
function putBack(): void {
  Object.assign(FIXED, OWN, ...replaced);
}

/**
 * What a process of ours has in its environment besides its settings: no limit by the clock is over there because the
 * machine is busy, and no disk is called short.
 * @param fixed other fixed values; `impatient` as of {@link ServiceEnv}.
 * @param modules addresses of modules that it loads first, too.
 */
export function processEnv(
  { impatient = false, ...fixed }: Pick<ServiceEnv, 'impatient'> & Partial<Fixed> = {},
  ...modules: readonly string[]
): Record<string, string> {
  const patient = impatient ? [] : [new URL('patient.ts', import.meta.url).href];
  return {
    ...COMPILED,
    NODE_OPTIONS: [...patient, import.meta.url, ...modules]
      .map((module) => `--import=${module}`)
      .join(' '),
    TEST_FIXED: JSON.stringify({ ...ANY_DISK, ...fixed }),
  };
}

if (process.env.TEST_FIXED !== undefined) Object.assign(FIXED, JSON.parse(process.env.TEST_FIXED));
