import { after, before, type TestContext } from 'node:test';
import { type Logger, pino } from 'pino';
import { closeClients } from '../../../../packages/asmx/test/kit/clients.ts';
import { bePatient } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { startApp } from '../../src/app/app.ts';
import type { App } from '../../src/app/running.ts';
import { loadConfig } from '../../src/config/config.ts';
import { freshDatabase, type TestDatabase } from './database.ts';
import { ANY_DISK, type ServiceEnv } from './fixed.ts';
import { NAMESPACE, TOKEN } from './names.ts';

export { NAMESPACE, TOKEN };

/** A service on a real listener, stopped after the test. */
export interface TestService {
  readonly app: App;
  readonly url: string;
  readonly database: TestDatabase;
}

/** Starts the service as the command line does, on a free port of the loopback; its log is dropped when none is given. */
export async function startService(
  test: Pick<TestContext, 'after'>,
  database?: TestDatabase,
  { fixed, impatient = false, ...env }: ServiceEnv = {},
  log: Logger = pino({ level: 'silent' }),
): Promise<TestService> {
  if (!impatient) bePatient(test);
  const own = database ?? (await freshDatabase('sqlite', test));
  const variables = {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: own.dataDir,
    BOOTSTRAP_TOKEN: TOKEN,
    ...(own.databaseUrl === undefined ? {} : { DATABASE_URL: own.databaseUrl }),
    ...(env as Record<string, string>),
  };
  const config = loadConfig(variables, { ...ANY_DISK, ...fixed });
  const app = await startApp(config, log);
  const stop = () => closeClients(test).finally(() => app.stop());
  own.users?.push(stop);
  test.after(stop);
  return { app, url: `http://127.0.0.1:${app.port}`, database: own };
}

/**
 * The service of the suite in which it is called: from before its first test until after its last.
 * @throws {Error} in no suite: hooks of a file are those of all files of its process, whose limits would wait, too.
 */
export function serviceForSuite(env?: ServiceEnv, log?: Logger): TestService {
  const service = {} as TestService;
  const closers: (() => unknown)[] = [];
  const suite = { after: (close: () => unknown) => void closers.push(close) };
  before(async () => {
    Object.assign(service, await startService(suite, undefined, env, log));
  });
  after(async () => {
    for (const close of closers) await close();
  });
  return service;
}
