import { Ws01Error } from '../contract/errors.ts';
import { auditAct } from '../domain/audit/audit.ts';
import { beginCheck } from '../domain/backup/records.ts';
import type { RestorePlan } from '../domain/backup/restore.ts';
import {
  type AskedRestore,
  RESTORE_STEPS,
  type RestoreProgress,
  type Restores,
} from '../domain/backup/restores.ts';
import { shellWord } from '../failure/shell-word.ts';
import { readRow } from './kind.ts';
import { BACKUPS } from './kinds.ts';
import { invalid } from './problem.ts';
import type { Route } from './route.ts';
import { flag, instant, integer, list, nullable, object, text, word } from './schema.ts';
import { actorOf, type VerbDeps } from './verbs.ts';

export interface RestoreRouteDeps extends VerbDeps {
  /** Why no backup can be made or verified: there is no place for them. */
  readonly noBackups: () => string | undefined;
  /** What a restore of a backup would do. */
  readonly planRestore: (name: string) => Promise<RestorePlan>;
  /** The restores that the service carries out itself. */
  readonly restores: Pick<Restores, 'hindrance' | 'progress' | 'begin' | 'tell'>;
  /** Restores a backup, a check of which has begun. */
  readonly restore: (asked: AskedRestore) => Promise<void>;
  /** What people type on the machine of the service. */
  readonly machine: {
    readonly command: string;
    readonly stop: string | undefined;
    readonly start: string | undefined;
  };
}

/** Routes about the restore of a backup: what it would do, and to have the service do it. */
export function restoreRoutes(deps: RestoreRouteDeps): readonly Route[] {
  return [planRoute(deps), restoreRoute(deps), progressRoute(deps)];
}

const PROGRESS = {
  ...object({
    step: word('What is done now, or how it ended.', ...RESTORE_STEPS),
    undo: nullable(text('The backup of what was there before; null until it is made.')),
    undoId: nullable(text('Its key.')),
    cancelled: nullable(
      integer('Mails and text messages that waited when the backup was made, and are not sent.'),
    ),
    fault: nullable(text('Why it failed, in a sentence.')),
  }),
  title: 'RestoreProgress',
};

const progressOf = ({ step, undo, cancelled, fault }: RestoreProgress) => ({
  ...{ step, undo: undo?.name ?? null, undoId: undo?.id ?? null },
  ...{ cancelled: cancelled ?? null, fault: fault ?? null },
});

function planRoute({ store, planRestore, machine, restores }: RestoreRouteDeps): Route {
  return {
    method: 'get',
    path: '/backups/{id}/restore',
    id: 'planRestore',
    tag: 'backups',
    summary: 'What a restore of it would do',
    role: 'owner',
    result: object({
      from: text('Where the backup is.'),
      madeAt: nullable(instant('When it was made.')),
      rows: nullable(integer('Rows in it.')),
      images: nullable(integer('Image files in it; null where they are not copied.')),
      to: text('The database that it would replace.'),
      present: nullable(text('The number of rows there now; `damaged` where they cannot be read.')),
      command: text('The command that does it.'),
      commands: list(
        'What to type on the machine of the service, in this order: that, between what stops and starts the service.',
        text(''),
      ),
      hindrance: nullable(
        text('Why the service does not do it itself, in a sentence; null where it does.'),
      ),
    }),
    errors: ['NotFound', 'Busy'],
    async run({ path }) {
      const { name } = await readRow(store, BACKUPS, path.id!);
      const { from, madeAt, rows, images, to, present } = await planRestore(name);
      const command = `${machine.command} restore --name ${shellWord(name)} --yes --replace`;
      const commands = [machine.stop, command, machine.start].filter((one) => one !== undefined);
      const there = present === null ? null : String(present);
      const { hindrance = null } = restores;
      return { from, madeAt, rows, images, to, present: there, command, commands, hindrance };
    },
  };
}

function progressRoute({ store, restores }: RestoreRouteDeps): Route {
  return {
    method: 'get',
    path: '/backups/{id}/restore/progress',
    id: 'restoreProgress',
    tag: 'backups',
    summary: 'How far a restore of it is that the service carries out, or how it ended',
    role: 'owner',
    result: object({ progress: nullable(PROGRESS) }),
    errors: ['NotFound'],
    async run({ path }) {
      const { id } = await readRow(store, BACKUPS, path.id!);
      const { progress } = restores;
      return { progress: progress?.id === id ? progressOf(progress) : null };
    },
  };
}

/** Everything that was written after the backup goes: so its name is given once more. */
function restoreRoute({ store, clock, noBackups, restores, restore }: RestoreRouteDeps): Route {
  return {
    method: 'post',
    path: '/backups/{id}/restore',
    id: 'restoreBackup',
    tag: 'backups',
    summary:
      'Have the service replace its database by that of the backup, after it was verified and a backup made of what is there; meanwhile all is answered by 503',
    role: 'owner',
    confirmed: true,
    body: object(
      {
        name: text('The name of the backup, to confirm it.', { maxLength: 200 }),
        reason: text('Why; the audit trail of the restored database keeps it.', { maxLength: 200 }),
      },
      ['reason'],
    ),
    result: object({ started: flag('Whether it is begun: always, else it is an error.') }),
    status: 202,
    errors: ['NotFound', 'Busy'],
    async run(call) {
      const { id, name } = await readRow(store, BACKUPS, call.path.id!);
      if (call.body.name !== name) throw invalid('name', 'name must be that of the backup.');
      const refusal = noBackups();
      if (refusal !== undefined) throw new Ws01Error('Busy', refusal);
      const by = actorOf(call);
      restores.begin({ id, name, by });
      try {
        await store.write(async (tx) => {
          const now = clock();
          await beginCheck(tx, { id, by: by.admin ?? by.tokenId ?? '', now });
          await auditAct(tx, 'backup.restore', id, now, by);
        });
      } catch (error) {
        restores.tell({ step: 'failed', fault: (error as Error).message });
        throw error;
      }
      void restore({ id, name, by });
      return { started: true };
    },
  };
}
