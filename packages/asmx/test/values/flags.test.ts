import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWsdlText } from '../../../asmx-tools/src/from/index.ts';
import {
  attribute,
  createEndpoint,
  enumeration,
  object,
  operation,
  service,
} from '../../src/index.ts';
import { jsonRequest } from '../kit/http.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:flags';

test('flags with a member of 0 are empty for handlers, and written by its name, as .NET does', async (t) => {
  const Rights = enumeration('Rights', ['Nobody', 'Read', 'Write'], {
    flags: true,
    zero: 'Nobody',
  });
  const Given = object('Given', { all: Rights, more: attribute(Rights) });
  const seen: unknown[] = [];
  const contract = service('Z', {
    namespace: NS,
    operations: { Echo: operation({ input: { value: Given }, result: Given }) },
  });
  const endpoint = createEndpoint(contract, {
    path: '/Z.asmx',
    handlers: {
      Echo: ({ value }) => {
        seen.push(value?.all);
        return value;
      },
    },
  });
  const url = `${await serve(t, endpoint)}/Z.asmx`;
  for (const [text, set, written] of [
    ['Nobody', [], 'Nobody'],
    ['', [], 'Nobody'],
    ['Write Nobody Read', ['Read', 'Write'], 'Read Write'],
  ] as const) {
    const body = `<Echo xmlns="${NS}"><value more="${text}"><all>${text}</all></value></Echo>`;
    const answer = await soap(url, body);
    assert.ok(
      answer.body.includes(`<EchoResult more="${written}"><all>${written}</all></EchoResult>`),
      answer.body,
    );
    assert.deepEqual([...(seen.pop() as string[])].sort(), set);
  }
  const unset = await soap(url, `<Echo xmlns="${NS}"><value/></Echo>`);
  assert.ok(unset.body.includes('<all>Nobody</all>'), unset.body);
  const json = await fetch(
    `${url}/Echo`,
    jsonRequest({ value: { all: ['Nobody'], more: ['Read', 'Nobody'] } }),
  );
  assert.deepEqual(await json.json(), { d: { all: ['Nobody'], more: ['Read'] } });
  const wsdl = await (await fetch(`${url}?WSDL`)).text();
  const { service: again } = await readWsdlText(wsdl, 'ours');
  const { Rights: imported } = again.types as unknown as { Rights: { zero?: string } };
  assert.equal(imported.zero, 'Nobody');
  const wrong = { ...contract, types: { R: { ...imported, zero: 'Other' } } };
  assert.throws(
    () => createEndpoint(wrong as never, { path: '/W.asmx', handlers: {} } as never),
    /types\.R\.zero: it must be one of the values/,
  );
});
