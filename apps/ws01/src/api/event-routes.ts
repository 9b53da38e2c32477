import type { Kysely } from 'kysely';
import type { EventFeed } from '../domain/events/feed.ts';
import {
  addWebhook,
  disableWebhook,
  editWebhook,
  enableWebhook,
  removeWebhook,
  resendDelivery,
  retryWebhook,
  rotateSecret,
  testWebhook,
  type WebhookEdit,
} from '../domain/webhooks/webhooks.ts';
import type { Tables } from '../store/tables/tables.ts';
import { itemOf, notFound, readRow } from './kind.ts';
import { getRoute, itemSchema, listRoute } from './kind-routes.ts';
import { DELIVERIES, EVENTS, WEBHOOKS } from './kinds.ts';
import { type ApiCall, Raw, type Route } from './route.ts';
import { list, nullable, object, text, type Values } from './schema.ts';
import {
  actorOf,
  secretRoute,
  type Verb,
  type VerbCall,
  type VerbDeps,
  verbRoute,
} from './verbs.ts';

/** Dependencies of the routes of events and webhooks. */
export interface EventRouteDeps extends VerbDeps {
  readonly events: Pick<EventFeed, 'stream'>;
  /** How long deliveries to a webhook are retried; ms. */
  readonly webhookRetryMs: number;
  /** Called when something was queued for the outbox. */
  readonly onQueued: (kind: 'webhook') => void;
}

/** Routes of events, as a list and as a live stream, and of the webhooks that receive them. */
export function eventRoutes(deps: EventRouteDeps): readonly Route[] {
  return [
    streamRoute(deps),
    getRoute(EVENTS, deps),
    listRoute(WEBHOOKS, deps),
    getRoute(WEBHOOKS, deps),
    createRoute(deps),
    rotateRoute(deps),
    ...webhookVerbs(deps).map((verb) => verbRoute(WEBHOOKS, verb, deps)),
    listRoute(DELIVERIES, deps),
    getRoute(DELIVERIES, deps),
    verbRoute(DELIVERIES, resend(deps), deps),
  ];
}

function webhookVerbs({ webhookRetryMs }: EventRouteDeps): readonly Verb[] {
  const known = <T>(key: string, done: T | undefined): T => {
    if (done === undefined) throw notFound(WEBHOOKS, key);
    return done;
  };
  return [
    {
      name: 'edit',
      method: 'patch',
      summary:
        'Change where it is called and of what; what is not given stays, and so does its secret',
      role: 'owner',
      confirmed: true,
      body: TERMS,
      act: async (tx, { key, at, by, body }) =>
        known(key, await editWebhook(tx, key, termsOf(body), at, by)),
    },
    {
      name: 'disable',
      summary: 'Tell it of nothing any more',
      role: 'owner',
      act: async (tx, { key, at, by }) => known(key, await disableWebhook(tx, key, at, by)),
    },
    {
      name: 'enable',
      summary: 'Tell it of events again, from now on',
      role: 'owner',
      act: async (tx, { key, at, by }) => known(key, await enableWebhook(tx, key, at, by)),
    },
    {
      name: 'test',
      summary: 'Send it an event that tells of nothing',
      isUnaudited: true,
      role: 'owner',
      act: async (tx, { key, at }) => known(key, (await testWebhook(tx, key, at)) || undefined),
    },
    {
      name: 'retry',
      summary: 'Send the events that wait, and those that were given up, at once',
      role: 'owner',
      act: async (tx, { key, at, by }) =>
        known(key, await retryWebhook(tx, key, at, by, webhookRetryMs)) > 0,
    },
    {
      name: 'remove',
      summary: 'Remove it, and what is on its way to it',
      role: 'owner',
      method: 'delete',
      act: async (tx, { key, at, by }) => known(key, await removeWebhook(tx, key, at, by)),
    },
  ];
}

function resend({ webhookRetryMs, onQueued }: EventRouteDeps): Verb {
  return {
    name: 'resend',
    summary: 'Send the event to its webhook again, at once',
    role: 'owner',
    async act(tx, { key, at, by }) {
      const done = await resendDelivery(tx, key, at, by, webhookRetryMs);
      if (done === undefined) throw notFound(DELIVERIES, key);
      return done;
    },
    done: () => onQueued('webhook'),
  };
}

/** The list of events, or a stream of them for `Accept: text/event-stream`. */
function streamRoute(deps: EventRouteDeps): Route {
  const route = listRoute(EVENTS, deps);
  return {
    ...route,
    summary:
      'A page of events; with `Accept: text/event-stream` all that come, as server-sent events',
    async run(call) {
      if (call.accept !== 'text/event-stream') return route.run(call);
      const { lastEventId, reauthorize: judge, principal } = call;
      const watcher = { judge, person: `${principal.kind} ${principal.id}` };
      return new Raw(await deps.events.stream(lastEventId, watcher), 'text/event-stream');
    },
  };
}

const SECRET = text('What its calls are signed with: keep it.');

/** The terms of a webhook, which an edit may change. */
const TERMS = {
  url: text('What is called: http or https.', { maxLength: 2_048 }),
  types: list(
    'The types of events that it gets: `*`, `article.*`, `mail.bounced`; all when absent.',
    text(''),
    {
      maxItems: 50,
    },
  ),
  label: nullable(text('What people call it.', { maxLength: 100 })),
};

/** Reads the terms that a body has. */
function termsOf({ url, types, label }: Values): WebhookEdit {
  return {
    url: url as string | undefined,
    types: (types as readonly string[] | undefined)?.filter((type) => type !== ''),
    label: label === null ? '' : (label as string | undefined),
  };
}

function createRoute(deps: EventRouteDeps): Route {
  return {
    method: 'post',
    path: '/webhooks',
    id: 'createWebhook',
    tag: 'webhooks',
    summary: 'Make a webhook; the answer has its secret, which is shown only now',
    role: 'owner',
    confirmed: true,
    body: object(TERMS, ['types', 'label']),
    result: { ...object({ item: itemSchema(WEBHOOKS), secret: SECRET }), title: 'NewWebhook' },
    status: 201,
    async run(call) {
      const { url = '', types = [], label = '' } = termsOf(call.body);
      const { id, secret } = await deps.store.write((tx) =>
        addWebhook(tx, { url, label, types }, deps.clock(), actorOf(call)),
      );
      return { item: await itemFor(deps, id, call), secret };
    },
  };
}

function rotateRoute(deps: EventRouteDeps): Route {
  const rotate = {
    id: 'rotateWebhookSecret',
    tail: '/secret',
    title: 'RotatedWebhook',
    summary: 'Give it another secret; the one before signs as well for a day',
    tells: { secret: SECRET },
    async act(tx: Kysely<Tables>, { key, by, at }: VerbCall) {
      const secret = await rotateSecret(tx, key, at, by);
      if (secret === undefined) throw notFound(WEBHOOKS, key);
      return { secret };
    },
  };
  return secretRoute(WEBHOOKS, rotate, deps);
}

async function itemFor({ store, shown }: EventRouteDeps, id: string, call: ApiCall) {
  const row = await readRow(store, WEBHOOKS, id);
  return itemOf(WEBHOOKS.fields, row, shown(call), call.principal, true);
}
