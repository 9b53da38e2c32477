import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fastPath } from '../../src/fast/index.ts';
import {
  array,
  createEndpoint,
  type EndpointOptions,
  int,
  operation,
  service,
  string,
} from '../../src/index.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:addressed';
const WSA = 'http://www.w3.org/2005/08/addressing';
const Contract = service('Addressed', {
  namespace: NS,
  operations: {
    Flat: operation({ input: { text: string }, result: string }),
    Sum: operation({ input: { numbers: array(int) }, result: int }),
  },
});

function start(
  test: { after(close: () => unknown): void },
  more: Partial<EndpointOptions<never, undefined>> = {},
) {
  const endpoint = createEndpoint(Contract, {
    path: '/Addressed.asmx',
    addressing: true,
    handlers: {
      Flat: ({ text }) => {
        if (text === 'fail') throw new Error('It failed.');
        return String(text);
      },
      Sum: ({ numbers }) => (numbers ?? []).reduce((sum, each) => sum + each, 0),
    },
    onAnswered: () => {},
    ...more,
  });
  return serve(test, endpoint).then((url) => `${url}/Addressed.asmx`);
}

const header = (more = '', namespace = WSA) =>
  `<a:Action xmlns:a="${namespace}" soap:mustUnderstand="1">${NS}/Flat</a:Action>` +
  `<a:MessageID xmlns:a="${namespace}">urn:uuid:1&amp;2</a:MessageID>${more}`;
const flat = (text: string) => `<Flat xmlns="${NS}"><text>${text}</text></Flat>`;
const headerOf = (xml: string | undefined, name: string) =>
  new RegExp(`<wsa:${name} xmlns:wsa="([^"]*)">([^<]*)<`).exec(xml ?? '')?.slice(1);

describe('WS-Addressing', () => {
  it('a request that has it is answered with RelatesTo, Action and MessageID, in its own version', async (test) => {
    for (const options of [{}, { fastPath }]) {
      const url = await start(test, options);
      for (const namespace of [WSA, 'http://schemas.xmlsoap.org/ws/2004/08/addressing']) {
        const answer = await soap(url, flat('hi'), { header: header('', namespace) });
        assert.match(answer.body, /<FlatResult>hi</);
        assert.deepEqual(headerOf(answer.header, 'RelatesTo'), [namespace, 'urn:uuid:1&amp;2']);
        assert.deepEqual(headerOf(answer.header, 'Action'), [
          namespace,
          `${NS}/AddressedSoap/FlatResponse`,
        ]);
        assert.match(headerOf(answer.header, 'MessageID')?.[1] ?? '', /^urn:uuid:[0-9a-f-]{36}$/);
      }
      const objects = await soap(
        url,
        `<Sum xmlns="${NS}"><numbers><int>2</int><int>3</int></numbers></Sum>`,
        {
          header: header(),
        },
      );
      assert.match(objects.body, /<SumResult>5</);
      assert.deepEqual(headerOf(objects.header, 'Action'), [
        WSA,
        `${NS}/AddressedSoap/SumResponse`,
      ]);
    }
  });

  it('a fault has them, too; a request without them is answered without', async (test) => {
    const url = await start(test);
    const fault = await soap(url, flat('fail'), { header: header() });
    assert.equal(fault.status, 500);
    assert.deepEqual(headerOf(fault.header, 'Action'), [WSA, `${WSA}/soap/fault`]);
    assert.deepEqual(headerOf(fault.header, 'RelatesTo'), [WSA, 'urn:uuid:1&amp;2']);
    assert.equal((await soap(url, flat('hi'))).header, undefined);
  });

  it('an answer to nowhere else: ReplyTo must be anonymous', async (test) => {
    const url = await start(test);
    const to = (address: string) =>
      header(
        `<a:ReplyTo xmlns:a="${WSA}"><a:Address>${address}</a:Address><x xmlns="urn:x"><y>z</y></x></a:ReplyTo>`,
      );
    assert.equal((await soap(url, flat('hi'), { header: to(`${WSA}/anonymous`) })).status, 200);
    const elsewhere = await soap(url, flat('hi'), { header: to('http://elsewhere.example/') });
    assert.match(elsewhere.body, /ReplyTo must be anonymous/);
  });

  it('off by default, as ASMX has it: mandatory headers are not understood', async (test) => {
    const url = await start(test, { addressing: false });
    assert.equal(
      (await soap(url, flat('hi'), { header: header() })).headers.get('x-error-code'),
      'MustUnderstand',
    );
  });
});
