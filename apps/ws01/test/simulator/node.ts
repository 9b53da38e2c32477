import { DAY_MS, HOUR_MS, MINUTE_MS } from '@ws01/asmx/time';
import type { Random } from '../../../../packages/asmx/test/kit/random.ts';
import { articleOperations } from '../../src/domain/articles/operations.ts';
import { createBudgets } from '../../src/domain/budgets/budgets.ts';
import { NO_BOUNDS } from '../../src/domain/budgets/rates.ts';
import type { CallContext, Caller } from '../../src/domain/context.ts';
import { MailDelivery } from '../../src/domain/mail/delivery.ts';
import { mailOperations } from '../../src/domain/mail/operations.ts';
import type { Outage } from '../../src/domain/outbox/outage.ts';
import { OutboxWorker } from '../../src/domain/outbox/worker.ts';
import { CodeKeys } from '../../src/domain/phone/code-keys.ts';
import { PhoneCodes } from '../../src/domain/phone/codes.ts';
import { phoneOperations } from '../../src/domain/phone/operations.ts';
import { PurgeClock } from '../../src/domain/retention/purge-clock.ts';
import { beginningOf, NOTE_EVERY_MS, noteTime } from '../../src/domain/shared/known-time.ts';
import { createSteadyClock, type SteadyClock } from '../../src/domain/shared/steady-clock.ts';
import { createDeliverCode } from '../../src/domain/sms/deliver-code.ts';
import { SmsDelivery } from '../../src/domain/sms/delivery.ts';
import type { Store } from '../../src/store/store.ts';
import { type Changes, faultyStore, type StoreFaults } from './faulty-store.ts';
import { type Delivered, type Manners, mailServer, smsGateway } from './other-sides.ts';
import type { Tally } from './tally.ts';
import { as, type Simulated, type SimulatedTime } from './time.ts';

/** What mails to one recipient, codes for one number and posts of one user are bounded by. */
export const RATES = {
  mailsPerRecipient: [{ limit: 4, window: HOUR_MS }],
  codesPerPhone: [{ limit: 6, window: 10 * MINUTE_MS }],
  postsPerUser: [{ limit: 12, window: DAY_MS }],
} as const;

const SERVICE: Caller = { kind: 'service', tokenId: 't-service', userId: 'default-sender' };
const CONTEXT: CallContext = { caller: SERVICE, address: '198.51.100.7', requestId: 'r-1' };
const USER: CallContext = { ...CONTEXT, caller: { kind: 'user', tokenId: 't-ada', userId: 'ada' } };

/** What all nodes of a simulated installation share. */
export interface Site {
  readonly time: SimulatedTime;
  readonly random: Random;
  /** The real one. */
  readonly store: Store;
  readonly storeFaults: StoreFaults;
  readonly changes: Changes;
  readonly tally: Tally;
  readonly manners: Manners;
  readonly mails: Delivered[];
  readonly texts: Delivered[];
  /** How far the clock of the machine is off; ms. */
  clockError: number;
}

/** 2031, so that no real time is taken for a simulated one. */
const EPOCH = Date.UTC(2031, 0, 1);

/** What of a process works on one kind of message. */
export class Part implements Simulated {
  readonly kind: 'mail' | 'sms';
  readonly #whole: Simulated;

  constructor(whole: Simulated, kind: 'mail' | 'sms') {
    this.#whole = whole;
    this.kind = kind;
  }

  get alive(): boolean {
    return this.#whole.alive;
  }

  wall(): number {
    return this.#whole.wall();
  }
}

/** One process of the service, made of its real parts, as far as it keeps its word over time. */
export class Node implements Simulated {
  alive = true;
  clock!: SteadyClock;
  purgeClock!: PurgeClock;
  readonly store: Store;
  /** What this node knows of the other sides. */
  outages!: Readonly<Record<'mail' | 'sms', Outage>>;
  readonly #site: Site;
  readonly #died = Promise.withResolvers<undefined>();
  #mail!: ReturnType<typeof mailOperations>;
  #phone!: ReturnType<typeof phoneOperations>;
  #texting!: ReturnType<typeof phoneOperations>;
  #articles!: ReturnType<typeof articleOperations>;

  constructor(site: Site) {
    this.#site = site;
    this.store = faultyStore(
      site.store,
      site.time,
      this,
      site.random,
      site.storeFaults,
      site.changes,
      site.tally,
    );
  }

  wall(): number {
    const { time, clockError } = this.#site;
    return Math.floor(EPOCH + time.now + clockError);
  }

  /** Begins as the service does. */
  async start(): Promise<void> {
    const { time, random, manners, mails, texts, tally, store: real } = this.#site;
    await as(this, async () => {
      const { notBefore } = await time.during(() => beginningOf(real, this.wall()));
      const clock = createSteadyClock(
        { wall: () => this.wall(), steady: () => time.now },
        notBefore,
      );
      this.clock = clock;
      const { store } = this;
      this.purgeClock = new PurgeClock({
        store,
        clock,
        wall: () => this.wall(),
        steady: () => time.now,
      });
      const keys = new CodeKeys(store, undefined);
      const codes = new PhoneCodes(store, keys);
      const budgets = createBudgets({
        rates: { ...NO_BOUNDS, ...RATES },
        store,
        clock,
        shareEvery: undefined,
      });
      const other = { time, owner: this, random, manners, tally };
      const from = () => ({ name: '', address: 'board@ws01.example' });
      const delivery = new MailDelivery({
        store,
        clock,
        from,
        transport: mailServer(other, mails),
      });
      const steady = () => time.now;
      const mailWorker = new OutboxWorker({ store, clock, steady, delivery });
      const gateway = smsGateway(other, texts);
      const template = '{service} {code}';
      const sms = new SmsDelivery({ store, clock, gateway, keys, template, serviceName: 's' });
      const smsWorker = new OutboxWorker({ store, clock, steady, delivery: sms });
      const mail = { sends: true, domain: () => 'ws01.example', onQueued: () => mailWorker.wake() };
      this.#mail = mailOperations({ store, clock, budgets, mail });
      const phone = {
        store,
        clock,
        budgets,
        codes,
        defaultCountry: undefined,
        smsCountries: undefined,
      };
      this.#phone = phoneOperations({ ...phone, deliver: undefined });
      const deliver = createDeliverCode(clock, smsWorker.outage);
      this.#texting = phoneOperations({ ...phone, deliver, onDelivery: () => smsWorker.wake() });
      this.#articles = articleOperations({
        store,
        clock,
        budgets,
        revisionLimits: { perArticle: 2 ** 26, perOwner: 2 ** 30 },
      });
      this.outages = { mail: mailWorker.outage, sms: smsWorker.outage };
      for (const [kind, worker] of [
        ['mail', mailWorker],
        ['sms', smsWorker],
      ] as const) {
        as(new Part(this, kind), () => worker.start());
      }
      setInterval(() => void noteTime(store, clock).catch(() => {}), NOTE_EVERY_MS);
    });
  }

  /** Dies without a word. */
  kill(): void {
    this.alive = false;
    this.#died.resolve(undefined);
  }

  sendMail(receiverEmail: string, subject: string): Promise<string> {
    const params = {
      authorizationUserId: '',
      receiverName: '',
      receiverEmail,
      subject,
      body: `body of ${subject}`,
    };
    return this.#call(() => this.#mail.SendEmail(params, { caller: CONTEXT }));
  }

  /** A code that the caller is given. */
  createCode(userId: string, cellphone: string): Promise<string> {
    return this.#call(() =>
      this.#phone.CreateVerifyCode({ tokenId: '', userId, cellphone }, { caller: CONTEXT }),
    );
  }

  /** A code that is sent as a text message. @returns the id of the message. */
  textCode(userId: string, cellphone: string): Promise<string> {
    return this.#call(() =>
      this.#texting.CreateVerifyCode({ tokenId: '', userId, cellphone }, { caller: CONTEXT }),
    );
  }

  verify(userId: string, cellphone: string, VerifyCode: string): Promise<string> {
    return this.#call(() =>
      this.#phone.VerifyCodeForPhone(
        { tokenId: '', userId, cellphone, VerifyCode },
        { caller: CONTEXT },
      ),
    );
  }

  insertArticle(guid: string): Promise<string> {
    const absent = {
      ...{
        content: undefined,
        categoryGuid: undefined,
        contactPhone: undefined,
        pinnedTopDueDate: undefined,
      },
      ...{ IconGuid: undefined, Status: 0, fromUrl: undefined },
    };
    const params = { ...absent, token: '', guid, caption: guid, CreateUserId: 'ada' };
    return this.#call(() => this.#articles.InsertArticle(params, { caller: USER }));
  }

  deleteArticle(guid: string): Promise<string> {
    return this.#call(() =>
      this.#articles.DeleteArticleByGuid(
        { token: '', createuserid: undefined, guid },
        { caller: CONTEXT },
      ),
    );
  }

  /** Runs something in this process. @throws {Error} `died` when it dies before that has ended. */
  async #call<T>(run: () => T | Promise<T>): Promise<T> {
    const answer = await Promise.race([
      as(this, async () => ({ value: await run() })),
      this.#died.promise,
    ]);
    if (answer === undefined || !this.alive) throw new Error('died');
    return answer.value;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#call(work);
  }
}
