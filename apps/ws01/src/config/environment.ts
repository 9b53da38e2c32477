import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { lettersApart } from '../domain/values/letters-apart.ts';
import { ConfigError } from './config-error.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Size of Node's thread pool, which serves files, DNS, cryptography and compression. Node reads the
 * variable only when the process starts; its default is four. `bin/ws01.js` sets a larger one.
 */
export const POOL_THREADS = Number(process.env.UV_THREADPOOL_SIZE) || 4;

/** Largest file of a secret, in bytes; a longer one is probably the wrong file. */
const MAX_SECRET_BYTES = 64 * 1024;

/**
 * The text of a setting, from the first of these sources that has one: the variable; for a secret
 * also the file named by `NAME_FILE`, and the systemd credential of that name
 * (`LoadCredential=NAME:…`, in `CREDENTIALS_DIRECTORY`). One line break at a file's end is not part
 * of the value.
 * @returns `undefined` when no source has it; an empty variable counts as not set.
 * @throws {ConfigError} when a file that is named cannot be read, or a variable and its file are
 *   both set.
 */
export function settingText(
  environment: Environment,
  variable: string,
  secret: boolean,
): string | undefined {
  return findSetting(environment, variable, secret)?.text;
}

/**
 * The text of a setting and where it comes from: `environment`, the `--env-file` or another file,
 * as a path.
 */
interface FoundSetting {
  readonly text: string | undefined;
  readonly from: string;
}

/** Like {@link settingText}, with the source. */
export function findSetting(
  environment: Environment,
  variable: string,
  secret: boolean,
): FoundSetting | undefined {
  const text = environment[variable]?.trim() || undefined;
  const given =
    text === undefined ? undefined : { text, from: fromFile.get(variable)?.path ?? 'environment' };
  if (!secret) return given;
  const path = environment[`${variable}_FILE`]?.trim() || undefined;
  if (path !== undefined) {
    if (text !== undefined)
      throw new ConfigError(`${variable} and ${variable}_FILE are both set; unset one of them.`);
    const complaint = (reason: string) =>
      `${variable}_FILE names ${path}, which cannot be read: ${reason}.`;
    return { text: readSecret(path, complaint), from: path };
  }
  const credentials = environment.CREDENTIALS_DIRECTORY;
  if (given !== undefined || credentials === undefined || credentials === '') return given;
  const credential = join(credentials, variable);
  return { text: readSecret(credential), from: credential };
}

/** Where a variable comes from. */
interface FromFile {
  readonly path: string;
  /** See {@link cutValues}. */
  readonly isCut: boolean;
}

/** The variables read from an `--env-file`. */
const fromFile = new Map<string, FromFile>();

/**
 * Says that the value of a variable of an `--env-file` may have been cut; never what it is, which
 * may be secret.
 * @returns `undefined` when it was not.
 */
export function cutNote(variable: string): string | undefined {
  const from = fromFile.get(variable);
  if (!from?.isCut) return undefined;
  return `${variable} ends in ${from.path} before a #, which begins a comment; if it belongs to the value, put that in quotes.`;
}

/** Variables of the `--env-file` that the environment of the process has with another value. */
const overruled = new Map<string, string>();

/**
 * Says that a variable of an `--env-file` has no effect.
 * @returns `undefined` where it has.
 */
export function overruledNote(variable: string): string | undefined {
  const path = overruled.get(variable);
  return path === undefined
    ? undefined
    : `${variable} in ${path} has no effect: the environment of the process has another value. ` +
        'Where a unit has it, ws01 install --yes gives it that of the file.';
}

/** @param complaint makes the error for a missing file; when absent, a missing file is no error. */
function readSecret(path: string, complaint?: (reason: string) => string): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (complaint === undefined && code === 'ENOENT') return undefined;
    throw new ConfigError(
      complaint?.(String(code)) ?? `The credential ${path} cannot be read: ${code}.`,
    );
  }
  if (bytes.length > MAX_SECRET_BYTES)
    throw new ConfigError(`${path} is larger than ${MAX_SECRET_BYTES} bytes.`);
  return textOf(bytes).replace(/\r?\n$/, '') || undefined;
}

/** The text of a file, without the byte order mark that editors of Windows begin it with. */
function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

/**
 * Adds the variables of a file of `NAME=value` lines (`--env-file`) to those of the process, which
 * win.
 * @throws {ConfigError} when the file cannot be read, has a line that is neither a variable nor a
 *   comment, or a value that is not UTF-8.
 */
export function addEnvironmentFile(path: string): void {
  added = path;
  let text: string;
  try {
    text = textOf(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const remedy =
      code === 'EACCES'
        ? '; as root: ws01 install --yes, or give it to the group of the service (chgrp, chmod 640)'
        : '';
    throw new ConfigError(`--env-file ${path} cannot be read: ${code}${remedy}.`);
  }
  const strange = strangeLine(text);
  if (strange !== undefined) {
    throw new ConfigError(
      `--env-file ${path} line ${strange} is not NAME=value, or a quote up to there is not closed; ` +
        'correct it, or begin it with #.',
    );
  }
  const given = Object.entries(parseEnv(text));
  const garbled = given.find(([, value]) => value?.includes('\ufffd'));
  if (garbled !== undefined)
    throw new ConfigError(
      `--env-file ${path}: ${garbled[0]} is not in UTF-8; save the file as UTF-8.`,
    );
  const cut = cutValues(text);
  overruled.clear();
  for (const [name, value = ''] of given) {
    if (process.env[name]) {
      if (value !== '' && process.env[name] !== value) overruled.set(name, path);
      continue;
    }
    process.env[name] = value;
    fromFile.set(name, { path, isCut: cut.has(name) });
  }
}

/** A text with each quoted value as one quote and its line breaks. */
function withoutQuoted(text: string): string {
  return text.replaceAll(
    /(?<==[ \t]*)(["'`])(?:(?!\1)[\s\S])*\1/g,
    (quoted) => `"${quoted.replaceAll(/[^\n]/g, '')}`,
  );
}

/**
 * The variables whose values Node's parser ends before a `#` that looks like a part of them: one
 * without blanks around it. It takes every `#` outside of quotes for a comment.
 */
function cutValues(text: string): ReadonlySet<string> {
  const unquoted = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(?!["'`])([^#\n]*)#(.*)$/gm;
  const isComment = (before: string, after: string) =>
    /(?:^|\s)$/.test(before) && /^(?:[\s#]|$)/.test(after);
  const all = [...withoutQuoted(text).matchAll(unquoted)];
  return new Set(
    all.flatMap(([, name, before, after]) => (isComment(before!, after!) ? [] : name!)),
  );
}

/**
 * The number of the first line that Node's parser would ignore, or read wrongly for a quote that is
 * not closed. A quoted value may span several lines.
 */
function strangeLine(text: string): number | undefined {
  const lines = withoutQuoted(text).split('\n');
  const index = lines.findIndex(
    (line) =>
      !/^\s*(?:#|(?:export\s+)?[A-Za-z_]\w*\s*=|$)/.test(line) ||
      /^[^#=]*=[ \t]*(?:"(?!\s*(?:#|$))|['`])/.test(line) ||
      line.includes('\0'),
  );
  return index < 0 ? undefined : index + 1;
}

/**
 * Reads the file of {@link addEnvironmentFile} again, if there was one; unsets the variables that
 * it no longer has.
 * @throws {ConfigError} when it cannot be read; the environment stays as it was.
 */
export function readEnvironmentFileAgain(): void {
  if (added === undefined) return;
  const before = [...fromFile.keys()].map(
    (name) => [name, process.env[name], fromFile.get(name)!] as const,
  );
  for (const [name] of before) delete process.env[name];
  fromFile.clear();
  try {
    addEnvironmentFile(added);
  } catch (error) {
    for (const [name, value, path] of before) {
      process.env[name] = value;
      fromFile.set(name, path);
    }
    throw error;
  }
}

/** The path of the file that was added last. */
let added: string | undefined;

/** The settings that turn tracing on; OpenTelemetry itself reads the other `OTEL_*` variables. */
export interface TracingSettings {
  /** The variable that turned it on. */
  readonly variable: string;
  readonly protocol: string | undefined;
}

/** @returns `undefined` when tracing is off. */
export function tracingSettings(): TracingSettings | undefined {
  const environment: Environment = process.env;
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER } = environment;
  if (OTEL_SDK_DISABLED?.toLowerCase() === 'true' || OTEL_TRACES_EXPORTER === 'none')
    return undefined;
  const asking = [
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_TRACES_EXPORTER',
  ];
  const variable = asking.find((name) => environment[name]);
  const protocol =
    environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || environment.OTEL_EXPORTER_OTLP_PROTOCOL;
  return variable === undefined ? undefined : { variable, protocol: protocol || undefined };
}

/**
 * What mends an installation that lacks a package. npm leaves optional ones out, without a word,
 * under a Node older than theirs and with `--omit=optional`.
 */
export const REINSTALL = 'install ws01 again with Node 20.9 or newer: npm ci --include=optional';

/** The package name of a working copy, and the npm scripts that run this command. */
const WORKING_COPY = { name: 'ws01-workspaces', scripts: ['start', 'ws01'] };

/**
 * How users type this command. In a working copy `npm ci` puts no `ws01` on the path, so the other
 * commands need `npm run`, too.
 */
export function commandName(environment: Environment = process.env): string {
  const { npm_package_name: name, npm_lifecycle_event: script = '' } = environment;
  return name === WORKING_COPY.name && WORKING_COPY.scripts.includes(script)
    ? 'npm run -s ws01 --'
    : 'ws01';
}

/** What people type on the machine of the service. */
export interface MachineCommands {
  /**
   * What a command of the service begins with: {@link commandName}, or what runs it in a container.
   */
  readonly command: string;
  /** What stops and starts the service, as deploy/ has it; `undefined` in a working copy. */
  readonly stop: string | undefined;
  readonly start: string | undefined;
}

/** Files that Docker and Podman put into a container. */
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv'];

/** How a command is typed while the service is stopped. */
export function machineCommands(
  environment: Environment = process.env,
  isContainer: boolean = CONTAINER_FILES.some((path) => existsSync(path)),
): MachineCommands {
  const command = commandName(environment);
  if (command !== 'ws01') return { command, stop: undefined, start: undefined };
  if (!isContainer) return { command, stop: 'systemctl stop ws01', start: 'systemctl start ws01' };
  // Its data, settings and user are those of the service's container, which is not there while it
  // is stopped.
  return {
    command: 'docker compose run --rm ws01',
    ...{ stop: 'docker compose stop ws01', start: 'docker compose start ws01' },
  };
}

/** What a service manager, such as systemd, passes to the process besides settings. */
export interface ServiceManager {
  /** The descriptor of a listening socket (socket activation). */
  readonly listenFd: number | undefined;
  /** Whether it expects state notifications (`sd_notify`). */
  readonly listens: boolean;
  /** The watchdog timeout: a service without a notification for this long is killed; ms. */
  readonly watchdogMs: number | undefined;
}

/** The first descriptor that a service manager passes (sd_listen_fds(3)). */
const FIRST_FD = 3;

/** @param pid the process that the service manager started; for a worker, its parent. */
export function serviceManager(pid: number): ServiceManager {
  const { LISTEN_PID, LISTEN_FDS, NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID } = process.env;
  const watched =
    Number(WATCHDOG_USEC) > 0 && (WATCHDOG_PID === undefined || Number(WATCHDOG_PID) === pid);
  return {
    listenFd: Number(LISTEN_PID) === pid && Number(LISTEN_FDS) >= 1 ? FIRST_FD : undefined,
    listens: NOTIFY_SOCKET !== undefined && NOTIFY_SOCKET !== '',
    watchdogMs: watched ? Number(WATCHDOG_USEC) / 1_000 : undefined,
  };
}

/**
 * Variables that look like misspelt settings, such as `SMPT_URL` and `TRUSTED_PROXY`, each with the
 * probable setting.
 * @param known the names of all settings.
 */
export function misspeltNames(
  environment: Environment,
  known: readonly string[],
): ReadonlyMap<string, string> {
  const names = new Set(known.flatMap((name) => [name, `${name}_FILE`]));
  const likely = known
    .filter((one) => one.length >= 6 && one.includes('_'))
    .map((one) => ({ one, stem: stem(one) }));
  const mistaken = new Map<string, string>();
  for (const name of Object.keys(environment)) {
    if (names.has(name) || OF_OTHERS.has(name) || !/^[A-Za-z_]+$/.test(name)) continue;
    const upper = name.toUpperCase();
    const nameStem = stem(upper);
    const meant = known.includes(upper)
      ? upper
      : likely.find((candidate) => candidate.stem === nameStem || isNear(upper, candidate.one))
          ?.one;
    if (meant !== undefined) mistaken.set(name, meant);
  }
  return mistaken;
}

/** Variables of OpenSSL that resemble a setting but are none: they name trusted certificates. */
const OF_OTHERS: ReadonlySet<string> = new Set(['SSL_CERT_FILE']);

/** Whether two names differ in at most two letters; short names in at most one. */
function isNear(name: string, known: string): boolean {
  const most = known.length < 10 ? 1 : 2;
  // The start compares each variable with each setting; the cheap test of lengths excludes most
  // pairs.
  return Math.abs(name.length - known.length) <= most && lettersApart(name, known, most) <= most;
}

/** The stem that a name shares with its singular or plural. */
const stem = (name: string): string => name.replace(/(IES|Y|S)$/, '').replaceAll('_', '');
