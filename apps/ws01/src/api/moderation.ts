import { approveArticle } from '../domain/articles/approve.ts';
import type { MailDeps } from '../domain/mail/send.ts';
import {
  hold,
  type ModeratedKind,
  reject,
  release,
  remove,
  restore,
} from '../domain/moderation/moderation.ts';
import { purge } from '../domain/moderation/purge.ts';
import { type RefusalTexts, tellAuthor } from '../domain/moderation/refusal-mail.ts';
import type { Kind } from './kind.ts';
import type { Route } from './route.ts';
import { text } from './schema.ts';
import { type Verb, type VerbDeps, verbRoute } from './verbs.ts';

/** Dependencies of the routes of moderation. */
export interface ModerationRouteDeps extends VerbDeps {
  /** What sends authors the reason of a refusal. */
  readonly mail: MailDeps['mail'];
  /** The site's own texts of the mail to an author whose record was rejected. */
  readonly refusal: () => RefusalTexts | undefined;
}

/**
 * The moderation routes of a kind: hold and release, remove and restore, which undo each other, and
 * purge, which is permanent.
 */
export function moderationRoutes<Row>(
  kind: Kind<Row>,
  moderated: ModeratedKind,
  deps: ModerationRouteDeps,
): readonly Route[] {
  const verbs: readonly Verb[] = [
    {
      name: 'hold',
      summary: 'Keep it from the public until it is released',
      role: 'moderator',
      act: (tx, call) => hold(tx, { ...call, kind: moderated }),
    },
    {
      name: 'release',
      summary: 'End a hold',
      role: 'moderator',
      act: (tx, call) => release(tx, { ...call, kind: moderated }),
    },
    {
      name: 'remove',
      summary: 'Take it down; only a restore brings it back',
      role: 'moderator',
      act: (tx, call) => remove(tx, { ...call, kind: moderated }),
    },
    {
      name: 'restore',
      summary: 'Bring back what was removed; what is held stays held',
      role: 'moderator',
      act: (tx, call) => restore(tx, { ...call, kind: moderated }),
    },
    {
      name: 'purge',
      summary: 'Delete permanently what was removed before; it cannot be undone',
      role: 'owner',
      act: async (tx, call) => (await purge(tx, { ...call, kind: moderated })) || 'more',
    },
  ];
  return [...verbs, ...approvalVerbs(moderated, deps)].map((verb) => verbRoute(kind, verb, deps));
}

const TOLD_REASON = text('Why; the audit trail keeps it, and the author gets it by mail.', {
  maxLength: 200,
});

/** What becomes of articles and adverts that wait for a decision. */
function approvalVerbs(
  kind: ModeratedKind,
  { mail, refusal }: ModerationRouteDeps,
): readonly Verb[] {
  if (kind !== 'article' && kind !== 'advert') return [];
  const pend: Verb = {
    name: 'pend',
    summary: 'Let it wait for approval again',
    role: 'moderator',
    act: (tx, { key, ...call }) => approveArticle(tx, { guid: key, ...call }, 'pend'),
  };
  return [
    {
      name: 'publish',
      summary: 'Show it to the public: it waits no more, and a hold ends',
      role: 'moderator',
      async act(tx, { key, ...call }) {
        const isApproved =
          kind === 'article' && (await approveArticle(tx, { guid: key, ...call }, 'publish'));
        return (await release(tx, { ...call, key, kind })) || isApproved;
      },
    },
    {
      name: 'reject',
      summary: 'Refuse it: only a restore brings it back',
      role: 'moderator',
      body: { reason: TOLD_REASON },
      async act(tx, call) {
        const isRefused = await reject(tx, { ...call, kind });
        const { reason = '', by, key, at } = call;
        if (isRefused && reason !== '')
          await tellAuthor(tx, { ...by, kind, key, reason, at, texts: refusal() }, mail);
        return isRefused;
      },
      done: () => mail.onQueued(),
    },
    ...(kind === 'article' ? [pend] : []),
  ];
}
