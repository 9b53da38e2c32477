import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import type { loadConfig } from '../../../src/config/config.ts';
import type { SETTINGS } from '../../../src/config/settings.ts';

export type Variable = (typeof SETTINGS)[keyof typeof SETTINGS]['variable'];

/** Texts that a variable takes, with what they become in the configuration, and texts that it refuses. */
export interface Sides {
  readonly property: keyof ReturnType<typeof loadConfig>;
  readonly takes: readonly (readonly [text: string, value: unknown])[];
  readonly refuses: readonly string[];
  /** Other variables that it needs. */
  readonly with?: Readonly<Record<string, string>>;
}

/** A switch. */
export const switched = (property: Sides['property']): Sides => ({
  ...{ property, refuses: ['yes', 'true', '0', '1', 'none'] },
  takes: [
    ['on', true],
    ['OFF', false],
  ],
});

/** A whole number: both ends are taken, what is beyond them is not. */
export const between = (
  property: Sides['property'],
  least: number,
  most: number,
  ...refuses: readonly string[]
): Sides => ({
  property,
  takes: [least, most].map((end) => [String(end), end]),
  refuses: [String(least - 1), String(most + 1), ...refuses],
});

/** Texts that are the value. */
export const same = (...texts: readonly string[]): Sides['takes'] =>
  texts.map((text) => [text, text]);

/** Texts and their values. */
export const pairs = (values: Readonly<Record<string, unknown>>): Sides['takes'] =>
  Object.entries(values);

/** Budgets are written alike. */
export const RATE_TEXTS = [
  ['off', []],
  ['600/min', [{ limit: 600, window: 60_000 }]],
  ['2000000000/day', [{ limit: 2_000_000_000, window: 86_400_000 }]],
  [
    '1/30s 5/10min',
    [
      { limit: 1, window: 30_000 },
      { limit: 5, window: 600_000 },
    ],
  ],
  [
    ' 600/h\t200/DAY'.toLowerCase(),
    [
      { limit: 600, window: 3_600_000 },
      { limit: 200, window: 86_400_000 },
    ],
  ],
] as const;

export const NO_RATES = words('on 0/min 5 5/ /min 5/0min 5/min,6/h -1/h 5/year 1e3/h 2000000001/s');
