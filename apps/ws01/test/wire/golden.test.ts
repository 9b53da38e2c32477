import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import type { Answer } from './golden/answer.ts';
import { type Compared, compareAll, folderOf, judge } from './golden/compare.ts';
import { DIFFERENCES } from './golden/differences.ts';
import { GOLDEN, type GoldenExchange, goldenExchanges } from './golden/exchanges.ts';
import { compatibilityPage } from './golden/page.ts';
import { type Pins, readPins } from './golden/pins.ts';

describe('the recorded exchanges of a real ASMX server', () => {
  let exchanges: Map<string, GoldenExchange>;
  let pins: Pins;
  let compared: Compared[];

  before(async () => {
    exchanges = new Map(goldenExchanges().map((exchange) => [exchange.name, exchange]));
    pins = readPins(GOLDEN, new Set([...exchanges.keys()].map(folderOf)));
    compared = await compareAll();
  });

  it('are answered alike to the byte, or as is written down for one reason of the table', () => {
    assert.ok(compared.length > 1_100);
    const unexplained = compared.filter(({ verdict }) => verdict === 'unexplained');
    assert.deepEqual(
      unexplained.map(
        ({ name, complaint, ours }) =>
          `${name}: ${complaint}: ${JSON.stringify(ours).slice(0, 300)}`,
      ),
      [],
      'Where the answer is right, `npm run compatibility -- --accept` writes it down.',
    );
  });

  it('show every difference that the table tells of, and no answer is written down in vain', () => {
    const shown = new Set(compared.map(({ difference }) => difference?.id));
    assert.deepEqual(
      DIFFERENCES.filter(({ id }) => !shown.has(id)).map(({ id }) => id),
      [],
    );
    const needed = compared.filter(({ verdict }) => verdict === 'purpose').map(({ name }) => name);
    assert.deepEqual(Object.keys(pins).sort(), needed.sort());
  });

  it('are summed up in docs/compatibility.md as they are', async () => {
    assert.equal(await readFile('docs/compatibility.md', 'utf8'), compatibilityPage(compared));
  });

  describe('do not let a changed answer pass', () => {
    const mutations: Readonly<Record<string, (answer: Answer) => Answer>> = {
      'Cache-Control: public': (answer) => ({
        ...answer,
        headers: { ...answer.headers, 'Cache-Control': 'public' },
      }),
      'a line break before <?xml': (answer) => ({ ...answer, body: `\n${answer.body}` }),
      'other file bytes in the boolean operation': (answer) => ({
        ...answer,
        understood: answer.understood!.replace(/"base64":"[^"]*"/, '"base64":"AAAA"'),
      }),
      'a detail in a MustUnderstand fault': (answer) => ({
        ...answer,
        body: answer.body
          .replace('</soap:Fault>', '<detail /></soap:Fault>')
          .replace('</soap:Reason><detail />', '</soap:Reason><soap:Detail />'),
      }),
      'another reason phrase': (answer) => ({
        ...answer,
        line: answer.line.replace(/ [A-Z].*$/, ' Fine'),
      }),
      'Connection: keep-alive': (answer) => ({
        ...answer,
        headers: { ...answer.headers, Connection: 'keep-alive' },
      }),
      'a line end less': (answer) => ({ ...answer, body: answer.body.replace('?>\r\n', '?>\n') }),
      'a blank at the end': (answer) => ({ ...answer, body: `${answer.body} ` }),
      'a Content-Length that is wrong': (answer) => ({ ...answer, lengthOff: 1 }),
    };

    for (const [what, mutate] of Object.entries(mutations)) {
      it(what, () => {
        let tried = 0;
        for (const { name, ours, verdict } of compared) {
          if (verdict === 'unexplained' || !concerns(what, ours)) continue;
          tried++;
          const judged = judge(exchanges.get(name)!, mutate(ours), pins[name]);
          assert.equal(judged.verdict, 'unexplained', name);
        }
        assert.ok(tried >= 8, `${tried}`);
      });
    }
  });
});

/** Whether a mutation changes an answer. */
function concerns(what: string, { line, headers, body, understood }: Answer): boolean {
  if (what.includes('file bytes')) return (understood ?? '').includes('"base64"');
  if (what.includes('MustUnderstand')) return body.includes('soap:MustUnderstand');
  if (what.includes('line end')) return body.includes('?>\r\n');
  if (what.includes('<?xml')) return body.startsWith('<?xml');
  return line !== 'closed' && headers.Connection === 'close';
}
