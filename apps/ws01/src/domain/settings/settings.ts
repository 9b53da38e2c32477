import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import { columns, prepare } from '../../store/prepared.ts';
import type { Instant, SettingsTable, Tables } from '../../store/tables/tables.ts';
import { type Actor, auditAct } from '../audit/audit.ts';

/** The settings that were changed while the service ran. */
export function storedSettings(db: Kysely<Tables>): Promise<SettingsTable[]> {
  return allSettings.all(db, {});
}

/** What is answered about a setting that does not exist. */
export function noSetting(variable: string): Ws01Error {
  const message = say`There is no setting ${{ variable: variable.slice(0, 100) }}.`;
  return new Ws01Error('NotFound', message, { parameter: 'variable' });
}

interface SettingChange {
  readonly variable: string;
  /** `null` for what the setting is when nobody has changed it. */
  readonly value: string | null;
  readonly at: Instant;
  readonly by: Actor;
  /** What the audit trail has of a value. */
  readonly masked: (value: string) => string;
}

/** Changes a setting of all nodes. @returns whether that changed anything. */
export async function changeSetting(
  tx: Kysely<Tables>,
  { variable, value, at, by, masked }: SettingChange,
): Promise<boolean> {
  const stored = await settingOf.first(tx, { variable });
  const before = stored?.value ?? null;
  if (before === value) return false;
  if (value === null) await removeSetting.run(tx, { variable });
  else
    await putSetting.run(tx, {
      ...{ variable, value, changed_by: by.admin ?? by.tokenId ?? null },
      // The time tells one change of a secret from another, also of two within a millisecond.
      changed_at: stored === undefined ? at : Math.max(at, Number(stored.changed_at) + 1),
    });
  await auditAct(tx, 'setting.change', variable, at, by, {
    before: before && masked(before),
    after: value && masked(value),
  });
  return true;
}

const allSettings = prepare((db) => db.selectFrom('settings').selectAll().orderBy('variable'));

const settingOf = prepare((db, { variable }: { variable: string }) =>
  db.selectFrom('settings').select(['value', 'changed_at']).where('variable', '=', variable),
);

const removeSetting = prepare((db, { variable }: { variable: string }) =>
  db.deleteFrom('settings').where('variable', '=', variable),
);

const putSetting = prepare((db, row: SettingsTable) =>
  db
    .insertInto('settings')
    .values(columns(row, 'variable value changed_at changed_by'))
    .onConflict((conflict) =>
      conflict.column('variable').doUpdateSet(columns(row, 'value changed_at changed_by')),
    ),
);
