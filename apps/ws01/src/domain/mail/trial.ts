import { beginningOf } from '../values/shown-text.ts';

/** Longest reply to a test mail that the audit trail keeps; UTF-16 code units. */
const REPLY_MOST = 200;

/**
 * What the audit trail keeps of a test mail: whether the server took it, and what it said.
 * @param to the recipient, who is not kept.
 */
export const toldOfTrial = (
  { isSent, reply }: { readonly isSent: boolean; readonly reply: string },
  to: string,
) => ({ sent: isSent, reply: beginningOf(reply.replaceAll(to, '…'), REPLY_MOST) });
