import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { partsOf } from '../kit/mime.ts';
import { startService, TOKEN } from '../kit/service.ts';

const picture = (alt: string) => `<img src="https://example.com/b.png" alt="${alt}">`;
const link = (address: string, label: string) => `<a href="${address}">${label}</a>`;
const [C, D] = ['https://example.com/c', 'https://example.com/d'];
const HELP = link('mailto:help@example.com', 'help@example.com');

/** Bodies, and the text that a reader of text gets. */
const BODIES: readonly (readonly [body: string, text: string])[] = [
  [link(C, picture('Confirm your order')) + HELP, `Confirm your order [${C}] help@example.com`],
  [picture('Sale ends today'), 'Sale ends today'],
  [picture('Sale') + picture('ends 今日'), 'Sale ends 今日'],
  [link(C, picture('')) + link(D, picture('\u00a0\u3000')), `[${C}] [${D}]`],
  [link(C, C) + link(D, D), `${C} ${D}`],
  [`${link(C, C)}<!-- x -->${link(D, D)}`, `${C} ${D}`],
  [`<b>${link(C, C)}</b><i><span>${link(D, 'more')}</span></i>`, `${C} more [${D}]`],
  [`${link(C, '')}text`, `[${C}]text`],
  [
    `<map><area href="${C}" alt="One"><area href="${D}" title="Two"><area alt="no link"></map>`,
    `One [${C}] Two [${D}] no link`,
  ],
  [`${link(` ${C} `, '<img alt="" title="Shop">')}${link('#top', 'Up')}`, `Shop [${C}] Up`],
  [`${link(C, 'one')}, ${link(D, 'two')}.`, `one [${C}], two [${D}].`],
  [`<p>${link(C, C)}</p><p>${link(D, D)}</p>`, `${C}\n\n${D}`],
  [
    `See <a name="x">here</a>${picture('=?utf-8?Q?x?=')}<a>there</a>`,
    'See here =?utf-8?Q?x?= there',
  ],
];

it('the text part has the alternative texts of pictures, and links apart', async (t) => {
  const server = await startMailServer(t);
  const env = { SMTP_URL: server.url, MAIL_FROM: 'Board <board@ws01.example>' };
  const { url } = await startService(t, await freshDatabase('sqlite', t), env);
  for (const [index, [body, text]] of BODIES.entries()) {
    const { call } = TEST_BINDINGS[index % TEST_BINDINGS.length]!;
    const receiverEmail = `grace${index}@example.com`;
    const mail = {
      authorizationUserId: TOKEN,
      receiverName: 'Grace',
      receiverEmail,
      subject: `${index}`,
      body,
    };
    assert.equal((await call(url, 'SendEmail', mail)).status, 200);
    const received = () => server.received.find(({ to }) => to === receiverEmail);
    await until(
      () => received() !== undefined,
      () => `the mail ${index} to arrive`,
    );
    const [plain, html] = partsOf(received()!.raw);
    assert.deepEqual([plain?.type, html?.type], ['text/plain', 'text/html'], body);
    assert.equal(plain!.text.replaceAll('\r\n', '\n').trim(), text, body);
  }
});
