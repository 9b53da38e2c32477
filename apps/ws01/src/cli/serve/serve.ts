import { isIPv6 } from 'node:net';
import { Command } from 'commander';
import type { Logger } from 'pino';
import type { PeerMessage } from '../../app/peer-messages.ts';
import type { App } from '../../app/running.ts';
import { thisWorker } from '../../cluster/worker-process.ts';
import { type Config, loadConfig, settingWarnings } from '../../config/config.ts';
import { print, printJson } from '../io/output.ts';
import { createLog } from '../log.ts';
import { firstSignal } from '../signals.ts';
import { type ShownToken, showFirstToken } from './first-token.ts';
import { startApp } from './start-app.ts';
import { endFailed, stopInTime } from './stop.ts';
import { serveAsWorker } from './worker.ts';
import { startWorkers, type WorkersApp } from './workers.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('Start the service')
    .option('--json', 'print one JSON object instead of lines for people')
    .addHelpText(
      'after',
      `
Settings come from the environment, see docs/configuration.md. What a person needs is printed to standard output, the log
goes to standard error: JSON lines, or short lines at a terminal. The very first start makes a token: a terminal shows it, once;
elsewhere it is in DATA_DIR/first-token.

SIGTERM and Ctrl-C stop it: calls in flight are finished first. A second one ends it at once.

Examples:
  ws01 serve
  PORT=9000 DATA_DIR=/var/lib/ws01 ws01 serve
  DATABASE_URL=postgres://ws01:secret@db/ws01 BASE_URL=https://example.com ws01 serve`,
    )
    .action(({ json }: { json?: true }) => serve(json === true));
}

async function serve(json: boolean): Promise<void> {
  const config = loadConfig();
  const log = createLog(config.logLevel, config.workers > 1);
  const stopRequested = firstSignal();
  const worker = thisWorker<PeerMessage>();
  if (worker === undefined) for (const warning of settingWarnings()) log.warn(warning);
  if (worker !== undefined) return serveAsWorker(worker, config, log, stopRequested);

  const app = await Promise.race([start(config, log), stopRequested]);
  if (typeof app === 'string') {
    process.exit(0);
  }
  const service = `${app.url}${config.servicePaths[0]}`;
  const local = `${localUrl(app)}${config.servicePaths[0]}`;
  const token = app.firstToken === undefined ? undefined : await showFirstToken(app.firstToken, config.dataDir);
  await (json ? printJson(startAsJson(app, service, token)) : print(startForPeople(app, service, local, token)));

  const signal = await Promise.race([stopRequested, app.failed]);
  log.info({ signal }, 'stopping');
  await app.stop();
}

/** Starts the service in this process or, where there are to be several, in workers of it. */
async function start(config: Config, log: Logger): Promise<WorkersApp> {
  if (config.workers > 1) return startWorkers(config, log);
  const app = await startApp(config, log);
  return { ...app, failed: app.failed.catch(endFailed), stop: () => stopInTime(app, config, log) };
}

function startAsJson(
  app: Pick<App, 'url' | 'host' | 'port'>,
  service: string,
  token: ShownToken | undefined,
): Record<string, unknown> {
  return {
    url: app.url,
    host: app.host,
    port: app.port,
    service,
    wsdl: `${service}?WSDL`,
    firstToken: token !== undefined && 'text' in token ? token.text : null,
    firstTokenFile: token !== undefined && 'file' in token ? token.file : null,
  };
}

function startForPeople(
  app: Pick<App, 'url' | 'host' | 'port'>,
  service: string,
  local: string,
  token: ShownToken | undefined,
): string {
  const lines = [
    `WS01 is listening on http://${bracketed(app.host)}:${app.port}`,
    '',
    `  Operations, with forms to try them  ${service}`,
    `  WSDL                                ${service}?WSDL`,
    '',
  ];
  if (token !== undefined) {
    const [told, shown, argument] =
      'text' in token
        ? ['it is shown only now', token.text, `-d token=${token.text}`]
        : ['it is in the file', token.file, `--data-urlencode token@${token.file}`];
    lines.push(
      `This is the first start. Here is a token for all operations; ${told}:`,
      '',
      `  ${shown}`,
      '',
      'Try it: this writes an article and answers its key.',
      '',
      `  curl ${argument} -d guid=first-article -d caption=Hello -d content=World ${local}/InsertArticle`,
      '',
    );
  }
  return `${lines.join('\n')}\n`;
}

/** The service as this machine reaches it, whatever its public address. */
function localUrl({ host, port }: Pick<App, 'host' | 'port'>): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  return `http://${everywhere ? 'localhost' : bracketed(host)}:${port}`;
}

function bracketed(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}
