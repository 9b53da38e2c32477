import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Content, Html } from './layout.ts';
import type { TextKey } from './texts/en.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/**
 * A warning, with the link to the page that mends it; without the link for who may not mend it.
 * @param path below the console.
 */
export function warning(c: C, text: string, path: string, link: TextKey): Html {
  const way =
    c.get('admin').role === 'owner'
      ? html` <a href="${HOME}/${path}">${c.get('visit').translate(link)}</a>`
      : '';
  return html`<p class="notice">${text}${way}</p>`;
}

/** Says why messages of some kinds go to nobody, and where one changes that. */
export function sandboxNotices(
  { gateways, testNumbers }: Pick<ConsoleDeps, 'gateways' | 'testNumbers'>,
  c: C,
  kinds: readonly string[],
): Content {
  const { translate, sendsMail } = c.get('visit');
  const [mail, sms] = ['mails', 'sms'].map((kind) => kinds.includes(kind));
  const noServer =
    mail && !sendsMail
      ? warning(c, translate('inbox.mailSandbox'), 'settings/SMTP_URL', 'mail.setUp')
      : '';
  const noGateway =
    sms && !gateways.sms
      ? warning(c, translate('inbox.smsSandbox'), 'settings/SMS_URL', 'inbox.smsHow')
      : '';
  if (!sms || testNumbers.length === 0) return html`${noServer}${noGateway}`;
  const numbers = `${translate('inbox.testNumbers')} ${testNumbers.join(', ')}`;
  return html`${noServer}${noGateway}${warning(c, numbers, 'settings/SMS_TEST_CODES', 'inbox.testHow')}`;
}
