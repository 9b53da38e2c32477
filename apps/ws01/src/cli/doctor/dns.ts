import { createPublicKey } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { domainOf, mailboxOf } from '../../app/message-workers.ts';
import { type Config, publicAddresses } from '../../config/config.ts';
import type { Result } from './checks.ts';

/**
 * Checks the DNS records with which receivers verify a sender: SPF (RFC 7208), DKIM (RFC 6376) and
 * DMARC (RFC 7489).
 * @param server a name server, `address` or `address:port`; default: those of the machine.
 */
export async function checkSenderRecords(
  config: Config,
  server: string | undefined,
): Promise<readonly Result[]> {
  if (config.smtpServer === undefined) return [{ state: 'skipped', what: 'SMTP_URL is not set' }];
  const { address } = mailboxOf(config, publicAddresses(config, config.port).baseUrl);
  const domain = domainOf(address);
  if (domain.startsWith('[') || !domain.includes('.')) {
    return [
      {
        state: 'fail',
        what: `mails are from ${address}, which receivers cannot verify`,
        remedy: 'set MAIL_FROM to an address in a domain of yours',
      },
    ];
  }
  const resolver = new Resolver({ timeout: 3_000, tries: 1 });
  if (server !== undefined) resolver.setServers([server]);
  return Promise.all([
    spf(resolver, domain),
    dkim(resolver, domain, config),
    dmarc(resolver, domain),
  ]);
}

type Texts = readonly string[] | 'unknown';

/** Returns the TXT records of a name, each joined; `unknown` when no name server answers. */
async function textsOf(resolver: Resolver, name: string): Promise<Texts> {
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOTFOUND' || code === 'ENODATA' ? [] : 'unknown';
  }
}

const UNANSWERED = (name: string): Result => ({
  state: 'warn',
  what: `no name server answers for ${name}`,
  remedy: 'check /etc/resolv.conf, or name one with --dns',
});

async function spf(resolver: Resolver, domain: string): Promise<Result> {
  const texts = await textsOf(resolver, domain);
  if (texts === 'unknown') return UNANSWERED(domain);
  const found = texts.filter((text) => /^v=spf1(\s|$)/i.test(text));
  if (found.length === 1) return { state: 'ok', what: `SPF of ${domain}: ${found[0]}` };
  const what =
    found.length === 0
      ? `${domain} has no SPF record`
      : `${domain} has ${found.length} SPF records, which counts as none`;
  return {
    state: 'warn',
    what,
    remedy: `publish one TXT record at ${domain}, such as: v=spf1 mx a:mail.${domain} -all`,
  };
}

async function dkim(
  resolver: Resolver,
  domain: string,
  { mailDkimKey, mailDkimSelector }: Config,
): Promise<Result> {
  const name = `${mailDkimSelector}._domainkey.${domain}`;
  if (mailDkimKey === undefined) {
    return {
      state: 'skipped',
      what: 'MAIL_DKIM_KEY is not set: mails are signed by the mail server, if at all',
    };
  }
  const own = createPublicKey(mailDkimKey)
    .export({ type: 'spki', format: 'der' })
    .toString('base64');
  const texts = await textsOf(resolver, name);
  if (texts === 'unknown') return UNANSWERED(name);
  const remedy = `publish a TXT record at ${name}: v=DKIM1; k=rsa; p=${own}`;
  const published = texts.map((text) =>
    /(?:^|;)\s*p=([A-Za-z0-9+/=\s]*)/.exec(text)?.[1]?.replaceAll(/\s/g, ''),
  );
  if (published.length === 0)
    return { state: 'fail', what: `there is no DKIM key at ${name}`, remedy };
  return published.includes(own)
    ? { state: 'ok', what: `DKIM: the key at ${name} is that of MAIL_DKIM_KEY` }
    : { state: 'fail', what: `the DKIM key at ${name} differs from MAIL_DKIM_KEY`, remedy };
}

async function dmarc(resolver: Resolver, domain: string): Promise<Result> {
  const name = `_dmarc.${domain}`;
  const texts = await textsOf(resolver, name);
  if (texts === 'unknown') return UNANSWERED(name);
  const found = texts.find((text) => /^v=DMARC1\s*(;|$)/i.test(text));
  if (found !== undefined) return { state: 'ok', what: `DMARC: ${found}` };
  return {
    state: 'warn',
    what: `${domain} has no DMARC record`,
    remedy: `publish a TXT record at ${name}, such as: v=DMARC1; p=none; rua=mailto:postmaster@${domain}`,
  };
}
