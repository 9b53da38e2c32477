import { rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { Command } from 'commander';
import type { Logger } from 'pino';
import type { PeerMessage } from '../../app/peer-messages.ts';
import type { App } from '../../app/running.ts';
import type { WorkerProcess } from '../../cluster/worker-process.ts';
import {
  type Config,
  consoleUrl,
  loadConfig,
  schemeOf,
  settingWarnings,
} from '../../config/config.ts';
import { commandName, serviceManager } from '../../config/environment.ts';
import { shellWord } from '../../failure/shell-word.ts';
import { outliveStandardOutput, print, printJson } from '../io/output.ts';
import { createLog } from '../log.ts';
import { firstSignal, onHangUp } from '../signals.ts';
import { forgetConsole, noteConsole } from './console-address.ts';
import { type ShownToken, showFirstToken } from './first-token.ts';
import { notifyManager } from './notify-manager.ts';
import { createReload } from './reload.ts';
import { startRestorable } from './restorable.ts';
import { serveAsWorker } from './worker.ts';
import type { WorkersApp } from './workers.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .option('--json', 'print one JSON object instead of lines for people')
    .addHelpText(
      'after',
      `
Settings come from the environment, see docs/configuration.md. Messages for people go to standard output; the log goes to standard error, as JSON lines, or as short lines at a terminal. The first start creates a token: a terminal shows it once; otherwise it is written to DATA_DIR/first-token.

SIGTERM and Ctrl-C stop the service after the calls in flight; a second signal stops it immediately. SIGHUP reloads LOG_LEVEL and the certificate. With WORKERS, SIGHUP replaces the workers one by one, with all settings.

Examples:
  ws01 serve
  PORT=9000 DATA_DIR=/var/lib/ws01 ws01 serve
  DATABASE_URL=postgres://ws01:secret@db/ws01 BASE_URL=https://example.com ws01 serve`,
    )
    .action(({ json }: { json?: true }) => serve(json === true));
}

async function serve(json: boolean): Promise<void> {
  const config = loadConfig();
  outliveStandardOutput();
  const log = createLog(config.logLevel, config.workers > 1);
  const stopRequested = firstSignal();
  const worker = await thisWorker();
  if (worker === undefined) for (const warning of settingWarnings()) log.warn(warning);
  if (worker !== undefined) return serveAsWorker(worker, config, log, stopRequested);

  const manager = serviceManager(process.pid);
  const notify = notifyManager(manager, log);
  // There is nothing to reload before the start has ended.
  let reload: (() => unknown) | undefined;
  onHangUp(() => reload?.());
  const app = await Promise.race([start(config, log, manager.listenFd), stopRequested]);
  if (typeof app === 'string') {
    process.exit(0);
  }
  const service = `${app.url}${config.servicePaths[0]}`;
  const at = whereOf(config, app, manager.listenFd);
  const tried = curlArguments(at, `${config.servicePaths[0]}/InsertArticle`);
  const token =
    app.firstToken === undefined ? undefined : await showFirstToken(app.firstToken, config.dataDir);
  const consoleAt = config.console ? consoleUrl(config, app.port, app.consolePort) : undefined;
  await noteConsole(config.dataDir, consoleAt);
  await (json
    ? printJson(startAsJson(app, service, token))
    : print(startForPeople({ listening: at.listening, tried }, service, token, consoleAt)));

  notify.ready(`serves at ${service}`);
  reload = createReload({ config, log, app, notify });
  const signal = await Promise.race([stopRequested, app.failed]);
  reload = undefined;
  notify.stopping();
  log.info({ signal }, 'stopping');
  await app.stop();
  await forgetConsole(config.dataDir);
}

/** Returns this process as a worker; `undefined` if it is not one, as nobody talks to it. */
async function thisWorker(): Promise<WorkerProcess<PeerMessage> | undefined> {
  return process.send === undefined
    ? undefined
    : (await import('../../cluster/worker-process.ts')).thisWorker<PeerMessage>();
}

/** Starts the service in this process, or in several workers. */
async function start(
  config: Config,
  log: Logger,
  listenFd: number | undefined,
): Promise<WorkersApp> {
  if (config.socketPath !== undefined && listenFd === undefined)
    await removeStaleSocket(config.socketPath);
  if (config.workers > 1) return (await import('./workers.ts')).startWorkers(config, log);
  return startRestorable(config, log, listenFd);
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
  { listening, tried }: { readonly listening: string; readonly tried: string },
  service: string,
  token: ShownToken | undefined,
  consoleAt: string | undefined,
): string {
  const lines = [
    `WS01 is listening on ${listening}`,
    '',
    `  Operations, with forms to try them  ${service}`,
    `  WSDL                                ${service}?WSDL`,
    ...(consoleAt === undefined ? [] : [`  Console                             ${consoleAt}`]),
    '',
  ];
  if (token !== undefined) {
    const [told, shown, argument] =
      'text' in token
        ? ['it is shown only now', token.text, `-d ${shellWord(`token=${token.text}`)}`]
        : ['it is in the file', token.file, `--data-urlencode ${shellWord(`token@${token.file}`)}`];
    lines.push(
      `This is the first start. Here is a token for all operations; ${told}:`,
      '',
      `  ${shown}`,
      '',
      'Try it: this creates an article and returns its key.',
      '',
      `  curl ${argument} -d guid=first-article -d caption=Hello -d content=World ${tried}`,
      '',
    );
  } else {
    lines.push(`To create another token: ${commandName()} token create`, '');
  }
  if (consoleAt !== undefined)
    lines.push(
      `To give somebody access to the console: ${commandName()} admin add NAME --role owner`,
      '',
    );
  return `${lines.join('\n')}\n`;
}

/** Where the service listens, and how this machine reaches it, whatever its public address. */
interface Where {
  readonly listening: string;
  readonly origin: string;
  readonly socket?: string;
}

/** What leads curl to a path of the service, to paste into a shell. */
function curlArguments({ origin, socket }: Where, path: string): string {
  const url = shellWord(`${origin}${path}`);
  return socket === undefined ? url : `--unix-socket ${shellWord(socket)} ${url}`;
}

function whereOf(
  config: Config,
  { host, port }: Pick<App, 'host' | 'port'>,
  listenFd: number | undefined,
): Where {
  const scheme = schemeOf(config);
  if (listenFd !== undefined)
    return {
      listening: 'the socket passed by systemd',
      origin: config.baseUrl ?? `${scheme}://localhost`,
    };
  const { socketPath } = config;
  if (socketPath !== undefined) {
    return {
      listening: `unix:${socketPath}`,
      origin: `${scheme}://localhost`,
      socket: socketPath,
    };
  }
  const everywhere = host === '0.0.0.0' || host === '::';
  return {
    listening: `${scheme}://${bracketed(host)}:${port}`,
    origin: `${scheme}://${everywhere ? 'localhost' : bracketed(host)}:${port}`,
  };
}

function bracketed(host: string): string {
  // `isIPv6` compiles an expression that takes 5 ms.
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Removes a Unix socket that a killed process left, so that another can be bound. Leaves one on
 * which a process listens: binding then fails with `EADDRINUSE`. Call it once, before the workers
 * start: a second worker could remove the socket that the first one has just bound. Two services
 * that start on one path in the same moment still may.
 */
async function removeStaleSocket(path: string): Promise<void> {
  const isSocket = await stat(path).then(
    (found) => found.isSocket(),
    () => false,
  );
  if (!isSocket) return;
  const answers = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => resolve(true)).on('error', () => resolve(false));
    probe.on('connect', () => probe.destroy());
  });
  if (!answers) await rm(path, { force: true });
}
