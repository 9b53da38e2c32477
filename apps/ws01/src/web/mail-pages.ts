import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { html } from 'hono/html';
import type { Logger } from 'pino';
import type { RelayCall, RelayReport } from '../adapters/mail/notices/relays.ts';
import { Ws01Error } from '../contract/errors.ts';
import { UNCACHED } from '../failure/answer-headers.ts';
import type { Language } from './language.ts';
import { PAGE_HEADERS, siteLanguage, sitePage } from './site-page.ts';
import { siteText } from './site-texts.ts';

/** The path of the doors for mail. */
export const MAIL_PATH = '/mail';

/** Largest report of a relay; SendGrid sends the largest, of 768 KiB; bytes. */
const REPORT_BYTES = 1024 * 1024;

/** What relays and readers of mails tell the service. */
export interface MailPageDeps {
  /** Reads a call of the relay; `undefined` where none reports by calls. */
  readonly readReport: ((call: RelayCall) => Promise<RelayReport | undefined>) | undefined;
  /** Records what a relay has reported. */
  readonly record: (report: RelayReport) => Promise<void>;
  /** Puts the recipient of a mail on the suppression list. @throws {Ws01Error} `NotFound` */
  readonly unsubscribe: (reference: string) => Promise<void>;
  /** What the site is called now. */
  readonly siteName: () => string;
  readonly log: Logger;
}

/**
 * `POST /mail/bounces`, which a relay calls, and the page on which a reader of a mail unsubscribes.
 */
export function createMailPages(deps: MailPageDeps): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const tooLong = bodyLimit({
    maxSize: REPORT_BYTES,
    onError: (c) => c.text('The report is too long.\n', 413, UNCACHED),
  });
  app.post('/bounces', tooLong, async (c, next) => {
    if (deps.readReport === undefined) return next();
    const body = Buffer.from(await c.req.arrayBuffer());
    let report: RelayReport | undefined;
    try {
      report = await deps.readReport({ header: (name) => c.req.header(name), body });
    } catch (error) {
      if (error instanceof SyntaxError) return c.text('The report is not JSON.\n', 400, UNCACHED);
      deps.log.warn({ err: error }, 'the signature of a report of mails cannot be checked now');
      return c.text('The signature cannot be checked now.\n', 503, UNCACHED);
    }
    if (report === undefined) {
      deps.log.warn('a report of mails was refused: its secret or signature is wrong');
      return c.text('The secret or the signature is wrong.\n', 403, UNCACHED);
    }
    await deps.record(report);
    return c.body(null, 204, UNCACHED);
  });

  const pageOf = (
    language: Language,
    title: 'unsubscribe.title' | 'unsubscribed.title',
    content: ReturnType<typeof html>,
  ) => sitePage({ language, site: deps.siteName() }, siteText(language, title), content);
  // A page first: programs that look at every link of a mail must not unsubscribe its reader.
  app.get('/unsubscribe/:reference', (c) => {
    const language = siteLanguage(c);
    const content = html`<form method="post"><button>${siteText(language, 'unsubscribe.do')}</button></form>`;
    const headers = { ...PAGE_HEADERS, 'Content-Security-Policy': POSTS_TO_ITSELF };
    return c.html(pageOf(language, 'unsubscribe.title', content), 200, headers);
  });
  app.post('/unsubscribe/:reference', async (c) => {
    const language = siteLanguage(c);
    try {
      await deps.unsubscribe(c.req.param('reference'));
    } catch (error) {
      if (!(error instanceof Ws01Error && error.code === 'NotFound')) throw error;
      return c.text(`${error.message}\n`, 404, UNCACHED);
    }
    const content = html`<p>${siteText(language, 'unsubscribed.text')}</p>`;
    return c.html(pageOf(language, 'unsubscribed.title', content), 200, PAGE_HEADERS);
  });
  return app;
}

const POSTS_TO_ITSELF = PAGE_HEADERS['Content-Security-Policy'].replace(
  "form-action 'none'",
  "form-action 'self'",
);
