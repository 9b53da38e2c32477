import type { AuditAction } from '../audit/actions.ts';
import { type AuditEntry, auditAct } from '../audit/audit.ts';
import { noteHold } from '../retention/absence.ts';
import { isNameOfFile } from './file-names.ts';
import { adoptFiles, filesIdOf } from './file-owner.ts';
import { returnFile } from './file-trash.ts';
import { type SweepDeps, type SweepResult, sweepFiles } from './sweep.ts';

/** What an operator asks for on the command line. Each request is recorded in the audit trail. */

/** Says that the files belong to this database. @returns whether they did not. */
export async function adoptFilesOnRequest(deps: SweepDeps): Promise<{ readonly changed: boolean }> {
  const before = await adoptFiles(deps);
  await noteHold(deps.store, undefined, deps.clock());
  const changed = before !== (await filesIdOf(deps.store));
  if (changed) await record(deps, 'files.adopt', { before: before ?? null });
  return { changed };
}

/** Sweeps now. @param all also more than a small share of all files. */
export async function sweepOnRequest(deps: SweepDeps, all: boolean): Promise<SweepResult> {
  const { store, spool } = deps.files;
  const result = await sweepFiles(
    deps,
    { store: await store.now(), spool: await spool.now() },
    { all },
  );
  const { trashed, removed } = result;
  if (trashed + removed > 0) await record(deps, 'files.sweep', { trashed, removed, all });
  return result;
}

/**
 * Puts files back from the trash.
 * @param names of files; `undefined` for all.
 * @returns how many were put back, and which names the trash does not have.
 */
export async function putBackOnRequest(
  deps: SweepDeps,
  names: readonly string[] | undefined,
): Promise<{ readonly putBack: number; readonly missing: readonly string[] }> {
  const { store } = deps.files;
  const wanted = names === undefined ? undefined : new Set(names);
  const found = new Set<string>();
  let putBack = 0;
  for await (const file of store.trash.list()) {
    if (!isNameOfFile(file.name) || wanted?.has(file.name) === false) continue;
    found.add(file.name);
    if (await returnFile(store, file)) putBack++;
  }
  if (putBack > 0) await record(deps, 'files.put-back', { files: putBack });
  return { putBack, missing: [...(wanted ?? [])].filter((name) => !found.has(name)) };
}

function record(
  { store, clock }: SweepDeps,
  action: AuditAction,
  details: AuditEntry['details'] & object,
): Promise<void> {
  return store.write((tx) => auditAct(tx, action, undefined, clock(), undefined, details));
}
