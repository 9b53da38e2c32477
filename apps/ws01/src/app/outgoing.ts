import { Networks } from '@ws01/asmx/node';
import type { Logger } from 'pino';
import type { SmsGateway } from '../adapters/sms/gateway.ts';
import { WebhookClient } from '../adapters/webhooks/client.ts';
import type { Peers } from '../cluster/peers.ts';
import type { Config, Mailbox, SmsGatewaySetting } from '../config/config.ts';
import type { Clock } from '../domain/context.ts';
import { sequenceEvents } from '../domain/events/sequence.ts';
import { MailDelivery } from '../domain/mail/delivery.ts';
import { DomainPace } from '../domain/mail/pace.ts';
import type { MailDeps } from '../domain/mail/send.ts';
import type { AttemptOutcome } from '../domain/outbox/delivery.ts';
import { OutboxWorker, type WorkerEvent } from '../domain/outbox/worker.ts';
import type { CodeKeys } from '../domain/phone/code-keys.ts';
import type { PhoneDeps } from '../domain/phone/operations.ts';
import { type Periodic, periodically } from '../domain/shared/periodic.ts';
import { expireSms } from '../domain/sms/admin.ts';
import { createDeliverCode } from '../domain/sms/deliver-code.ts';
import { SmsDelivery } from '../domain/sms/delivery.ts';
import { WebhookDelivery } from '../domain/webhooks/delivery.ts';
import type { Store } from '../store/store.ts';
import type { OutboxKind } from '../store/tables/tables.ts';
import type { PeerMessage } from './peer-messages.ts';

/** Interval at which expired codes are deleted; ms. */
const EXPIRE_EVERY_MS = 30_000;

/** Interval at which events are sequenced and queued for webhooks; ms. */
const SEQUENCE_EVERY_MS = 500;

const DAY_MS = 86_400_000;

interface OutgoingDeps {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  /** The public base URL. */
  readonly baseUrl: () => string;
  readonly log: Logger;
}

/** Sends mails, text messages and webhook calls. */
export interface Outgoing extends Pick<MailDeps, 'mail'>, Required<Pick<PhoneDeps, 'deliver' | 'onDelivery'>> {
  /** The configured mail server and gateway. `check` rejects while the last attempts could not reach it. */
  readonly reachable: readonly { readonly name: 'mail' | 'sms'; readonly check: () => Promise<void> }[];
  /** Number of attempts of this process by outcome, for each kind of message. */
  readonly outcomes: Readonly<Record<OutboxKind, ReadonlyMap<AttemptOutcome['kind'], number>>>;
  /** Starts sending. One process per machine does it, so that rates and connections stay within their settings. */
  start(): void;
  /** Stops sending: finishes messages in progress or gives them back. */
  stop(): Promise<void>;
}

/**
 * Creates one worker for each kind of message that has a configured destination. It loads the libraries that they need,
 * so a library that cannot be loaded fails the start.
 */
export async function createOutgoing(
  deps: OutgoingDeps & { readonly keys: CodeKeys; readonly peers: Peers<PeerMessage> },
): Promise<Outgoing> {
  const { config, store, clock, baseUrl, log, keys, peers } = deps;
  const outcomes = {
    mail: new Map<AttemptOutcome['kind'], number>(),
    sms: new Map<AttemptOutcome['kind'], number>(),
    webhook: new Map<AttemptOutcome['kind'], number>(),
  };
  const onEvent = (event: WorkerEvent) => {
    if (event.kind === 'settled') {
      const { kind } = event.outcome;
      outcomes[event.what].set(kind, (outcomes[event.what].get(kind) ?? 0) + 1);
    }
    logEvent(log, event);
  };
  const mails = await createMailWorker({ ...deps, onEvent });
  const texts = await createSmsWorker({ ...deps, onEvent }, keys);
  const hooks = createWebhookWorker({ ...deps, onEvent });
  let periodic: readonly Periodic[] = [];
  let sending = false;
  const onQueued = (kind: OutboxKind) => {
    if (!sending) peers.tell({ about: 'queued', kind });
    else if (kind === 'mail') mails?.wake();
    else if (kind === 'webhook') hooks.wake();
    else texts?.wake();
  };
  // Every process refuses codes while the gateway is unreachable, but only the sending process knows.
  const tellOutage = () => {
    if (sending && texts !== undefined) peers.tell({ about: 'gateway', outage: texts.outage.state });
  };
  if (texts !== undefined) texts.outage.onChange = tellOutage;
  peers.hear((news) => {
    if (news.about === 'queued' && sending) onQueued(news.kind);
    else if (news.about === 'gateway') texts?.outage.adopt(news.outage);
    else if (news.about === 'joined') tellOutage();
  });
  return {
    mail: {
      sends: mails !== undefined,
      domain: () => domainOf(mailboxOf(config, baseUrl()).address),
      onQueued: () => onQueued('mail'),
    },
    reachable: [
      ...(mails === undefined ? [] : [{ name: 'mail' as const, check: () => assertReachable(mails) }]),
      ...(texts === undefined ? [] : [{ name: 'sms' as const, check: () => assertReachable(texts) }]),
    ],
    outcomes,
    deliver: texts && createDeliverCode(clock, texts.outage),
    onDelivery: () => onQueued('sms'),
    start() {
      sending = true;
      mails?.start();
      texts?.start();
      hooks.start();
      const sequence = async () => {
        if ((await sequenceEvents(store, clock(), config.webhookRetryDays * DAY_MS)) > 0) hooks.wake();
      };
      periodic = [
        periodically(EXPIRE_EVERY_MS, () => expireSms(store, clock())),
        periodically(SEQUENCE_EVERY_MS, sequence),
      ];
    },
    async stop() {
      await Promise.allSettled(periodic.map((one) => one.stop()));
      await Promise.all([mails?.stop(), texts?.stop(), hooks.stop()]);
    },
  };
}

async function assertReachable({ outage }: OutboxWorker): Promise<void> {
  if (outage.since !== undefined)
    throw new Error(`It has not been reached since ${new Date(outage.since).toISOString()}.`);
}

/** Creates a worker that sends mails, not yet started; `undefined` without a mail server. */
export async function createMailWorker({
  config,
  store,
  clock,
  baseUrl,
  onEvent,
}: Omit<OutgoingDeps, 'log'> & { readonly onEvent: (event: WorkerEvent) => void }): Promise<OutboxWorker | undefined> {
  const { smtpServer, mailDkimKey, mailDkimSelector, mailPace } = config;
  if (smtpServer === undefined) return undefined;
  const { createComposer } = await import('../adapters/mail/message.ts');
  const { SmtpTransport } = await import('../adapters/mail/smtp-transport.ts');
  const from = () => mailboxOf(config, baseUrl());
  const dkim =
    mailDkimKey === undefined
      ? undefined
      : { domain: domainOf(from().address), selector: mailDkimSelector, privateKey: mailDkimKey };
  const transport = new SmtpTransport(smtpServer, createComposer(dkim));
  const delivery = new MailDelivery({ store, clock, transport, from, pace: new DomainPace(mailPace) });
  return new OutboxWorker({ store, clock, delivery, onEvent });
}

async function createSmsWorker(
  { config, store, clock, onEvent }: OutgoingDeps & { readonly onEvent: (event: WorkerEvent) => void },
  keys: CodeKeys,
): Promise<OutboxWorker | undefined> {
  const { smsGateway, smsText, serviceName } = config;
  if (smsGateway === undefined) return undefined;
  const gateway = await gatewayOf(smsGateway, config);
  const delivery = new SmsDelivery({ store, clock, gateway, keys, template: smsText, serviceName });
  return new OutboxWorker({ store, clock, delivery, onEvent });
}

function createWebhookWorker({
  config,
  store,
  clock,
  onEvent,
}: OutgoingDeps & { readonly onEvent: (event: WorkerEvent) => void }): OutboxWorker {
  const delivery = new WebhookDelivery({ store, clock, client: new WebhookClient(config.webhookNetworks ?? []) });
  return new OutboxWorker({ store, clock, delivery, onEvent });
}

async function gatewayOf(
  setting: SmsGatewaySetting,
  { smsSecret, smsNetworks }: Pick<Config, 'smsSecret' | 'smsNetworks'>,
): Promise<SmsGateway> {
  const networks = new Networks(smsNetworks ?? []);
  switch (setting.kind) {
    case 'twilio': {
      const { TwilioGateway } = await import('../adapters/sms/twilio.ts');
      return new TwilioGateway(setting, networks);
    }
    case 'smpp': {
      const { SmppGateway } = await import('../adapters/sms/smpp.ts');
      return new SmppGateway(setting, networks);
    }
    case 'webhook': {
      const { WebhookGateway } = await import('../adapters/sms/webhook.ts');
      return new WebhookGateway(setting.url, smsSecret ?? '', networks);
    }
  }
}

/** The sender of mails: `MAIL_FROM`, else `ws01@` and the host of the service. */
export function mailboxOf({ mailFrom }: Pick<Config, 'mailFrom'>, baseUrl: string): Mailbox {
  return mailFrom ?? { name: '', address: `ws01@${mailHost(new URL(baseUrl).hostname)}` };
}

/** Returns a host as a mail domain; IP addresses become address literals (RFC 5321 4.1.3). */
function mailHost(host: string): string {
  if (host.startsWith('[')) return `[IPv6:${host.slice(1, -1)}]`;
  return /^[0-9.]+$/.test(host) ? `[${host}]` : host;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/**
 * Logs an event of a worker, without addresses, numbers, texts and replies (replies repeat addresses). The database has
 * them.
 */
function logEvent(log: Logger, event: WorkerEvent): void {
  switch (event.kind) {
    case 'unreachable':
      log.warn({ what: event.what, reply: event.reply }, 'the server cannot be reached; what is queued waits');
      break;
    case 'reachable':
      log.info({ what: event.what }, 'the server can be reached again');
      break;
    case 'settled': {
      const { outcome } = event;
      const level = outcome.kind === 'bounced' || outcome.kind === 'failed' ? 'warn' : 'debug';
      log[level]({ what: event.what, id: event.id, outcome: outcome.kind }, 'message settled');
      break;
    }
    case 'failure':
      log.error({ what: event.what, err: event.error }, 'sending failed');
      break;
  }
}
