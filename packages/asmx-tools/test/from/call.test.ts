import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  array,
  base64Binary,
  createEndpoint,
  dateTime,
  enumeration,
  header,
  int,
  long,
  object,
  operation,
  ServiceError,
  service,
  string,
} from '../../../asmx/src/index.ts';
import { serve } from '../../../asmx/test/values/kit.ts';
import { endpoint } from '../../../asmx/test/values/sample.ts';
import { asmx, place } from './kit/command.ts';

const Line = object('Line', { product: string, count: int });
const Shop = service('Shop', {
  namespace: 'urn:shop',
  operations: {
    Put: operation({
      input: {
        order: object('Order', { at: dateTime, lines: array(Line), tags: array(string) }),
        picture: base64Binary,
      },
      result: string,
    }),
    Rate: operation({
      input: { stars: enumeration('Stars', ['', 'one', 'two']) },
      faults: { Closed: object('Closed', { until: dateTime, votes: long }) },
    }),
    Who: operation({
      result: string,
      headers: { in: { Auth: header({ user: string }, { required: true }) } },
    }),
  },
});
const shop = createEndpoint(Shop, {
  path: '/Shop.asmx',
  handlers: {
    Put: ({ order, picture }) => JSON.stringify({ order, bytes: picture?.length }),
    Rate: () => {
      const detail = { until: new Date(0), votes: 2n ** 40n };
      throw new ServiceError('Closed', 'It is closed.', { detail });
    },
    Who: (_, { headers }) => headers.Auth?.user,
  },
});

describe('asmx call', () => {
  it('calls an operation of a service by its address, and prints the result', async (t) => {
    const url = `${await serve(t, endpoint)}/Weather.asmx`;
    const sum = await asmx('call', url, 'Sum', 'numbers=2147483647', 'numbers=1');
    assert.deepEqual(sum, { code: 0, stdout: '"2147483648"\n', stderr: '' });
    const { stdout } = await asmx(
      'call',
      `${url}?WSDL`,
      'GetForecast',
      'city=Rome',
      'days=1',
      '--soap',
      '1.2',
    );
    assert.deepEqual(JSON.parse(stdout)[0].temperature, { value: '12.50', unit: 'C' });
    const all = JSON.parse((await asmx('call', url, 'GetForecast', 'days=0', '--all')).stdout);
    assert.deepEqual([all.status, all.soapHeaders], [200, { Trace: { id: 'nobody' } }]);
  });

  it('prints what a fault carries, and what an enumeration may be, in one line', async (t) => {
    const url = `${await serve(t, shop)}/Shop.asmx`;
    assert.deepEqual(await asmx('call', url, 'Rate', 'stars=one'), {
      code: 1,
      stdout: '',
      stderr:
        'asmx: Server: It is closed. (Closed {"until":"1970-01-01T00:00:00.000Z","votes":"1099511627776"})\n',
    });
    const wrong = await asmx('call', url, 'Rate', 'stars=three');
    assert.equal(
      wrong.stderr,
      'asmx: stars: "three" is none of "", one, two. See asmx call --help.\n',
    );
  });

  it('takes what lies inside others, lists and files', async (t) => {
    const url = `${await serve(t, shop)}/Shop.asmx`;
    const file = join(await place(t), 'picture');
    await writeFile(file, 'abc');
    const given = [
      ...['order.at=2024-02-29T12:00:00Z', 'order.tags=a', 'order.tags=b'],
      ...['order.lines[0].product=chair', 'order.lines[0].count=2', 'order.lines[1].product=bed'],
      ...['order.lines[1].count=1', `picture=@${file}`],
    ];
    for (const more of [[], ['--mtom']]) {
      const { stdout, stderr } = await asmx('call', url, 'Put', ...given, ...more);
      assert.equal(stderr, '');
      const lines = [
        { product: 'chair', count: 2 },
        { product: 'bed', count: 1 },
      ];
      const order = { at: '2024-02-29T12:00:00.000Z', lines, tags: ['a', 'b'] };
      assert.deepEqual(JSON.parse(JSON.parse(stdout)), { order, bytes: 3 });
    }
  });

  it('takes SOAP headers', async (t) => {
    const url = `${await serve(t, shop)}/Shop.asmx`;
    assert.equal((await asmx('call', url, 'Who', 'Auth.user=ann')).stdout, '"ann"\n');
    const { stderr } = await asmx('call', url, 'Who');
    assert.match(stderr, /The SOAP header Auth must be there/);
    assert.match((await asmx('call', url, 'Who', 'auth.user=ann')).stderr, /Did you mean Auth\?/);
  });

  it('says what was wrong', async (t) => {
    const url = `${await serve(t, endpoint, shop)}/Weather.asmx`;
    const wrong: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['Sun'], 2, /no operation Sun\. Did you mean Sum\? It has: GetForecast, /],
      [['GetForecast', 'town=Rome'], 2, /there is no town\. There is: city, days/],
      [['GetForecast', 'days=many'], 2, /days: /],
      [['GetForecast', 'city=Rome'], 2, /days: undefined is no int/],
      [['GetForecast', 'days'], 2, /is no name=value/],
      [['GetForecast', '--soap', '2'], 2, /--soap must be 1\.1 or 1\.2/],
      [['GetForecast', 'days=1', '--basic', 'ann'], 2, /ASMX_PASSWORD/],
      [['Fail', 'what=detail'], 1, /Client: It broke\./],
      [['Sum', '--url', 'http://127.0.0.1:1/'], 1, /127\.0\.0\.1:1 gives no answer/],
    ];
    for (const [args, code, message] of wrong) {
      const ended = await asmx('call', url, ...args);
      assert.match(ended.stderr, message);
      assert.equal(ended.code, code, ended.stderr);
      assert.equal(ended.stdout, '');
    }
  });
});
