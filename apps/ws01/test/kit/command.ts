import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { bePatient } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { main } from '../../src/cli/main.ts';
import type { TestDatabase } from './database.ts';
import { allowAnyDisk } from './fixed.ts';

/** What a command came to. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a command finds its database, and further settings. */
export type Place = Pick<TestDatabase, 'dataDir' | 'databaseUrl'>;
export type Settings = Readonly<Record<string, string>>;

/** What a command finds in its environment: nothing of ours but the path. */
export function environmentOf({ dataDir, databaseUrl }: Place) {
  return {
    PATH: process.env.PATH ?? '',
    DATA_DIR: dataDir,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
}

/** What serves until it is stopped, what changes things that are read once, and what Node itself reads at its start. */
const OWN_PROCESS = /^(?:serve|demo|--env-file|--utc|TZ|NODE_.*|UV_.*)$/;

/**
 * Runs `ws01` as a person or script does, in this process, and waits for its end; commands may run beside each other. It
 * takes a twentieth of the time of a start. What only a process of its own shows is for `spawnWs01`.
 * @param database what the settings name; nothing else of the environment reaches the command.
 * @param input for standard input; closed at once when absent.
 * @param env further settings.
 */
export async function ws01(
  database: Place,
  args: readonly string[],
  input = '',
  env: Settings = {},
): Promise<CommandResult> {
  const alone = [...args, ...Object.keys(env)].find((one) => OWN_PROCESS.test(one));
  if (alone !== undefined) throw new Error(`${alone} is of a whole process: use spawnWs01`);
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { promise: exited, resolve } = Promise.withResolvers<void>();
  const events = new EventEmitter();
  const own: Own = {
    ...{ on: events.on.bind(events), once: events.once.bind(events) },
    ...{ env: { ...environmentOf(database), ...env }, stdin, stdout, stderr, exitCode: undefined },
    exit(code = Number(own.exitCode ?? 0)) {
      own.exitCode = code;
      resolve();
    },
  };
  stdin.end(input);
  const printed = Promise.all([text(stdout), text(stderr)]);
  if (running++ === 0) mask = process.umask();
  globalThis.process = divided;
  // What it waits for is not given up because the machine is busy.
  let beImpatient = () => {};
  bePatient({
    after(restore) {
      beImpatient = restore;
    },
  });
  const endAnyDisk = allowAnyDisk();
  try {
    await Promise.race([commands.run(own, () => main(args)), exited]);
  } finally {
    endAnyDisk();
    beImpatient();
    if (--running === 0) process.umask(mask);
    events.emit('exit', own.exitCode);
    stdout.end();
    stderr.end();
  }
  const [out, err] = await printed;
  return { code: Number(own.exitCode ?? 0), stdout: out, stderr: err };
}

/** What a command takes for its process's. */
interface Own {
  readonly env: Record<string, string | undefined>;
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  exitCode: number | string | null | undefined;
  /** Of its end; signals come to processes, not to what runs in one. */
  readonly on: EventEmitter['on'];
  readonly once: EventEmitter['once'];
  /** Ends the command, not the process. */
  exit(code?: number): void;
}

const commands = new AsyncLocalStorage<Own>();
let running = 0;
/** Of the process, while commands have their own; it is one for all of them. */
let mask = 0;

/** What code of a command finds as `process`: its own of what {@link Own} has, else what the process has. */
const divided = new Proxy(process, {
  get(whole, name) {
    const own = commands.getStore();
    return Reflect.get(own !== undefined && Object.hasOwn(own, name) ? own : whole, name);
  },
  set(whole, name, value) {
    const own = commands.getStore();
    return Reflect.set(own !== undefined && Object.hasOwn(own, name) ? own : whole, name, value);
  },
});
