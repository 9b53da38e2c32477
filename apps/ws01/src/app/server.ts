import { AsyncLocalStorage } from 'node:async_hooks';
import type { Endpoint } from '@ws01/asmx';
import {
  acceptPromptly,
  acceptRawTarget,
  answerBeforeBody,
  dropRest,
  inTurn,
  LongResponse,
  nodeListener,
  serveLater,
} from '@ws01/asmx/node';
import type { McpListener } from '@ws01/asmx-tools/mcp';
import { attachFastPath } from '@ws01/fast-http';
import { shortPaths } from '../domain/links/target.ts';
import { firstOf } from '../web/direct-answers.ts';
import { HttpServer } from '../web/http-server.ts';
import { createImageAnswers, createPictureAnswers } from '../web/image-answers.ts';
import { createLinkAnswers } from '../web/link-answers.ts';
import type { ProbeDeps } from '../web/probes.ts';
import { receivedRequestOf } from '../web/received-request.ts';
import { createRequestIds } from '../web/request-ids.ts';
import { createVisitSources } from '../web/visit-sources.ts';
import { createWeb } from '../web/web.ts';
import type { ApiLoader } from './api.ts';
import { createOnBehalfOfSender } from './callers.ts';
import { readCertificate } from './certificate.ts';
import type { ClosedDoor } from './closed-door.ts';
import type { ConsolePages } from './console.ts';
import { directOnFastPath } from './direct-on-fast-path.ts';
import type { Doors } from './doors.ts';
import { createMailDoor } from './mail-door.ts';
import type { ResourceDeps, Resources } from './resources.ts';

/** Other handlers on the port, besides the endpoint. */
interface OtherHandlers {
  readonly api: ApiLoader;
  /** `undefined` if this port has no console. */
  readonly console: ConsolePages | undefined;
  /** `undefined` without MCP. */
  readonly tools: McpListener | undefined;
  readonly closed: ClosedDoor;
}

/** Creates the HTTP server: the endpoint, media, short links, health and OpenAPI on one port. */
export function createServer(
  deps: ResourceDeps,
  resources: Resources,
  endpoint: Endpoint,
  probes: ProbeDeps,
  doors: Doors,
  others: OtherHandlers,
): HttpServer {
  const { config, clock, log, addresses } = deps;
  const { budgets, media, links, visits, qrCodes } = resources;
  const requestIds = createRequestIds(addresses.trustsProxy);
  const redirects = {
    clock,
    links,
    visits,
    sourcesOf: createVisitSources(config.countryHeader, addresses.trustsProxy),
  };
  const shortLinkPaths = shortPaths(addresses.baseUrl, addresses.shortBaseUrl);
  const onBehalf = createOnBehalfOfSender(addresses);
  const pictures = createPictureAnswers(log);
  const direct = firstOf([
    createImageAnswers(media, pictures),
    createLinkAnswers(redirects, shortLinkPaths, log),
  ]);
  // While the database is being exchanged, `node:http` answers.
  const directInTurn: typeof direct = (request) =>
    others.closed.isClosed() ? undefined : onBehalf(request, () => direct(request));
  const siteName = () => config.serviceName;
  const web = createWeb({
    basePath: addresses.basePathOf,
    servicePath: config.servicePaths[0]!,
    probes,
    later: (work) => serveLater(AsyncLocalStorage.bind(work)),
    console: others.console,
    openApi: (request) => endpoint.openApi(request),
    media,
    pictures,
    closed: others.closed,
    direct,
    shortLinks: {
      ...redirects,
      qrCodes,
      siteName,
      shortBaseUrl: (request) =>
        addresses.shortBaseUrlFor({ reachedAt: addresses.reachedAt(request) }),
      followsHost: addresses.shortLinksFollowHost,
      charging: (request, work) =>
        budgets.charging('picturesPerAddress', { address: addresses.clientOf(request) }, work),
    },
    siteName,
    mail: createMailDoor(deps),
    api: others.api,
    apiWords: async () => (await import('./api-docs-zh.ts')).apiDocsInChinese(),
    legacyPaths: { images: config.legacyImagePaths ?? [], links: config.legacyLinkPaths ?? [] },
    shortLinkPaths,
    log,
  });
  const listener = nodeListener(endpoint);
  return new HttpServer({
    first: (req, res, awaitsContinue) => {
      addresses.takeBasePath(req);
      return (
        listener(req, res, awaitsContinue) || others.tools?.(req, res, awaitsContinue) === true
      );
    },
    rest: (req, res) => onBehalf(receivedRequestOf(req), () => web(req, res)),
    beforeRest: doors.countBody,
    response: LongResponse,
    tls: readCertificate(config),
    requestId: ({ headers, socket }) =>
      requestIds({ headers, remoteAddress: socket.remoteAddress ?? '' }),
    inTurn,
    acceptRawTarget,
    answerBeforeBody,
    dropRest,
    takeConnections: (server) => {
      doors.guard(server);
      acceptPromptly(server, endpoint);
      return config.fastPath
        ? attachFastPath(server, endpoint, directOnFastPath(directInTurn, requestIds))
        : undefined;
    },
  });
}
