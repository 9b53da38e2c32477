import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallAnswer, type Params, TEST_BINDINGS } from '../bindings.ts';
import { pictureOf } from '../images/containers.ts';
import { TOKEN } from '../service.ts';
import { type Effect, type EffectKind, Ledger, verdictOf } from './ledger.ts';

/** Patience of a client with one call; ms. */
const PATIENCE_MS = 30_000;

/** How long a client waits before it repeats a call; ms. */
const PAUSE_MS = 250;

/** How often {@link Load.probe} asks; ms. */
const PROBE_EVERY_MS = 100;

interface LoadOptions {
  /** Base URLs that calls are made to in turn. */
  readonly urls: readonly string[];
  /** Whether a proxy stands before the nodes. */
  readonly proxied: boolean;
  /** Whether what was acknowledged must be seen by the next read. */
  readonly readsSeeWrites: boolean;
}

/** Something to be done once, with what came of it. */
interface Attempt {
  readonly effect: Effect;
  /** The result of the answer that said it was done. */
  readonly result: string | undefined;
}

/** Mixed calls of clients that do as they are told: what is left open is sent again until it is known. */
export class Load {
  readonly ledger = new Ledger();
  /** When each call of {@link probe} was acknowledged; on the clock of `performance.now`. */
  readonly acknowledged: number[] = [];
  readonly #options: LoadOptions;
  readonly #running: Promise<void>[] = [];
  #on = true;
  #serial = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Clients that each do one thing after the other. */
  start(clients: number): void {
    for (let index = 0; index < clients; index++) this.#running.push(this.#client(index));
  }

  /** Writes at a steady pace, whether the writes before are answered or not: what outages are measured with. */
  probe(): void {
    const one = async (key: string) => {
      const { effect } = await this.#once(
        'article',
        key,
        'InsertArticle',
        { token: TOKEN, guid: key, caption: key },
        1,
      );
      if (effect.known === 'done') this.acknowledged.push(performance.now());
    };
    const beat = async () => {
      const under: Promise<void>[] = [];
      for (let index = 0; this.#on; index++) {
        under.push(one(`probe-${index}`));
        await sleep(PROBE_EVERY_MS);
      }
      await Promise.all(under);
    };
    this.#running.push(beat());
  }

  /** Begins nothing more, and waits until every call is answered or given up. */
  async end(): Promise<void> {
    this.#on = false;
    await Promise.all(this.#running);
  }

  async #client(index: number): Promise<void> {
    const user = `client-${index}`;
    const written = { done: 0, open: 0 };
    const count = ({ effect }: Attempt) => {
      if (effect.known === 'done') written.done++;
      else if (effect.known === 'open') written.open++;
    };
    while (this.#on) {
      const key = `${user}-${this.#serial++}`;
      const article = await this.#once('article', key, 'InsertArticle', {
        ...{
          token: TOKEN,
          guid: key,
          caption: key,
          content: `of ${key} `.repeat(50),
          CreateUserId: user,
        },
      });
      count(article);
      if (article.effect.known === 'done' && !article.effect.wasOpen && this.#serial % 3 === 0) {
        await this.#once('removal', key, 'DeleteArticleByGuid', { token: TOKEN, guid: key });
      }
      const advert = { tokenId: TOKEN, CreateUserId: user, title: key, detail: 'd' };
      count(await this.#once('advert', key, 'addNewAdvert', advert));
      await this.#once('mail', key, 'SendEmail', {
        ...{
          authorizationUserId: TOKEN,
          receiverEmail: `${key}@example.com`,
          subject: key,
          body: `body of ${key}`,
        },
      });
      const FileImg = pictureOf(key).toString('base64');
      await this.#once(
        'image',
        key,
        'InsertArticleImageFile',
        { verifyCode: TOKEN, FileGuid: key, FileImg },
        3,
      );
      count(
        await this.#once('review', `about-${key}`, 'submitReview', {
          id: `about-${key}`,
          userId: user,
          Mark: '4',
          ip: '203.0.113.7',
        }),
      );
      const target = `https://example.com/${key}`;
      await this.#once('link', target, 'UrltoShortUrl', { _orgUrl: target });
      await this.#verify(key);
      await this.#readBack(user, written);
    }
  }

  /** A code is asked for, answered, and answered again, which must not work. */
  async #verify(key: string): Promise<void> {
    const phone = `+1212555${String(this.#serial % 10_000).padStart(4, '0')}`;
    const holder = { tokenId: TOKEN, userId: key, cellphone: phone };
    const made = await this.#call('CreateVerifyCode', holder);
    // One that may be made later, by a node that stood still, would take the place of the next one.
    if (made?.status !== 200) return;
    const answer = { ...holder, VerifyCode: made.result! };
    const verified = await this.#once('code', key, 'VerifyCodeForPhone', answer, 4);
    if (verified.effect.known !== 'done') return;
    if (verified.result !== '') {
      // Each answer counts, also those that were lost; then the code is dead, and nobody was told that it was right.
      if (verified.effect.wasOpen) verified.effect.known = 'open';
      else this.ledger.dishonest.push(`code ${key}: ${verified.result}`);
      return;
    }
    const again = await this.#call('VerifyCodeForPhone', answer);
    if (again?.status === 200 && again.result === '')
      this.ledger.dishonest.push(`code ${key} was right twice`);
  }

  /** The count of what this client has written tells all of it. */
  async #readBack(
    userId: string,
    { done, open }: { readonly done: number; readonly open: number },
  ): Promise<void> {
    const counted = await this.#call('countUserPosted', { tokenId: TOKEN, userId });
    if (counted?.status !== 200 || !this.#options.readsSeeWrites) return;
    const n = Number(counted.result);
    if (n < done || n > done + open)
      this.ledger.dishonest.push(`${userId} wrote ${done} (+${open}) and reads ${n}`);
  }

  /**
   * Has one thing done: what is left open is sent again, unchanged, until it is known. What was refused is sent again half of
   * the time; of the rest the ledger sees that it was really not done.
   */
  async #once(
    kind: EffectKind,
    key: string,
    operation: string,
    params: Params,
    most = Number.POSITIVE_INFINITY,
  ): Promise<Attempt> {
    const effect = this.ledger.begin(kind, key);
    const givesUp = this.ledger.effects.length % 2 === 0;
    for (let sent = 1; ; sent++) {
      const answer = await this.#call(operation, params);
      const gone = effect.wasOpen && kind === 'removal' && answer?.code === 'NotFound';
      const verdict = gone ? 'done' : verdictOf(answer, this.#options.proxied);
      if (verdict === 'done') {
        effect.known = 'done';
        return { effect, result: answer?.result };
      }
      if (verdict === 'open') {
        effect.known = 'open';
        effect.wasOpen = true;
      }
      if (verdict === undefined)
        this.ledger.dishonest.push(
          `${operation} ${key}: ${answer?.status} ${answer?.code} ${answer?.message}`,
        );
      const over =
        verdict === undefined || sent >= most || !this.#on || (verdict === 'refused' && givesUp);
      if (over) return { effect, result: undefined };
      await sleep(PAUSE_MS);
    }
  }

  /** One call; `undefined` when no answer came. */
  async #call(operation: string, params: Params): Promise<CallAnswer | undefined> {
    const at = performance.now();
    const { urls, proxied } = this.#options;
    const binding = TEST_BINDINGS[Math.floor(Math.random() * TEST_BINDINGS.length)]!;
    // A picture does not fit into a URL.
    const way =
      binding.name === 'get' && operation === 'InsertArticleImageFile'
        ? TEST_BINDINGS[0]!
        : binding;
    const url = urls[this.#serial % urls.length]!;
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), PATIENCE_MS);
    const answered = way.call(url, operation, params).catch(() => undefined);
    const answer = await Promise.race([answered, late.promise]);
    clearTimeout(timer);
    this.ledger.note(at, verdictOf(answer, proxied));
    return answer;
  }
}

/** Where the picture of a key is served. */
export function mediaPathOf(key: string): string {
  return `/media/${createHash('sha256').update(pictureOf(key)).digest('hex')}.png`;
}
