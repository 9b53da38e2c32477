import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Rate } from '../domain/values/rate.ts';
import { ConfigError } from './config-error.ts';
import {
  cutNote,
  type Environment,
  findSetting,
  misspeltNames,
  overruledNote,
  settingText,
} from './environment.ts';
import { FIXED, type Fixed, FORMER_SETTINGS, fixedWarnings } from './fixed.ts';
import { MOST_WORKERS, timeZone } from './forms.ts';
import type { Setting } from './setting.ts';
import { SETTINGS, type Settings } from './settings.ts';
import { redactUrl, type ShownSetting, settingsShown } from './shown.ts';

export type { FilesLocation } from './address-forms.ts';
export { ConfigError } from './config-error.ts';
export type { Mailbox } from './forms.ts';
export type { SmsGatewaySetting } from './sms-forms.ts';

/** The configuration: every setting, checked and frozen (semantics 6), and what is fixed. */
export interface Config
  extends Fixed,
    Omit<Settings, 'filesUrl' | 'workers' | 'trustedProxies' | 'trustedCallers'> {
  /** Number of processes that serve calls. */
  readonly workers: number;
  /** Where image files are stored. */
  readonly files: NonNullable<Settings['filesUrl']>;
  /**
   * Whether `BACKUP_TO` is set; else backups are where all the data is, and the first one is asked
   * for.
   */
  readonly isBackupToSet: boolean;
  /** Networks in CIDR form whose `X-Forwarded-For` is trusted; may be empty. */
  readonly trustedProxies: readonly string[];
  /** Networks in CIDR form of back ends that are trusted without a credential; may be empty. */
  readonly trustedCallers: readonly string[];
}

/**
 * Reads the settings. Only this folder reads the environment; an empty value counts as not set.
 * @param fixed replaces fixed values, for tests.
 * @throws {ConfigError} for the first invalid setting, in the order of {@link SETTINGS}.
 */
export function loadConfig(
  environment: Environment = process.env,
  fixed: Partial<Fixed> = {},
): Config {
  const settings = Object.fromEntries(
    Object.entries(SETTINGS).map(([property, setting]) => [
      property,
      read(setting, textOf(setting, environment)),
    ]),
  ) as unknown as Settings;
  if (settings.smsGateway?.kind === 'webhook' && settings.smsSecret === undefined) {
    throw new ConfigError(
      'SMS_SECRET must be set where SMS_URL is an HTTP webhook, to sign its calls.',
    );
  }
  if (settings.mailUnsubscribe && !settings.baseUrl?.startsWith('https:')) {
    throw new ConfigError(
      'MAIL_UNSUBSCRIBE=on needs a BASE_URL with https, which mail programs call.',
    );
  }
  if (settings.databaseReadUrl !== undefined && settings.databaseUrl === undefined) {
    throw new ConfigError('DATABASE_READ_URL is a standby of DATABASE_URL; set both, or neither.');
  }
  if (settings.reviewsFrom === 'trusted' && settings.trustedCallers === undefined) {
    throw new ConfigError('TRUSTED_CALLERS must name the back ends where REVIEWS_FROM is trusted.');
  }
  if ((settings.tlsCertFile === undefined) !== (settings.tlsKeyFile === undefined)) {
    throw new ConfigError('TLS_CERT_FILE and TLS_KEY_FILE go together; set both, or none.');
  }
  const { filesUrl, ...others } = settings;
  const files = filesUrl ?? { kind: 'disk', folder: join(settings.dataDir, 'files') };
  const isAllInDataDir = settings.databaseUrl === undefined && filesUrl === undefined;
  const beside = { kind: 'disk', folder: join(settings.dataDir, 'backups') } as const;
  const config = Object.freeze({
    ...FIXED,
    ...fixed,
    ...others,
    logCalls: fixed.logCalls ?? (environment.JOURNAL_STREAM ? JOURNAL_RATE : undefined),
    files: Object.freeze(files),
    backupTo: settings.backupTo ?? (isAllInDataDir ? Object.freeze(beside) : undefined),
    isBackupToSet: settings.backupTo !== undefined,
    workers: settings.workers === 'auto' ? workersHere(settings) : settings.workers,
    trustedProxies: settings.trustedProxies ?? NO_NETWORKS,
    trustedCallers: settings.trustedCallers ?? NO_NETWORKS,
  });
  shown.set(config, settingsShown(environment));
  return config;
}

const shown = new WeakMap<Config, readonly ShownSetting[]>();

/** Every setting of a configuration that {@link loadConfig} returned, with secrets masked. */
export function shownSettings(config: Config): readonly ShownSetting[] {
  return shown.get(config) ?? [];
}

const textOf = ({ variable, secret }: Setting, environment: Environment) =>
  settingText(environment, variable, secret !== undefined);

/** A setting as it takes effect, with its secrets masked. */
export interface EffectiveSetting {
  readonly variable: string;
  /**
   * A secret is masked; a URL with a secret is cut to scheme and host. `undefined` when it is not
   * set.
   */
  readonly shown: string | undefined;
  /** `default`, `environment`, or the path of a file. */
  readonly from: string;
  /** Why the value is invalid; `undefined` for a valid one. */
  readonly wrong: string | undefined;
}

/** Every setting, including invalid ones. */
export function effectiveSettings(): readonly EffectiveSetting[] {
  return Object.values(SETTINGS).map((setting: Setting) => {
    try {
      const found = findSetting(process.env, setting.variable, setting.secret !== undefined);
      const text = found?.text ?? setting.fallback;
      const from = found?.text === undefined ? 'default' : found.from;
      const shown = text === undefined ? undefined : shownValue(setting, text);
      return {
        variable: setting.variable,
        shown,
        from,
        wrong: complaintOf(() => read(setting, found?.text)),
      };
    } catch (error) {
      return {
        variable: setting.variable,
        shown: undefined,
        from: 'environment',
        wrong: (error as Error).message,
      };
    }
  });
}

function shownValue({ secret }: Setting, text: string): string {
  if (secret === undefined) return text.replaceAll('\n', '\\n');
  return (secret === 'url' && redactUrl(text)) || '(secret)';
}

function complaintOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The retention period of each kind of row, in days. */
export function retentionDays(config: Config) {
  return {
    trash: config.trashKeptDays,
    removedImages: config.removedImagesKeptDays,
    revisions: config.revisionsKeptDays,
    postings: config.postingsKeptDays,
    visits: config.visitsKeptDays,
    verifications: config.verificationsKeptDays,
    unsentMails: config.unsentMailsKeptDays,
    mails: config.mailKeptDays,
    texts: config.smsKeptDays,
    reports: config.reportsKeptDays,
    audit: config.auditKeptDays,
    events: config.eventsKeptDays,
    callCounts: config.callCountsKeptDays,
    failedCalls: config.failedCallsKeptDays,
  };
}

/** The environment for child programs, which need more variables than the settings. */
export function toolEnvironment(): Environment {
  return { ...process.env };
}

/**
 * One line for each variable that looks like a misspelt setting, see {@link misspeltNames}, whose
 * value may be cut, or whose value in the file has no effect.
 */
export function settingWarnings(environment: Environment = process.env): string[] {
  const known = Object.values(SETTINGS).map(({ variable }) => variable);
  const misspelt = [...misspeltNames(environment, known)]
    .filter(([name]) => !FORMER_SETTINGS.includes(name))
    .map(([name, meant]) => `${name} is no setting and does nothing; did you mean ${meant}?`);
  const ofFile = known.flatMap((variable) =>
    [cutNote(variable) ?? [], overruledNote(variable) ?? []].flat(),
  );
  return [...misspelt, ...ofFile, ...fixedWarnings(environment), ...zoneWarnings(environment.TZ)];
}

/**
 * Any text is taken for `TZ`: what is not known counts as UTC without a word, such as a misspelt
 * name or `UTC-5:45`, which POSIX permits.
 */
function zoneWarnings(given = ''): string[] {
  const name = given.replace(/^:/, '');
  const known =
    name === '' ||
    name.startsWith('/') ||
    /^(UTC|GMT)0?$/i.test(name) ||
    timeZone.read(name) !== undefined;
  return known || new Date().getTimezoneOffset() !== 0
    ? []
    : [
        `TZ=${given} is no time zone, so times are shown in UTC; set it to an IANA name such as Asia/Shanghai.`,
      ];
}

/** As many as cores that this process may use; SQLite has one process. */
function workersHere({ databaseUrl }: Pick<Settings, 'databaseUrl'>): number {
  return databaseUrl === undefined ? 1 : Math.min(availableParallelism(), MOST_WORKERS);
}

const NO_NETWORKS: readonly string[] = Object.freeze([]);

/**
 * By default journald accepts 10,000 lines in 30 s from a service; the rest is reserved for errors.
 */
const JOURNAL_RATE: Rate = Object.freeze({ limit: 8_000, window: 30_000 });

function read(setting: Setting, given: string | undefined): unknown {
  const text = given ?? setting.fallback;
  if (text === undefined) {
    return undefined;
  }
  const value = setting.form.read(text);
  if (value === undefined) {
    const complaint = `${setting.variable} must be ${setting.form.expects}${notThis(setting, text)}.`;
    throw new ConfigError([complaint, cutNote(setting.variable) ?? []].flat().join(' '));
  }
  return value;
}

/** Ends the sentence with the invalid value, unless it is secret. */
function notThis({ secret }: Setting, text: string): string {
  if (secret === undefined) {
    return `, not ${JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)}`;
  }
  const shown = secret === 'url' ? redactUrl(text) : '';
  return shown === '' ? '' : `, not ${shown}`;
}

/** The protocol of the service's port. */
export function schemeOf({ tlsCertFile }: Pick<Config, 'tlsCertFile'>): 'http' | 'https' {
  return tlsCertFile === undefined ? 'http' : 'https';
}

/** The variables of the settings that differ between two configurations. */
export function changedSettings(before: Config, after: Config): string[] {
  return Object.entries(SETTINGS).flatMap(([name, { variable }]) => {
    const property = (name === 'filesUrl' ? 'files' : name) as keyof Config;
    return isDeepStrictEqual(before[property], after[property]) ? [] : [variable];
  });
}

/**
 * The public URLs of a service that listens on `port`, which only the listener knows when `PORT` is
 * 0.
 * @param reachedAt the base URL that a client used, for the answer to this client; leave it out for
 *   anything else.
 */
export function publicAddresses(
  config: Config,
  port: number,
  reachedAt?: string,
): { readonly baseUrl: string; readonly shortBaseUrl: string } {
  const baseUrl = config.baseUrl ?? reachedAt ?? `${schemeOf(config)}://localhost:${port}`;
  return { baseUrl, shortBaseUrl: config.shortBaseUrl ?? `${baseUrl}/s` };
}

/**
 * The URL of the console, for the links that commands print.
 * @param port the port of the service.
 * @param own the separate port of the console; `undefined` when it has none.
 */
export function consoleUrl(
  config: Config,
  port: number,
  own: number | undefined = config.consolePort,
): string {
  return `${own === undefined ? publicAddresses(config, port).baseUrl : `http://localhost:${own}`}/console`;
}
