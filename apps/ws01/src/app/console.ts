import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { commandName } from '../config/environment.ts';
import { lostCommits } from '../store/lost-commits.ts';
import { createPictureAnswers } from '../web/image-answers.ts';
import { CONSOLE_PATH } from '../web/own-paths.ts';
import { receivedRequestOf } from '../web/received-request.ts';
import { type CreateServer, type SideServer, startSideServer } from '../web/side-server.ts';
import type { Accept } from '../web/sockets/listen.ts';
import type { Addresses } from './addresses.ts';
import type { ApiLoader } from './api.ts';
import { createOnBehalfOfSender } from './callers.ts';
import { mailboxOf, webhookClientOf } from './message-workers.ts';
import type { ResourceDeps, Resources } from './resources.ts';

/** Answers a browser's request for the console. */
export type ConsolePages = (request: Request, env: HttpBindings) => Response | Promise<Response>;

/** Creates the console, which is loaded on its first request. Many services never use it. */
export function createConsolePages(
  deps: ResourceDeps,
  { access, keys, media, streams }: Resources,
  api: ApiLoader,
): ConsolePages {
  const { config, store, clock, log, addresses } = deps;
  let pages: ConsolePages | undefined;
  const load = async () => {
    const { createConsole } = await import('../console/console.ts');
    const app = await createConsole({
      store,
      clock,
      log,
      brake: access.brake,
      challengeKeys: keys,
      api: await api(),
      origin: addresses.originOf,
      // At a port of its own one does not see where the service is reached.
      reachedAt: config.consolePort === undefined ? addresses.reachedAt : () => undefined,
      clientAddress: addresses.clientOf,
      basePath: addresses.basePathOf,
      servicePath: config.servicePaths[0]!,
      siteName: () => config.serviceName,
      command: commandName(),
      timeZone: config.timeZone,
      lostCommits: () => store.read(lostCommits),
      exportRows: config.consoleExportRows,
      maxImageBytes: config.maxImageBytes,
      media,
      pictures: createPictureAnswers(log),
      streams,
      refusesWebhook: (url) => webhookClientOf(config).refuses(url),
      testNumbers: [...(config.smsTestCodes?.keys() ?? [])],
      gateways: {
        get mail() {
          return config.smtpServer !== undefined;
        },
        sms: config.smsGateway !== undefined,
      },
      hasBackupPlace: config.backupTo !== undefined,
      composeMail: async (mail) => {
        const { createComposer } = await import('../adapters/mail/message.ts');
        const source = await createComposer(undefined)(
          { ...mail, from: mailboxOf(config, addresses.baseUrl) },
          true,
        );
        return Buffer.from(source).toString();
      },
      isHtml: async (body) => (await import('../adapters/mail/html.ts')).isHtml(body),
    });
    pages ??= (request, env) => app.fetch(request, env);
    return pages;
  };
  return (request, env) =>
    pages === undefined ? load().then((loaded) => loaded(request, env)) : pages(request, env);
}

/**
 * Serves the console on its own port.
 * @throws {Error} with `code` when the address cannot be bound.
 */
export function serveConsole(
  pages: ConsolePages,
  host: string,
  port: number,
  createServer: CreateServer,
  accept: Accept | undefined,
  addresses: Addresses,
): Promise<SideServer> {
  let listener: ((req: IncomingMessage, res: ServerResponse) => void) | undefined;
  const onBehalf = createOnBehalfOfSender(addresses);
  const server = createServer(async (req, res) => {
    addresses.takeBasePath(req);
    if (listener === undefined) {
      const { getRequestListener } = await import('@hono/node-server');
      listener ??= getRequestListener((request, env) => {
        const { pathname } = new URL(request.url);
        if (pathname === '/')
          return new Response(null, { status: 302, headers: { Location: `.${CONSOLE_PATH}` } });
        if (pathname === CONSOLE_PATH || pathname.startsWith(`${CONSOLE_PATH}/`))
          return pages(request, env as HttpBindings);
        return new Response(`The console is at ${CONSOLE_PATH}.\n`, { status: 404 });
      });
    }
    const answer = listener;
    onBehalf(receivedRequestOf(req), () => answer(req, res));
  });
  return startSideServer(server, host, port, accept);
}
