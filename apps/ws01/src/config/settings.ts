import { BUDGETS } from './areas/budgets.ts';
import { CONSOLE } from './areas/console.ts';
import { EVENTS } from './areas/events.ts';
import { LIMITS } from './areas/limits.ts';
import { LISTENING } from './areas/listening.ts';
import { MAIL } from './areas/mail.ts';
import { MOVING } from './areas/moving.ts';
import { RETENTION } from './areas/retention.ts';
import { RUNNING } from './areas/running.ts';
import { SERVICE } from './areas/service.ts';
import { SMS } from './areas/sms.ts';
import { STORAGE } from './areas/storage.ts';
import type { Form } from './forms.ts';
import type { Setting } from './setting.ts';

/**
 * The settings by area, in the order of the documentation. The service reads no other variables as
 * settings.
 */
export const AREAS = [
  { title: 'Listening', settings: LISTENING },
  { title: 'The service', settings: SERVICE },
  { title: 'Console and public reading', settings: CONSOLE },
  { title: 'Database and files', settings: STORAGE },
  { title: 'Backups and retention', settings: RETENTION },
  { title: 'Taking over from an older service', settings: MOVING },
  { title: 'Limits', settings: LIMITS },
  { title: 'Budgets', settings: BUDGETS },
  { title: 'Mail', settings: MAIL },
  { title: 'Text messages', settings: SMS },
  { title: 'Events', settings: EVENTS },
  { title: 'Processes, log and metrics', settings: RUNNING },
] as const satisfies readonly {
  readonly title: string;
  readonly settings: Record<string, Setting>;
}[];

/** The variables that anybody sets, in the order in which a new settings file has them. */
export const USUAL = [
  ...['BASE_URL', 'TRUSTED_PROXIES', 'HOST', 'PORT', 'DATA_DIR'],
  ...['TIME_ZONE', 'DEFAULT_COUNTRY', 'SERVICE_NAME', 'BACKUP_TO', 'BACKUP_KEEP'],
  ...['SMTP_URL', 'MAIL_FROM', 'MAIL_DKIM_KEY', 'SMS_URL', 'METRICS_PORT'],
] as const;

/** Every setting, in the order of {@link AREAS}. */
export const SETTINGS = {
  ...LISTENING,
  ...SERVICE,
  ...CONSOLE,
  ...STORAGE,
  ...RETENTION,
  ...MOVING,
  ...LIMITS,
  ...BUDGETS,
  ...MAIL,
  ...SMS,
  ...EVENTS,
  ...RUNNING,
} as const satisfies Record<string, Setting>;

type ValueOf<S extends Setting> = S extends { form: Form<infer Value> }
  ? S extends { fallback: string }
    ? Value
    : Value | undefined
  : never;

/** The value of each setting. */
export type Settings = {
  readonly [Property in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Property]>;
};
