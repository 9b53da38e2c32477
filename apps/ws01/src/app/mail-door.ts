import { createRelayReader, type RelaySource } from '../adapters/mail/notices/relays.ts';
import { visit as visitSns } from '../adapters/mail/notices/sns.ts';
import { recordNotice, unsubscribe } from '../domain/mail/notices.ts';
import { type Periodic, periodically } from '../domain/shared/periodic.ts';
import type { MailPageDeps } from '../web/mail-pages.ts';
import type { ResourceDeps } from './resources.ts';

/** How long after a start the mailbox is looked at first; ms. */
const LOOK_FIRST_MS = 1_000;

type MailDoorDeps = Pick<ResourceDeps, 'config' | 'store' | 'clock' | 'log'>;

/** What relays and readers of mails call. */
export function createMailDoor({ config, store, clock, log }: MailDoorDeps): MailPageDeps {
  const source = config.mailNotices;
  return {
    readReport:
      source === undefined || source.kind === 'imap'
        ? undefined
        : createRelayReader(source as RelaySource),
    async record({ notices, confirmAt }) {
      let known = 0;
      for (const notice of notices)
        if (await recordNotice(store, notice, 'relay', clock())) known += 1;
      if (notices.length > 0)
        log.info({ notices: notices.length, known }, 'the relay has reported of mails');
      if (confirmAt === undefined) return;
      const { status } = await visitSns(confirmAt);
      log.info({ status }, 'the subscription of SNS was confirmed');
    },
    siteName: () => config.serviceName,
    unsubscribe: (reference) => unsubscribe(store, reference, clock()),
    log,
  };
}

/**
 * Starts to read the mailbox of `MAIL_BOUNCES`, if it is one. A failure is logged once, until it
 * has gone.
 */
export function startNoticeMailbox({
  config,
  store,
  clock,
  log,
}: MailDoorDeps): readonly Periodic[] {
  const source = config.mailNotices;
  if (source?.kind !== 'imap') return [];
  let isFailing = false;
  const loading = import('../adapters/mail/notices/mailbox.ts').then(
    ({ NoticeMailbox }) => new NoticeMailbox(source),
  );
  const look = async (stopping: AbortSignal) => {
    try {
      const mailbox = await loading;
      await mailbox.look(async (notice) => {
        const isKnown = await recordNotice(store, notice, 'mailbox', clock());
        log.info({ kind: notice.kind, isKnown }, 'a report of a mail was read');
      }, stopping);
      if (isFailing) log.info('the mailbox of MAIL_BOUNCES can be read again');
      isFailing = false;
    } catch (error) {
      if (!isFailing && !stopping.aborted)
        log.error({ err: error }, 'the mailbox of MAIL_BOUNCES cannot be read');
      isFailing = true;
    }
  };
  return [periodically(config.mailLookMs, look, LOOK_FIRST_MS)];
}
