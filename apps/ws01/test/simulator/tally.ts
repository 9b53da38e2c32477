/** What happened in simulated days, in numbers. */
export interface Tally {
  days: number;
  /** Calls that clients made, each repeat counted. */
  calls: number;
  /** Answers, messages, articles and budgets that were held against what was promised. */
  checks: number;
  /** Faults, by kind: `database refused`, `node killed` … */
  readonly faults: Record<string, number>;
}

export function newTally(): Tally {
  return { days: 0, calls: 0, checks: 0, faults: {} };
}

export function countFault({ faults }: Pick<Tally, 'faults'>, kind: string): void {
  faults[kind] = (faults[kind] ?? 0) + 1;
}

/** Adds what happened in one part to a whole. */
export function addTally(whole: Tally, part: Tally): void {
  whole.days += part.days;
  whole.calls += part.calls;
  whole.checks += part.checks;
  for (const [kind, times] of Object.entries(part.faults))
    whole.faults[kind] = (whole.faults[kind] ?? 0) + times;
}

/** As lines for people. */
export function describeTally({ days, calls, checks, faults }: Tally): string {
  const kinds = Object.entries(faults).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    `${days} days, ${calls} calls, ${checks} checks; faults:`,
    ...kinds.map(([kind, times]) => `  ${kind}: ${times}`),
    '',
  ].join('\n');
}
