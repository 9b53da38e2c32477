import type { Logger } from 'pino';
import type { App } from '../../app/running.ts';
import type { Config } from '../../config/config.ts';
import { type AskedRestore, Restores } from '../../domain/backup/restores.ts';
import { removeWorkFolders } from '../../domain/backup/work-folders.ts';
import { DatabaseExchange } from './exchange.ts';
import { startApp } from './start-app.ts';
import { endFailed, stopInTime } from './stop.ts';
import type { WorkersApp } from './workers.ts';

const ON_POSTGRES =
  'On PostgreSQL other processes and nodes use the same database, and all of them must be stopped first.';
const ON_SOCKET =
  'The service manager has opened the socket of this service, which cannot open it again.';

/** Why a service cannot exchange its database itself; `undefined` if it can. */
function hindranceOf(config: Config, listenFd: number | undefined): string | undefined {
  if (config.databaseUrl !== undefined) return ON_POSTGRES;
  return listenFd === undefined ? undefined : ON_SOCKET;
}

/**
 * Starts the service in this process. When somebody asks it to restore a backup, it exchanges its
 * database and starts again, in the same process and at the same address.
 */
export async function startRestorable(
  config: Config,
  log: Logger,
  listenFd: number | undefined,
): Promise<WorkersApp> {
  const restores = new Restores(hindranceOf(config, listenFd));
  const stopping = new AbortController();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let app = await startApp(config, log, undefined, listenFd, { restores });
  await removeWorkFolders(config.dataDir, 'exchange');
  let exchanging: Promise<void> | undefined;
  const watch = (one: App) => one.failed.catch((error) => one === app && failed.reject(error));
  const { port, consolePort } = app;
  // At a free port, too, it stays where it is.
  const same = { ...config, port, consolePort };
  const exchange = async (asked: AskedRestore) => {
    app = await new DatabaseExchange({ config: same, log, restores, stop: stopping.signal }).of(
      app,
      asked,
    );
    watch(app);
  };
  const serveRestores = async () => {
    while (!stopping.signal.aborted) {
      const asked = await restores.next();
      if (stopping.signal.aborted) return;
      exchanging = exchange(asked);
      await exchanging;
    }
  };
  watch(app);
  serveRestores().catch((error) => failed.reject(error));
  return {
    ...{ url: app.url, host: app.host, port, consolePort, firstToken: app.firstToken },
    reload: async (next) => app.reload(next),
    failed: failed.promise.catch(endFailed),
    async stop() {
      stopping.abort();
      await exchanging?.catch(() => {});
      await stopInTime(app, config, log);
    },
  };
}
