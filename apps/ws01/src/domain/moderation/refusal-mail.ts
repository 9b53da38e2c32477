import type { Kysely } from 'kysely';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { newNoticeKey } from '../mail/notices.ts';
import { insertMail, suppressionKeys, suppressionOf } from '../mail/rows.ts';
import { fate, GIVE_UP_MS, type MailDeps } from '../mail/send.ts';
import { enqueue } from '../outbox/rows.ts';
import { addressKey } from '../values/email-address.ts';
import { newKey } from '../values/keys.ts';

/** The texts of a mail, with `{title}`, `{name}` and `{reason}`. */
export interface RefusalTexts {
  readonly subject: string;
  readonly body: string;
}

/**
 * The usual texts. A moderator writes in the language of the site: the reason says which one it is.
 */
const TEMPLATES = {
  en: {
    subject: 'Not published: {title}',
    body: 'Hello {name},\n\nwhat you sent was looked at, and is not published. The reason:\n\n{reason}\n',
  },
  zh: {
    subject: '未发布：{title}',
    body: '{name}，您好：\n\n您提交的内容经过审核，未予发布。原因如下：\n\n{reason}\n',
  },
} as const satisfies Record<string, RefusalTexts>;

/** Maximum length of a title in the subject; characters. */
const TITLE_CHARS = 100;

/** Fills the texts of the mail in. @param own those of the site; `undefined`: the usual ones. */
export function refusalTexts(
  own: RefusalTexts | undefined,
  { title, ...told }: Readonly<Record<'title' | 'name' | 'reason', string>>,
): RefusalTexts {
  const { subject, body } = own ?? TEMPLATES[/\p{Script=Han}/u.test(told.reason) ? 'zh' : 'en'];
  // An object would have a value for `{constructor}`, too.
  const values = new Map(
    Object.entries({ ...told, title: [...title].slice(0, TITLE_CHARS).join('') }),
  );
  const filled = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (all, name) => values.get(name) ?? all);
  return { subject: filled(subject), body: filled(body) };
}

/** What was refused, and why. */
interface Refusal {
  readonly kind: 'article' | 'advert';
  readonly key: string;
  readonly reason: string;
  readonly at: Instant;
  readonly address: string;
  readonly requestId?: string | undefined;
  /** The site's own texts. */
  readonly texts: RefusalTexts | undefined;
}

/**
 * Queues a mail that tells the author of a refused record why, if there is one with an address that
 * is not suppressed.
 */
export async function tellAuthor(
  tx: Kysely<Tables>,
  { kind, key, reason, at, address, requestId, texts }: Refusal,
  { sends, domain }: Pick<MailDeps['mail'], 'sends' | 'domain'>,
): Promise<void> {
  const record =
    kind === 'article'
      ? tx.selectFrom('articles').select(['owner', 'caption as title']).where('guid', '=', key)
      : tx.selectFrom('adverts').select(['owner', 'title']).where('guid', '=', key);
  const { owner = null, title = null } = (await record.executeTakeFirst()) ?? {};
  if (owner === null) return;
  const author = await tx
    .selectFrom('users')
    .select(['name', 'email'])
    .where('id', '=', owner)
    .executeTakeFirst();
  if (!author?.email) return;
  const receiver = addressKey(author.email);
  if ((await suppressionOf.first(tx, suppressionKeys(receiver))) !== undefined) return;
  const told = { title: title || key, name: author.name || owner, reason };
  const { subject, body } = refusalTexts(texts, told);
  const id = newKey();
  insertMail.send(tx, {
    id,
    sender: owner,
    token_id: null,
    ip: address,
    receiver_name: author.name ?? '',
    receiver_email: author.email,
    receiver_key: receiver,
    subject,
    body,
    reply_name: null,
    reply_to: null,
    message_id: `<${id}@${domain()}>`,
    created_at: at,
    request_id: requestId ?? null,
    notice_key: newNoticeKey(),
  });
  const state = fate(undefined, sends);
  await enqueue(tx, { id, kind: 'mail', createdAt: at, giveUpAt: at + GIVE_UP_MS, ...state });
}
