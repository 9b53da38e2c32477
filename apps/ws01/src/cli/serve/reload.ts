import type { Logger } from 'pino';
import {
  type Config,
  ConfigError,
  changedSettings,
  loadConfig,
  settingWarnings,
} from '../../config/config.ts';
import { readEnvironmentFileAgain } from '../../config/environment.ts';
import type { NotifyManager } from './notify-manager.ts';
import type { WorkersApp } from './workers.ts';

/** Settings that a running process applies. */
const TAKEN_OVER: ReadonlySet<string> = new Set(['LOG_LEVEL', 'TLS_CERT_FILE', 'TLS_KEY_FILE']);

/** Settings of the primary process itself; new workers apply the others. */
const OF_PRIMARY: ReadonlySet<string> = new Set([
  'WORKERS',
  'HOST',
  'PORT',
  'SOCKET_PATH',
  'METRICS_PORT',
  'METRICS_HOST',
]);

const ofPrimary = ({ workers, host, port, socketPath, metricsPort, metricsHost }: Config) => ({
  ...{ workers, host, port, socketPath, metricsPort, metricsHost },
});

interface ReloadDeps {
  readonly config: Config;
  readonly log: Logger;
  readonly app: Pick<WorkersApp, 'reload'>;
  readonly notify: NotifyManager;
}

/**
 * @returns a function that reads the settings again, applies what it can and logs it. Calls run one
 *   after another and never throw.
 */
export function createReload({ config, log, app, notify }: ReloadDeps): () => Promise<void> {
  let present = config;
  const reload = async () => {
    notify.reloading();
    try {
      readEnvironmentFileAgain();
      const next = loadConfig();
      const changed = changedSettings(present, next);
      const isTaken = (name: string) =>
        present.workers > 1 ? TAKEN_OVER.has(name) || !OF_PRIMARY.has(name) : TAKEN_OVER.has(name);
      await app.reload(next);
      log.level = next.logLevel;
      log.info(
        {
          changed: changed.filter(isTaken),
          certificate: next.tlsCertFile === undefined ? undefined : 'read again',
          needRestart: changed.filter((name) => !isTaken(name)),
        },
        'settings were reloaded',
      );
      for (const warning of settingWarnings()) log.warn(warning);
      present =
        present.workers > 1
          ? { ...next, ...ofPrimary(present) }
          : { ...present, logLevel: next.logLevel };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      log.error(
        { reason: error.message },
        'the settings are not valid; the previous ones stay in effect',
      );
    } finally {
      notify.ready();
    }
  };
  let last = Promise.resolve();
  return () => {
    last = last.then(reload).catch((error) => log.error({ err: error }, 'reloading failed'));
    return last;
  };
}
