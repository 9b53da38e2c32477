import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import { SESSION_MS } from './sessions.ts';

/** Deletes expired sessions, links and challenges. */
export async function purgeAdminSecrets(store: Store, now: Instant): Promise<void> {
  await store.write(async (tx) => {
    await tx
      .deleteFrom('admin_sessions')
      .where((eb) =>
        eb.or([
          eb('seen_at', '<=', now - SESSION_MS.idle),
          eb('created_at', '<=', now - SESSION_MS.whole),
        ]),
      )
      .execute();
    await tx.deleteFrom('admin_links').where('expires_at', '<=', now).execute();
    await tx.deleteFrom('admin_challenges').where('expires_at', '<=', now).execute();
  });
}
