import { DAY_MS } from '@ws01/asmx/time';
import type { Logger } from 'pino';
import type { Peers } from '../cluster/peers.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../domain/context.ts';
import { EVENTS_COMMITTED } from '../domain/events/record.ts';
import { sequenceEvents } from '../domain/events/sequence.ts';
import type { MailDeps } from '../domain/mail/send.ts';
import type { AttemptOutcome } from '../domain/outbox/delivery.ts';
import type { OutboxWorker, WorkerEvent } from '../domain/outbox/worker.ts';
import type { CodeKeys } from '../domain/phone/code-keys.ts';
import type { PhoneDeps } from '../domain/phone/operations.ts';
import { type Periodic, periodically } from '../domain/shared/periodic.ts';
import { expireSms } from '../domain/sms/admin.ts';
import { createDeliverCode } from '../domain/sms/deliver-code.ts';
import type { Store } from '../store/store.ts';
import type { OutboxKind } from '../store/tables/tables.ts';
import {
  createMailWorker,
  createSmsWorker,
  createWebhookWorker,
  domainOf,
  mailboxOf,
} from './message-workers.ts';
import type { PeerMessage } from './peer-messages.ts';

/** Interval at which expired codes are deleted; ms. */
const EXPIRE_EVERY_MS = 30_000;

/** Interval at which events that other nodes and commands have written are numbered; ms. */
const SEQUENCE_EVERY_MS = 500;

/** Interval at which the mail server of the settings is looked at; ms. */
const MAIL_SERVER_EVERY_MS = 2_000;

/** Pause between numberings, so that many events share one; ms. */
const SEQUENCE_PAUSE_MS = 50;

interface OutgoingDeps {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  /** The public base URL. */
  readonly baseUrl: () => string;
  readonly log: Logger;
  readonly keys: CodeKeys;
  readonly peers: Peers<PeerMessage>;
  /** Called after events were numbered by this process or a peer. */
  readonly onNumbered: () => void;
  /** ms; default: {@link SEQUENCE_EVERY_MS}. */
  readonly sequenceEvery?: number;
}

/** Sends mails, text messages and webhook calls. */
export interface Outgoing extends Pick<MailDeps, 'mail'>, Required<Pick<PhoneDeps, 'deliver'>> {
  /** Must be called after the commit that queues a message. */
  onQueued(kind: OutboxKind): void;
  /**
   * The configured mail server and gateway. `check` rejects while the last attempts could not reach
   * it.
   */
  readonly reachable: readonly {
    readonly name: 'mail' | 'sms';
    readonly check: () => Promise<void>;
  }[];
  /** Number of attempts of this process by outcome, for each kind of message. */
  readonly outcomes: Readonly<Record<OutboxKind, ReadonlyMap<AttemptOutcome['kind'], number>>>;
  /**
   * Starts sending. One process per machine does it, so that rates and connections stay within
   * their settings.
   */
  start(): void;
  /** Stops sending: finishes messages in progress or gives them back. */
  stop(): Promise<void>;
}

/**
 * Creates one worker for each kind of message that has a configured destination. It loads the
 * libraries that they need, so a library that cannot be loaded fails the start.
 */
export async function createOutgoing(deps: OutgoingDeps): Promise<Outgoing> {
  const outcomes: Record<OutboxKind, Outcomes> = {
    mail: new Map(),
    sms: new Map(),
    webhook: new Map(),
  };
  const onEvent = (event: WorkerEvent) => {
    if (event.kind === 'settled') count(outcomes[event.what], event.outcome.kind);
    logEvent(deps.log, event);
  };
  const mailWorker = () => createMailWorker({ ...deps, onEvent });
  const workers: Workers = {
    mail: await mailWorker(),
    sms: await createSmsWorker({ ...deps, onEvent }, deps.keys),
    webhook: createWebhookWorker({ ...deps, onEvent }),
  };
  return new OutgoingMessages(deps, workers, outcomes, mailWorker);
}

/** The workers, where a destination is configured. */
interface Workers extends Readonly<Record<OutboxKind, OutboxWorker | undefined>> {
  /** Another one when the mail server is changed. */
  mail: OutboxWorker | undefined;
  readonly webhook: OutboxWorker;
}

class OutgoingMessages implements Outgoing {
  readonly mail: MailDeps['mail'];
  readonly reachable: Outgoing['reachable'];
  readonly outcomes: Outgoing['outcomes'];
  readonly deliver: Outgoing['deliver'];
  readonly #deps: OutgoingDeps;
  readonly #workers: Workers;
  /** Numbers committed events, or asks the leader to. */
  readonly #events = coalesced(SEQUENCE_PAUSE_MS, () => this.#numberEvents());
  /** The number of the last event that streams know of. */
  #lastEvent: number | undefined;
  readonly #mailWorker: () => Promise<OutboxWorker | undefined>;
  /** The settings that the worker of mails was made with. */
  #mailAs: string;
  #periodic: readonly Periodic[] = [];
  #sending = false;
  #stopping: Promise<void> | undefined;

  constructor(
    deps: OutgoingDeps,
    workers: Workers,
    outcomes: Outgoing['outcomes'],
    mailWorker: () => Promise<OutboxWorker | undefined>,
  ) {
    const { config, clock, baseUrl, peers } = deps;
    const { mail, sms } = workers;
    this.#deps = deps;
    this.#workers = workers;
    this.outcomes = outcomes;
    this.#mailWorker = mailWorker;
    this.#mailAs = mailSettings(config);
    this.mail = {
      get sends() {
        return config.smtpServer !== undefined;
      },
      domain: () => domainOf(mailboxOf(config, baseUrl()).address),
      onQueued: () => this.onQueued('mail'),
    };
    this.deliver = sms && createDeliverCode(clock, sms.outage);
    this.reachable = [
      ...(mail === undefined
        ? []
        : [{ name: 'mail' as const, check: () => assertReachable(workers.mail) }]),
      ...(sms === undefined ? [] : [{ name: 'sms' as const, check: () => assertReachable(sms) }]),
    ];
    if (sms !== undefined) sms.outage.onChange = () => this.#tellOutage();
    EVENTS_COMMITTED.subscribe(this.#events.wake);
    peers.hear((news) => this.#hear(news));
  }

  onQueued(kind: OutboxKind): void {
    if (this.#sending) this.#workers[kind]?.wake();
    else this.#deps.peers.tell({ about: 'queued', kind });
  }

  start(): void {
    const { store, clock, sequenceEvery = SEQUENCE_EVERY_MS } = this.#deps;
    this.#sending = true;
    for (const worker of this.#all()) worker.start();
    this.#periodic = [
      periodically(EXPIRE_EVERY_MS, () => expireSms(store, clock())),
      periodically(sequenceEvery, async () => this.#events.wake()),
      periodically(MAIL_SERVER_EVERY_MS, () => this.#followMailServer()),
    ];
  }

  /** Sends by another mail server from now on, if the settings have another. */
  async #followMailServer(): Promise<void> {
    const wanted = mailSettings(this.#deps.config);
    if (wanted === this.#mailAs || this.#stopping !== undefined) return;
    const before = this.#workers.mail;
    this.#workers.mail = await this.#mailWorker();
    this.#mailAs = wanted;
    await before?.stop();
    this.#workers.mail?.start();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    EVENTS_COMMITTED.unsubscribe(this.#events.wake);
    await Promise.allSettled([this.#events.stop(), ...this.#periodic.map((one) => one.stop())]);
    // Release 0.2.0, if it is started next, can number nothing while there is a number on SQLite
    // that it does not know of.
    if (this.#sending && this.#deps.store.engine === 'sqlite')
      await this.#numberEvents().catch(() => {});
    await Promise.all(this.#all().map((worker) => worker.stop()));
  }

  #all(): OutboxWorker[] {
    return Object.values(this.#workers).filter((worker) => worker !== undefined);
  }

  async #numberEvents(): Promise<void> {
    const { config, store, clock, peers, onNumbered } = this.#deps;
    if (!this.#sending) {
      peers.tell({ about: 'events' });
      return;
    }
    const { last, deliveries } = await sequenceEvents(
      store,
      clock(),
      config.webhookRetryDays * DAY_MS,
    );
    if (deliveries > 0) this.#workers.webhook.wake();
    if (last === this.#lastEvent) return;
    this.#lastEvent = last;
    onNumbered();
    peers.tell({ about: 'numbered' });
  }

  /**
   * Every process refuses codes while the gateway is unreachable, but only the sending process
   * knows.
   */
  #tellOutage(): void {
    const { sms } = this.#workers;
    if (this.#sending && sms !== undefined)
      this.#deps.peers.tell({ about: 'gateway', outage: sms.outage.state });
  }

  #hear(news: PeerMessage): void {
    if (news.about === 'queued' && this.#sending) this.onQueued(news.kind);
    else if (news.about === 'gateway') this.#workers.sms?.outage.adopt(news.outage);
    else if (news.about === 'joined') this.#tellOutage();
    else if (news.about === 'events' && this.#sending) this.#events.wake();
    else if (news.about === 'numbered') this.#deps.onNumbered();
  }
}

type Outcomes = Map<AttemptOutcome['kind'], number>;

function count(outcomes: Outcomes, kind: AttemptOutcome['kind']): void {
  outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
}

const mailSettings = ({ smtpServer, mailFrom }: Config): string =>
  JSON.stringify([smtpServer, mailFrom]);

async function assertReachable(worker: OutboxWorker | undefined): Promise<void> {
  const { outage } = worker ?? { outage: { since: undefined } };
  if (outage.since !== undefined)
    throw new Error(`It has not been reached since ${new Date(outage.since).toISOString()}.`);
}

/**
 * Logs an event of a worker, without addresses, numbers, texts and replies (replies repeat
 * addresses). The database has them.
 */
function logEvent(log: Logger, event: WorkerEvent): void {
  switch (event.kind) {
    case 'unreachable':
      log.warn(
        { what: event.what, reply: event.reply },
        'the server cannot be reached; what is queued waits',
      );
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

/** Work that is done soon after it was asked for, however often that is. */
interface Coalesced {
  /** Asks for a run that begins after this call. Never waits and never fails. */
  wake(): void;
  /** Resolves when the run in progress has ended; no other begins. */
  stop(): Promise<void>;
}

/**
 * Runs a job at once when it is asked for. Requests during a run, and in a pause after it, share
 * the next run. It does not keep the process alive. A failure is ignored until the next request.
 * @param pause ms between the end of a run and the start of the next.
 */
export function coalesced(pause: number, work: () => Promise<unknown>): Coalesced {
  let underWay: Promise<unknown> = Promise.resolve();
  let idle = true;
  let asked = false;
  let stopped = false;
  let resting: NodeJS.Timeout | undefined;
  const run = () => {
    idle = false;
    asked = false;
    underWay = work().then(rest, rest);
  };
  const rest = () => {
    resting = setTimeout(() => {
      idle = true;
      if (asked && !stopped) run();
    }, pause).unref();
  };
  return {
    wake() {
      asked = true;
      if (idle && !stopped) run();
    },
    async stop() {
      stopped = true;
      await underWay;
      clearTimeout(resting);
    },
  };
}
