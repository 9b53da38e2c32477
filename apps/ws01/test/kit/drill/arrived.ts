import assert from 'node:assert/strict';
import type { MailServer } from '../mail-server.ts';

/** Subjects of mails that arrived, with the number of Message-IDs that each came under. The copies of a mail are alike. */
export function arrivedIn({ received }: MailServer): ReadonlyMap<string, number> {
  const ids = new Map<string, Set<string>>();
  for (const [messageId, copies] of Map.groupBy(
    received,
    ({ headers }) => headers.get('message-id')!,
  )) {
    const subject = copies[0]!.headers.get('subject')!;
    ids.set(subject, (ids.get(subject) ?? new Set()).add(messageId));
    for (const copy of copies) assert.equal(copy.raw, copies[0]!.raw);
  }
  return new Map([...ids].map(([subject, set]) => [subject, set.size]));
}
