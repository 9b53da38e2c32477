import type { Context } from 'hono';
import { Ws01Error } from '../contract/errors.ts';
import { findSession } from '../domain/admins/sessions.ts';
import { sessionCookie } from './cookies.ts';
import type { ConsoleDeps, ConsoleEnv } from './visit.ts';

/**
 * For answers that take long: reads the session again, so that what follows is answered by the present role of its
 * admin. This is no use that keeps the session alive.
 * @throws {Ws01Error} `Forbidden` when the session has ended.
 */
export async function reauthorize(
  { store, clock }: Pick<ConsoleDeps, 'store' | 'clock'>,
  c: Context<ConsoleEnv>,
): Promise<void> {
  const found = await findSession(store, sessionCookie(c, c.get('visit').secure)!, clock);
  if (found === undefined) throw new Ws01Error('Forbidden', 'Signed out.');
  c.set('admin', found.admin);
}
