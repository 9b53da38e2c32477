import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import { allOff, switchTo } from '../shared/switches.ts';

/** The first steps of an installation, in the order in which they are taken. */
export const FIRST_STEPS = ['article', 'mail', 'backup', 'token'] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

/** Which of the first steps owners do not want to see any more. */
export interface HiddenSteps {
  /** Whether the whole list is hidden. */
  readonly all: boolean;
  /** Those that somebody has said are not needed. */
  readonly unneeded: ReadonlySet<FirstStep>;
}

const LIST = 'first-steps';
const nameOf = (step: FirstStep) => `${LIST}.${step}`;

export async function hiddenSteps(store: Store): Promise<HiddenSteps> {
  const off = await store.read(allOff);
  return {
    all: off.has(LIST),
    unneeded: new Set(FIRST_STEPS.filter((step) => off.has(nameOf(step)))),
  };
}

/** Hides the list of first steps, or one that is not needed, for all owners. */
export async function hideSteps(store: Store, step: FirstStep | 'all', now: Instant) {
  const name = step === 'all' ? LIST : nameOf(step);
  await store.write((tx) => switchTo(tx, name, 'off', now));
}

/** Brings back a step that was not needed, or the list with all of them. */
export async function showSteps(store: Store, step: FirstStep | 'all', now: Instant) {
  const names = step === 'all' ? [LIST, ...FIRST_STEPS.map(nameOf)] : [nameOf(step)];
  await store.write(async (tx) => {
    for (const name of names) await switchTo(tx, name, 'on', now);
  });
}
