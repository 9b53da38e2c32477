import { hold, type ModeratedKind, release, remove, restore } from '../domain/moderation/moderation.ts';
import { purge } from '../domain/moderation/purge.ts';
import type { Kind } from './kind.ts';
import type { Route } from './route.ts';
import { type Verb, type VerbDeps, verbRoute } from './verbs.ts';

/**
 * The moderation routes of a kind: hold and release, remove and restore, which undo each other, and purge, which is
 * permanent.
 */
export function moderationRoutes<Row>(kind: Kind<Row>, moderated: ModeratedKind, deps: VerbDeps): readonly Route[] {
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
  return verbs.map((verb) => verbRoute(kind, verb, deps));
}
