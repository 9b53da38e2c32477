import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { sessionOf } from '../../console/kit/browser.ts';
import { startService } from '../../kit/service.ts';

/** Pages without a record in their address, and those of one. */
export const PAGES = [
  ...['', 'desk', 'inbox', 'account', 'settings', 'settings/SMTP_URL', 'search?q=piano', 'queues'],
  ...['articles', 'adverts', 'images', 'reviews', 'reports', 'links', 'users', 'mails', 'sms'],
  ...['codes', 'suppressions', 'failures', 'audit', 'tokens', 'webhooks', 'deliveries', 'events'],
  ...['admins', 'backups', 'articles/new', 'tokens/new', 'webhooks/new', 'images/upload'],
  ...['articles/piano', 'articles/piano/edit', 'articles/piano/revisions/1', 'users/ada'],
];

/**
 * A service with the article that {@link PAGES} has, and the session of an owner.
 * @returns also name and value of the session's cookie.
 */
export async function consoleWithPiano(t: TestContext) {
  const service = await startService(t);
  const [name, value] = (await sessionOf(service, 'owner', 'ada')).split('=');
  const made = await fetch(`${service.url}/api/v1/articles`, {
    method: 'POST',
    headers: {
      Cookie: `${name}=${value}`,
      'Sec-Fetch-Site': 'same-origin',
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({
      guid: 'piano',
      caption: 'Piano',
      content: 'Black',
      createUserId: 'ada',
    }),
  });
  assert.equal(made.status, 201, await made.text());
  return { service, name: name!, value: value! };
}
