import type { TestContext } from 'node:test';
import { PATIENCE_MS } from '../../../../packages/asmx/test/kit/until.ts';
import { createComposer, type DkimKey } from '../../src/adapters/mail/message.ts';
import type { SmtpServer, SmtpTimeouts } from '../../src/adapters/mail/smtp-session.ts';
import { SmtpTransport } from '../../src/adapters/mail/smtp-transport.ts';
import type { ParamsOf } from '../../src/contract/service.ts';
import type { BudgetRates } from '../../src/domain/budgets/rates.ts';
import type { Caller } from '../../src/domain/context.ts';
import { MailDelivery } from '../../src/domain/mail/delivery.ts';
import { mailOperations } from '../../src/domain/mail/operations.ts';
import {
  OutboxWorker,
  type WorkerEvent,
  type WorkerIntervals,
} from '../../src/domain/outbox/worker.ts';
import { registerUsers } from '../../src/domain/users/users.ts';
import type { Store } from '../../src/store/store.ts';
import type { FreshDatabase } from './database.ts';
import { ADA, contextOf, Desk, NOW } from './desk.ts';
import type { MailServer } from './mail-server.ts';

export { ADA, BOB, NOW, SERVICE } from './desk.ts';
export const SECOND = 1_000;

const FROM = { name: '留言板 & Co', address: 'board@ws01.example' };

/** A line of the report of operation 19. */
export interface ReportItem {
  readonly id: string;
  readonly receiverEmail: string;
  readonly receiverName: string;
  readonly subject: string;
  readonly status: string;
  readonly attempts: number;
  readonly createdAt: string;
  readonly nextAttemptAt: string | null;
  readonly finishedAt: string | null;
  readonly lastReply: string | null;
}

interface Report {
  readonly items: readonly ReportItem[];
  readonly truncated: boolean;
}

interface DeskOptions {
  readonly smtp?: Partial<SmtpServer>;
  /** Those that are absent no busy machine reaches. */
  readonly timeouts?: Partial<SmtpTimeouts>;
  readonly rates?: Partial<BudgetRates>;
  readonly dkim?: DkimKey;
  readonly rhythm?: Partial<WorkerIntervals>;
  /** The clock that leases are watched by; the one that the test moves when absent. */
  readonly steady?: () => number;
  /** The mail server; none keeps mails. */
  readonly server?: Pick<MailServer, 'port'> | undefined;
}

/** One node that sends mail over a store to a real SMTP server; its clock is moved by the test. */
export class MailDesk extends Desk {
  readonly worker: OutboxWorker | undefined;
  readonly events: WorkerEvent[] = [];
  readonly #operations: ReturnType<typeof mailOperations>;

  constructor(store: Store, options: DeskOptions) {
    super(store, options.rates);
    const { clock, budgets } = this;
    const { server } = options;
    const delivery = server && this.#delivery(server, options);
    this.worker =
      delivery &&
      new OutboxWorker({
        store,
        clock,
        steady: options.steady ?? clock,
        delivery,
        onEvent: (event) => this.events.push(event),
        rhythm: { stop: 300, ...options.rhythm },
      });
    this.#operations = mailOperations({
      store,
      clock,
      budgets,
      mail: { sends: delivery !== undefined, domain: () => 'ws01.example', onQueued: () => {} },
    });
  }

  #delivery(server: Pick<MailServer, 'port'>, { smtp, timeouts, dkim }: DeskOptions): MailDelivery {
    const transport = new SmtpTransport(
      {
        host: '127.0.0.1',
        port: server.port,
        secure: false,
        user: undefined,
        password: undefined,
        startTls: 'auto',
        verify: true,
        connections: 3,
        name: undefined,
        ...smtp,
      },
      createComposer(dkim),
      { connect: PATIENCE_MS, command: PATIENCE_MS, message: PATIENCE_MS, ...timeouts },
    );
    return new MailDelivery({
      store: this.store,
      clock: () => this.now,
      transport,
      from: () => FROM,
    });
  }

  async send(given: Partial<ParamsOf<'SendEmail'>> = {}, caller: Caller = ADA): Promise<string> {
    const params = {
      authorizationUserId: 'secret',
      receiverName: 'Grace',
      receiverEmail: 'grace@example.com',
      subject: 'Subject',
      body: 'Body',
      ...given,
    };
    return this.#operations.SendEmail(params, contextOf(caller));
  }

  async rawReport(receiverEmail?: string, caller: Caller = ADA): Promise<Report> {
    const params = { authorizationUserId: 'secret', receiverEmail };
    return JSON.parse(await this.#operations.queryEmailsent(params, contextOf(caller)));
  }

  async report(receiverEmail?: string, caller?: Caller): Promise<readonly ReportItem[]> {
    return (await this.rawReport(receiverEmail, caller)).items;
  }

  register(id: string): Promise<void> {
    return registerUsers(this.store, [{ id }], () => this.now);
  }

  /** The report of one mail. */
  async status(id: string): Promise<ReportItem> {
    const item = (await this.report()).find((one) => one.id === id);
    if (item === undefined) throw new Error(`${id} is not in the report`);
    return item;
  }

  /** Does what is due. */
  async work(): Promise<void> {
    await this.worker?.settleAll();
  }

  /** Lets time pass, and does what has become due. @returns the report of one mail. */
  async after(ms: number, id: string): Promise<ReportItem> {
    this.now += ms;
    await this.work();
    return this.status(id);
  }
}

/** A desk on a database of its own where ada is registered, with an address. */
export async function openMailDesk(
  test: TestContext,
  fresh: FreshDatabase,
  options: DeskOptions,
): Promise<MailDesk> {
  const store = await (await fresh(test)).open();
  await registerAda(store);
  return deskOn(test, store, options);
}

/** Another node on the same store, or on a store of its own. */
export function deskOn(test: TestContext, store: Store, options: DeskOptions): MailDesk {
  const desk = new MailDesk(store, options);
  test.after(() => desk.worker?.stop());
  return desk;
}

export async function registerAda(store: Store): Promise<void> {
  await registerUsers(
    store,
    [{ id: 'ada', name: 'Ada "漢字" <x>', email: 'ada@users.example' }],
    () => NOW,
  );
}
