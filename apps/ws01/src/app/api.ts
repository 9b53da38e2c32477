import { DAY_MS } from '@ws01/asmx/time';
import type { createApi } from '../api/api.ts';
import { type Config, consoleUrl } from '../config/config.ts';
import { machineCommands } from '../config/environment.ts';
import { receivedRequestOf } from '../web/received-request.ts';
import type { AnsweredCalls } from './calls.ts';
import { revisionLimitsOf, targetRules } from './endpoint.ts';
import { onFailedRequest } from './failed-requests.ts';
import { createMailServer } from './mail-server.ts';
import type { ResourceDeps, Resources } from './resources.ts';
import { samplesOf } from './samples.ts';

type Api = ReturnType<typeof createApi>;

/** Loads the HTTP API on first use. */
export type ApiLoader = () => Promise<Api>;

/** Whether browsers reach the console and the API under one origin. */
function sharesOrigin({ console, consolePort }: Config): boolean {
  return console && consolePort === undefined;
}

/**
 * Creates the loader of the HTTP API. Many services are only called by the contract and never need
 * it.
 */
export function createApiLoader(
  deps: ResourceDeps,
  resources: Resources,
  calls: AnsweredCalls | undefined,
): ApiLoader {
  let api: Promise<Api> | undefined;
  const load = async () => {
    const [{ createApi: create }, { createSessionPrincipal }] = await Promise.all([
      import('../api/api.ts'),
      import('./session.ts'),
    ]);
    const { config, store, clock, addresses } = deps;
    const session = { store, clock, origin: addresses.originOf };
    return create({
      sessionPrincipal: sharesOrigin(config) ? createSessionPrincipal(session) : undefined,
      ...apiDeps(deps, resources),
      findCalls: async (requestId) => (await calls?.find(requestId)) ?? [],
    });
  };
  return () => {
    api ??= load();
    return api;
  };
}

/** What the HTTP API needs of the service. */
function apiDeps(
  deps: ResourceDeps,
  resources: Resources,
): Omit<Parameters<typeof createApi>[0], 'sessionPrincipal' | 'findCalls'> {
  const { config, store, clock, log, addresses } = deps;
  const { access, budgets, links, outgoing, backups, files } = resources;
  const { media, decoders, events, settings } = resources;
  return {
    store,
    budgets,
    revisionLimits: revisionLimitsOf(config),
    targets: targetRules(deps),
    timeZone: config.timeZone,
    limits: config,
    clock,
    log,
    onFailed: onFailedRequest(resources, clock),
    access,
    links,
    files,
    decoders,
    maxImagePixels: config.maxImagePixels,
    maxImageBytes: config.maxImageBytes,
    setUpUrl: (secret) => `${consoleUrl(config, addresses.port)}/set-up/${secret}`,
    media,
    mail: outgoing.mail,
    onQueued: (kind) => outgoing.onQueued(kind),
    events,
    webhookRetryMs: config.webhookRetryDays * DAY_MS,
    startBackup: () => backups.start(),
    noBackups: () => backups.refusal(),
    verifyBackup: (id) => backups.verify(id),
    downloadBackup: (name) => backups.download(name),
    planRestore: (name) => backups.plan(name),
    restores: deps.restores,
    restore: (asked) => backups.restore(asked),
    machine: machineCommands(),
    settings: () => settings.shown(),
    changeSetting: ({ by, isPreview, assertSeen, ...change }) =>
      settings.change({
        ...{ by, isPreview },
        changes() {
          assertSeen();
          return [change];
        },
      }),
    samplesOf: (variable, value) => samplesOf(config, variable, value),
    refusal: () => config.mailRefused,
    mailServer: createMailServer(settings, addresses),
    site: config,
    defaultCountry: config.defaultCountry,
    clientAddress: (incoming) => addresses.clientOf(receivedRequestOf(incoming)),
    reachedAt: (incoming) => addresses.reachedAt(receivedRequestOf(incoming)),
    baseUrl: addresses.baseUrlFor,
    shortBaseUrl: addresses.shortBaseUrlFor,
  };
}
