import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './take.ts';

/** How many messages were judged, and what was wrong with some. */
interface Validity {
  readonly judged: number;
  readonly wrong: readonly string[];
}

/** What libxml2 and zeep say of a WSDL and of its messages; see judge.py. */
export interface Verdict {
  readonly libxml2: boolean;
  readonly zeep: boolean;
  /** Why libxml2 has no schema of it. */
  readonly noSchema: string | null;
  readonly requests?: Validity | null;
  readonly answers?: Validity | null;
  /** Why zeep cannot load the old WSDL, and ours. */
  readonly old?: string | null;
  readonly ours?: string | null;
  /** Whether zeep sees the same operations in both. */
  readonly same?: boolean;
}

/** Asks about each WSDL that was imported. Without Python there is no verdict. */
export async function judge(outcomes: readonly Outcome[]): Promise<ReadonlyMap<Outcome, Verdict>> {
  const verdicts = new Map<Outcome, Verdict>();
  const folder = await mkdtemp(join(tmpdir(), 'asmx-judge-'));
  const child = spawn('/usr/bin/python3', [fileURLToPath(new URL('judge.py', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.on('error', () => child.stdout.destroy());
  child.stdin.on('error', () => {});
  const told = createInterface(child.stdout)[Symbol.asyncIterator]();
  try {
    for (const outcome of outcomes.filter(({ step }) => step === 'passed')) {
      const served = join(folder, 'served.wsdl');
      await writeFile(served, outcome.served);
      const requests = outcome.calls.flatMap((each) => each.requests);
      const answers = outcome.calls.flatMap((each) => each.answers);
      child.stdin.write(`${JSON.stringify({ wsdl: outcome.file, served, requests, answers })}\n`);
      const { value, done } = await told.next();
      if (done) break;
      verdicts.set(outcome, JSON.parse(value));
    }
    return verdicts;
  } finally {
    child.stdin.end();
    await rm(folder, { recursive: true, force: true });
  }
}
