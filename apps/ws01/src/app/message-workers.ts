import type { DkimKey } from '../adapters/mail/message.ts';
import type { SmsGateway } from '../adapters/sms/gateway.ts';
import { WebhookClient } from '../adapters/webhooks/client.ts';
import type { Config, Mailbox, SmsGatewaySetting } from '../config/config.ts';
import type { Clock } from '../domain/context.ts';
import { MailDelivery } from '../domain/mail/delivery.ts';
import { referenceOf } from '../domain/mail/notices.ts';
import { OutboxWorker, type WorkerEvent } from '../domain/outbox/worker.ts';
import type { CodeKeys } from '../domain/phone/code-keys.ts';
import { SmsDelivery } from '../domain/sms/delivery.ts';
import { WebhookDelivery } from '../domain/webhooks/delivery.ts';
import type { Store } from '../store/store.ts';
import type { MailsTable } from '../store/tables/tables.ts';

export interface WorkerDeps {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly onEvent: (event: WorkerEvent) => void;
}

/** Creates a worker that sends mails, not yet started; `undefined` without a mail server. */
export async function createMailWorker({
  config,
  store,
  clock,
  baseUrl,
  onEvent,
}: WorkerDeps & {
  /** The public base URL. */
  readonly baseUrl: () => string;
}): Promise<OutboxWorker | undefined> {
  const { smtpServer } = config;
  if (smtpServer === undefined) return undefined;
  const { createComposer } = await import('../adapters/mail/message.ts');
  const { SmtpTransport } = await import('../adapters/mail/smtp-transport.ts');
  const from = () => mailboxOf(config, baseUrl());
  const dkim = dkimOf(config, domainOf(from().address));
  const transport = new SmtpTransport(smtpServer, createComposer(dkim));
  const delivery = new MailDelivery({
    store,
    clock,
    transport,
    from,
    unsubscribeAt: unsubscribing(config),
  });
  return new OutboxWorker({ store, clock, delivery, onEvent });
}

/**
 * The address where readers of mails of `SendEmail` unsubscribe; notices of the service itself have
 * none.
 */
function unsubscribing({ baseUrl, mailUnsubscribe }: Config) {
  if (!mailUnsubscribe || !baseUrl?.startsWith('https:')) return undefined;
  return (mail: MailsTable) => {
    const reference = referenceOf(mail);
    const isOfCall = mail.token_id !== null && reference !== undefined;
    return isOfCall ? `${baseUrl}/mail/unsubscribe/${reference}` : undefined;
  };
}

/** Creates a worker that sends text messages, not yet started; `undefined` without a gateway. */
export async function createSmsWorker(
  { config, store, clock, onEvent }: WorkerDeps,
  keys: CodeKeys,
): Promise<OutboxWorker | undefined> {
  const { smsGateway } = config;
  if (smsGateway === undefined) return undefined;
  const gateway = await gatewayOf(smsGateway, config);
  const delivery = new SmsDelivery({
    store,
    clock,
    gateway,
    keys,
    get template() {
      return smsTextOf(config);
    },
    get serviceName() {
      return config.serviceName;
    },
  });
  return new OutboxWorker({ store, clock, delivery, onEvent });
}

/**
 * The text of messages: `SMS_TEXT`, else one whose last line binds the code to a site that is
 * reached by https.
 */
export function smsTextOf({ smsText, baseUrl }: Pick<Config, 'smsText' | 'baseUrl'>): string {
  if (smsText !== undefined) return smsText;
  const { protocol, hostname } = new URL(baseUrl ?? 'http://localhost');
  return protocol === 'https:' ? `${SMS_TEXT}\n\n@${hostname} #{code}` : SMS_TEXT;
}

const SMS_TEXT = '{service}: your code is {code}. It is valid for 3 minutes.';

/** What calls webhooks, in the networks that it may. */
export const webhookClientOf = ({ webhookNetworks }: Pick<Config, 'webhookNetworks'>) =>
  new WebhookClient(webhookNetworks ?? []);

/** Creates a worker that calls webhooks, not yet started. */
export function createWebhookWorker({ config, store, clock, onEvent }: WorkerDeps): OutboxWorker {
  const delivery = new WebhookDelivery({
    store,
    clock,
    client: webhookClientOf(config),
  });
  return new OutboxWorker({ store, clock, delivery, onEvent });
}

async function gatewayOf(
  setting: SmsGatewaySetting,
  { smsSecret }: Pick<Config, 'smsSecret'>,
): Promise<SmsGateway> {
  switch (setting.kind) {
    case 'twilio': {
      const { TwilioGateway } = await import('../adapters/sms/twilio.ts');
      return new TwilioGateway(setting);
    }
    case 'smpp': {
      const { SmppGateway } = await import('../adapters/sms/smpp.ts');
      return new SmppGateway(setting);
    }
    case 'webhook': {
      const { WebhookGateway } = await import('../adapters/sms/webhook.ts');
      return new WebhookGateway(setting.url, smsSecret ?? '');
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

/** The key that signs mails of a domain; `undefined` without `MAIL_DKIM_KEY`. */
export function dkimOf(
  { mailDkimKey: privateKey, mailDkimSelector: selector }: Config,
  domain: string,
): DkimKey | undefined {
  return privateKey === undefined ? undefined : { domain, selector, privateKey };
}

/** The part of an address behind its last `@`. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
