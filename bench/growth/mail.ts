import { insertRows } from '../kit/rows.ts';
import { type Area, heavyShare } from './area.ts';
import { SOME_TIME } from './articles.ts';

const BODY = `<p>${'Somebody answered your advert. 有人回复了您的广告。 '.repeat(4)}</p>`;

/** Mails that were sent, a tenth of them by one sender, with what is remembered of their calls and of their budgets. */
export const mail: Area = {
  name: 'mail',
  most: 10_000_000,

  async fill(database, growth) {
    const heavy = growth.from + heavyShare(growth.to) - heavyShare(growth.from);
    const receiver = `'r' || (i % 1000) || '@example.com'`;
    if (growth.from === 0) {
      await insertRows(database, 'users', { from: 0, to: 1 }, () => ({
        id: `'sender'`,
        registered: 1,
        created_at: 1,
        updated_at: 1,
      }));
    }
    await insertRows(database, 'mails', growth, ({ key }) => ({
      id: key('i'),
      sender: `case when i < ${heavy} then 'sender' else 'sender-' || (i % 1000) end`,
      ip: `'192.0.2.1'`,
      receiver_name: `'Grace 漢字'`,
      receiver_email: receiver,
      receiver_key: receiver,
      subject: `'Your advert ' || i`,
      body: `'${BODY}'`,
      message_id: `'<' || i || '@example.com>'`,
      created_at: SOME_TIME,
    }));
    await insertRows(database, 'outbox', growth, ({ key }) => ({
      id: key('i'),
      kind: `'mail'`,
      state: `'sent'`,
      attempts: 1,
      deferrals: 0,
      created_at: SOME_TIME,
      give_up_at: SOME_TIME,
      last_reply: `'250 2.0.0 Ok: queued'`,
      finished_at: SOME_TIME,
    }));
    await insertRows(database, 'mail_repeats', growth, ({ key, digest }) => ({
      hash: digest('i'),
      mail_id: key('i'),
      until: 4_000_000_000_000,
    }));
    const suppression = () => ({
      address: `'gone' || i || '@example.com'`,
      reason: `'bounce'`,
      detail: `'550 no such user'`,
      created_at: 1,
    });
    await insertRows(database, 'mail_suppressions', growth, suppression, 'number');
    await insertRows(database, 'budgets', growth, ({ key }) => ({
      name: `'recipientsPerBody 3600000'`,
      key: key('i'),
      used: 1,
      resets_at: 4_000_000_000_000,
    }));
  },

  workloads({ call }) {
    const send = (receiverEmail: string, body: string) =>
      call('SendEmail', { receiverEmail, subject: 'Your advert', body });
    return [
      {
        name: 'SendEmail',
        call: (turn) => send(`new${turn}@example.com`, `${BODY}${Math.random()}`),
      },
      { name: 'SendEmail, the same again', call: () => send('again@example.com', BODY) },
      {
        name: 'SendEmail, a suppressed address',
        call: (turn) => send(`gone${turn}@example.com`, `${Math.random()}`),
      },
      {
        name: 'queryEmailsent, of a sender of a tenth of all',
        call: () => call('queryEmailsent', {}),
      },
      {
        name: 'queryEmailsent, to one receiver',
        call: (turn) => call('queryEmailsent', { receiverEmail: `r${turn % 1000}@example.com` }),
      },
    ];
  },
};
