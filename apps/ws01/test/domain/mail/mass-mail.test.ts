import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '@ws01/asmx/time';
import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import type { ParamsOf } from '../../../src/contract/service.ts';
import { forEachEngine } from '../../kit/database.ts';
import { ADA, openMailDesk, SERVICE } from '../../kit/mail.ts';
import { refused } from '../../kit/refused.ts';

const RATES = {
  recipientsPerBody: [{ limit: 10, window: 10 * MINUTE_MS }],
  recipientsPerBodyOfService: [{ limit: 100, window: 10 * MINUTE_MS }],
};
const BACK_END = { ...SERVICE, userId: 'ada' };

type Mail = Partial<ParamsOf<'SendEmail'>>;

/** Ways to make each mail another one for a machine and the same one for its reader. */
const DISGUISES: Readonly<Record<string, (index: number) => Mail>> = {
  'zero-width spaces': (index) => ({ body: `Buy now${'\u200b'.repeat(index)}` }),
  'characters without width between letters': (index) => ({
    body: `Buy\u00ad${'\u2060'.repeat(index)} now\ufe0f`,
  }),
  comments: (index) => ({ body: `<p>Buy <!-- ${index} -->now</p>` }),
  'tags and attributes': (index) => ({
    body: `<p class="c${index}">Buy <b id="${index}">now</b></p>`,
  }),
  'where links lead': (index) => ({
    body: `<p>Buy <a href="https://x.example/?id=${index}">now</a></p>`,
  }),
  'hidden elements': (index) => ({
    body: `<p>Buy now<span style="color:red;display:none">${index}</span></p>`,
  }),
  'character references': (index) => ({ body: `<p>Buy n&#111;w${'&#8203;'.repeat(index)}</p>` }),
  blanks: (index) => ({ body: `Buy${'\u3000 \n\u00a0'.repeat(index)}now` }),
  capitals: (index) => ({
    body: [...'buy now, buy here'].map((c, at) => (at === index ? c.toUpperCase() : c)).join(''),
  }),
  'the receiver’s name': (index) => ({
    receiverName: `Grace ${index}x`,
    body: `Dear grace ${index}X, buy now`,
  }),
  'the receiver’s address': (index) => ({
    body: `Buy now, r${index}@example.com`,
    subject: `For R${index}@Example.com`,
  }),
  'names that are words of the text': (index) => ({
    receiverName: words('buy now while it lasts for all of you dear friends')[index]!,
    body: 'Buy now while it lasts for all of you dear friends',
  }),
  'blanks in the subject': (index) => ({ subject: `Offer${' \u200b'.repeat(index)}` }),
};

forEachEngine((_engine, fresh) => {
  for (const [name, mail] of Object.entries(DISGUISES)) {
    it(`one text to eleven mailboxes is mass mail, whatever differs: ${name}`, async (t) => {
      const desk = await openMailDesk(t, fresh, { rates: RATES });
      const send = (index: number) =>
        desk.send({ receiverEmail: `r${index}@example.com`, ...mail(index) });
      for (let index = 0; index < 10; index++) await send(index);
      await refused(send(10), 'MassMailNotAllowed', 'body');
      desk.now += 10 * MINUTE_MS;
      await send(10);
    });
  }

  it('what a reader sees to differ is another text: body or subject', async (t) => {
    const desk = await openMailDesk(t, fresh, { rates: RATES });
    for (let index = 0; index < 12; index++) {
      await desk.send({
        receiverEmail: `a${index}@example.com`,
        body: `Your code is ${1000 + index}`,
      });
      await desk.send({ receiverEmail: `b${index}@example.com`, subject: `Order ${index}` });
      await desk.send({ receiverEmail: `c${index}@example.com`, body: `<p>Order ${index}</p>` });
    }
  });

  it('a mailbox counts once, whatever stands behind its +, and has one budget', async (t) => {
    const rates = { ...RATES, mailsPerRecipient: [{ limit: 3, window: HOUR_MS }] };
    const desk = await openMailDesk(t, fresh, { rates });
    const tagged = (index: number) =>
      desk.send({ receiverEmail: `two+${index}@example.com`, body: 'Same' });
    for (let index = 0; index < 3; index++) await tagged(index);
    await refused(tagged(3), 'RateLimited');
    for (let index = 0; index < 9; index++) {
      await desk.send({ receiverEmail: `r${index}+x@example.com`, body: 'Same' });
    }
    await refused(
      desk.send({ receiverEmail: 'last@example.com', body: 'Same' }),
      'MassMailNotAllowed',
      'body',
    );
  });

  it('a service may send one text to a hundred mailboxes; the next is told when to come again', async (t) => {
    const desk = await openMailDesk(t, fresh, { rates: RATES });
    const welcome = (index: number) =>
      desk.send(
        { receiverName: `Name${index}`, receiverEmail: `m${index}@example.com`, body: 'Welcome' },
        BACK_END,
      );
    for (let index = 0; index < 100; index++) await welcome(index);
    assert.equal((await refused(welcome(100), 'RateLimited')).retryAfter, 600);
    await welcome(99);
    // A user of the same sender has a count of his own.
    await desk.send({ receiverEmail: 'm200@example.com', body: 'Welcome' }, ADA);
    desk.now += 10 * MINUTE_MS;
    await welcome(100);
  });
});
