import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random, runs } from '../kit/random.ts';
import { bodyOf, difference } from '../kit/xml-equal.ts';
import { serve, soap } from './kit.ts';
import { GeneratedContract } from './kit-contracts.ts';
import { comparable, echoOf } from './kit-echo.ts';

/** Made from the seeds that follow each other. */
const CONTRACTS = runs(400);
const CALLS = 6;

test('every contract: the handler gets each value that a client writes, and the answer carries each back', async (t) => {
  const first = Number(process.env.TEST_SEED ?? 1);
  for (let seed = first; seed < first + CONTRACTS; seed++) {
    const random = new Random(seed);
    const contract = new GeneratedContract(random);
    const [operation] = contract.service.operations;
    const { parameters, style, headers } = operation!;
    const echoed = echoOf(contract);
    const url = `${await serve(t, echoed.endpoint)}/g.asmx`;
    for (let call = 0; call < CALLS; call++) {
      const where = `TEST_SEED=${seed}, call ${call}`;
      const [only] = parameters;
      const inside = style === 'rpc' ? '' : 'urn:gen';
      const bare =
        style === 'bare' ? contract.element({ ...only!, name: 'Echo' }, inside) : undefined;
      const { value, xml } = bare
        ? { value: { [only!.name]: bare.value }, xml: bare.xml }
        : contract.members(parameters, inside);
      const content = bare ? xml : `<Echo xmlns="urn:gen">${xml}</Echo>`;
      const header = contract.members(headers?.in ?? [], 'urn:gen');
      const version = random.of(['1.1', '1.2'] as const);
      const action = { version, header: header.xml, action: 'urn:gen/Echo' };
      const answer = await soap(url, content, action);
      assert.equal(answer.status, 200, `${where}: ${content}\n${answer.text}`);
      assert.deepEqual(echoed.got, comparable(value), `${where}: ${content}`);
      assert.deepEqual(echoed.headers ?? {}, comparable(header.value), `${where}: ${header.xml}`);
      if (!contract.encoded) {
        const envelope = (body: string) =>
          `<e xmlns="urn:e" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Body>${body}</Body></e>`;
        const [sent] = bodyOf(envelope(content));
        const [answered] = bodyOf(answer.text);
        const pairs = bare
          ? [[sent, answered] as const]
          : sent!.children.map((each, at) => [each, answered!.children[at]] as const);
        for (const [before, after] of pairs)
          assert.equal(
            difference(before!, after!),
            undefined,
            `${where}: ${content}\n${answer.text}`,
          );
      } else {
        // What the answer says is read as the next request.
        const again = answer.body.replaceAll('EchoResponse', 'Echo');
        const next = await soap(url, again, action);
        assert.equal(next.status, 200, `${where}: ${again}\n${next.text}`);
        assert.deepEqual(echoed.got, comparable(value), `${where}: ${again}`);
      }
    }
  }
});
