import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import {
  array,
  base64Binary,
  createEndpoint,
  int,
  object,
  operation,
  service,
  string,
} from '../../../asmx/src/index.ts';
import { usernameToken } from '../../../asmx/src/security/index.ts';
import { originOf } from '../../../asmx/test/kit/listen.ts';
import { serve } from '../../../asmx/test/values/kit.ts';
import { endpoint, FORECAST, told, Weather } from '../../../asmx/test/values/sample.ts';
import { createSoapClient, SoapFault } from '../../src/soap/index.ts';

const Files = service('Files', {
  namespace: 'urn:files',
  operations: {
    Get: operation({ input: { bytes: int }, result: base64Binary }),
    Put: operation({ input: { file: base64Binary }, result: int }),
    List: operation({
      input: { count: int },
      result: array(object('Row', { id: int, text: string })),
    }),
  },
});
const files = createEndpoint(Files, {
  path: '/Files.asmx',
  handlers: {
    Get: ({ bytes }) => new Uint8Array(bytes).fill(7),
    Put: ({ file }) => file?.length ?? -1,
    List: ({ count }) => Array.from({ length: count }, (_, id) => ({ id, text: `<${id}>` })),
  },
});

describe('the SOAP client', () => {
  for (const soap of ['1.1', '1.2'] as const)
    it(`takes and returns what the handlers do, over SOAP ${soap}`, async (test) => {
      const url = `${await serve(test, endpoint)}/Weather.asmx`;
      const client = createSoapClient(Weather, { url, soap });
      const forecasts = await client.GetForecast({ city: 'Rome', days: 2 });
      assert.deepEqual(forecasts?.[0], FORECAST);
      const tree = {
        name: 'a',
        children: [{ name: 'b', children: [{ name: 'c', children: [] }] }],
      };
      assert.deepEqual(await client.EchoTree({ tree }), {
        ...tree,
        children: [{ name: 'b', children: [{ name: 'c', children: [] }] }],
      });
      assert.deepEqual(await client.TryParse({ text: '1', value: 2 }), {
        value: true,
        out: { value: 3, rest: '' },
      });
      assert.equal(await client.Sum({ numbers: [2 ** 31 - 1, 1] }), 2147483648n);
      assert.equal(await client.Forget({ city: 'Rome' }), undefined);
      assert.equal(await client.Notify({ city: `Oslo ${soap}` }), undefined);
      assert.equal(told.city, `Oslo ${soap}`);
      // @ts-expect-error a misspelt parameter does not compile
      await assert.rejects(client.Forget({ citi: 'Rome' }), {
        name: 'TypeError',
        message: 'Forget: the contract has no citi there. Did you mean city?',
      });
      // @ts-expect-error nor does a wrong type
      await assert.rejects(client.GetForecast({ days: 'many' }), /GetForecast: days: /);
    });

  it('SOAP headers there and back', async (test) => {
    const url = `${await serve(test, endpoint)}/Weather.asmx`;
    const client = createSoapClient(Weather, { url });
    const AuthHeader = { user: 'ann', password: 'x' };
    const answer = await client.$call(
      'GetForecast',
      { city: 'Rome', days: 0 },
      { soapHeaders: { AuthHeader } },
    );
    assert.deepEqual(answer.soapHeaders, { Trace: { id: 'ann' } });
    assert.equal(answer.status, 200);
    const always = createSoapClient(Weather, { url, soapHeaders: { AuthHeader } });
    const again = await always.$call('GetForecast', { city: 'Rome', days: 0 });
    assert.equal(again.soapHeaders.Trace?.id, 'ann');
    const unknown = { soapHeaders: { Nobody: 1 } } as object;
    await assert.rejects(client.GetForecast({ city: '', days: 0 }, unknown), /no Nobody there/);
  });

  for (const soap of ['1.1', '1.2'] as const)
    it(`a fault with its typed detail, over SOAP ${soap}`, async (test) => {
      const url = `${await serve(test, endpoint)}/Weather.asmx`;
      const client = createSoapClient(Weather, { url, soap });
      const error = await client.Fail({ what: 'detail' }).catch((thrown: unknown) => thrown);
      assert.ok(client.$isFault(error, 'Fail', 'Broken'));
      assert.deepEqual(error.detail, { part: 'wheel' });
      assert.equal(error.message, 'It broke.');
      assert.equal(error.code, soap === '1.1' ? 'Client' : 'Sender');
      const other = await client.Fail({ what: 'x' }).catch((thrown: unknown) => thrown);
      assert.ok(other instanceof SoapFault);
      assert.equal(other.fault, undefined);
      assert.match(other.detailXml ?? '', /<code>Internal<\/code>/);
      assert.equal(client.$isFault(other, 'Fail', 'Broken'), false);
    });

  it('UsernameToken as text and digest, and Basic', async (test) => {
    const tokens = usernameToken({ password: (user) => (user === 'ann' ? 's3<cret' : undefined) });
    const Safe = service('Safe', {
      namespace: 'urn:safe',
      operations: { Who: operation({ result: string }) },
    });
    const safe = createEndpoint(Safe, {
      path: '/Safe.asmx',
      understands: [tokens.header],
      authorize: async (call) => {
        const basic = call.http.header('authorization');
        return { user: basic ?? (await tokens.verify(call)) };
      },
      handlers: { Who: (_, { caller }) => caller.user },
    });
    const url = `${await serve(test, safe)}/Safe.asmx`;
    const secret = { user: 'ann', password: 's3<cret' };
    for (const kind of ['text', 'digest'] as const) {
      const token = { ...secret, kind, timestamp: kind === 'digest' };
      const client = createSoapClient(Safe, { url, usernameToken: token });
      assert.equal(await client.Who(), 'ann');
      // Each call has a nonce of its own.
      assert.equal(await client.Who(), 'ann');
    }
    const wrong = createSoapClient(Safe, { url, usernameToken: { user: 'ann', password: 'x' } });
    await assert.rejects(wrong.Who(), SoapFault);
    const basic = createSoapClient(Safe, { url, basic: secret });
    assert.equal(await basic.Who(), `Basic ${btoa('ann:s3<cret')}`);
  });

  for (const mtom of [false, true])
    it(`files there and back, and piece by piece${mtom ? ', by MTOM' : ''}`, async (test) => {
      const url = `${await serve(test, files)}/Files.asmx`;
      const client = createSoapClient(Files, { url, mtom });
      assert.equal(await client.Put({ file: new Uint8Array(1000) }), 1000);
      assert.deepEqual(await client.Get({ bytes: 3 }), Uint8Array.of(7, 7, 7));
      let bytes = 0;
      const answer = await client.$stream('Get', { bytes: 300_000 }, (piece) => {
        assert.ok(piece.every((byte) => byte === 7));
        bytes += piece.length;
      });
      assert.equal(bytes, 300_000);
      assert.equal(answer.result, undefined);
    });

  for (const [order, isFirst] of [
    ['behind', false],
    ['before', true],
  ] as const)
    it(`a file piece by piece that stands in a part ${order} the envelope`, async (test) => {
      const include = '<i:Include xmlns:i="http://www.w3.org/2004/08/xop/include" href="cid:f"/>';
      const result = `<GetResponse xmlns="urn:files"><GetResult>${include}</GetResult></GetResponse>`;
      const root = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>${result}</e:Body></e:Envelope>`;
      const parts = [`--b\r\nContent-ID: <r>\r\n\r\n${root}`, '--b\r\nContent-ID: <f>\r\n\r\nGIF'];
      const message = `${(isFirst ? parts.toReversed() : parts).join('\r\n')}\r\n--b--`;
      const type = 'multipart/related; type="application/xop+xml"; start="<r>"; boundary=b';
      const server = createServer((request, response) => {
        request.resume().on('end', () => {
          response.writeHead(200, { 'Content-Type': type }).end(message);
        });
      });
      const client = createSoapClient(Files, { url: `${await originOf(test, server)}/Files.asmx` });
      const pieces: Uint8Array[] = [];
      const { attachments } = await client.$stream('Get', { bytes: 3 }, (piece) => {
        pieces.push(piece);
      });
      assert.equal(Buffer.concat(pieces).toString(), 'GIF');
      assert.deepEqual(attachments, []);
    });

  it('a list item by item, the next when the one before is done', async (test) => {
    const client = createSoapClient(Files, { url: `${await serve(test, files)}/Files.asmx` });
    const rows: unknown[] = [];
    let open = 0;
    await client.$stream('List', { count: 1000 }, async (row) => {
      assert.equal(++open, 1);
      await Promise.resolve();
      rows.push(row);
      open--;
    });
    assert.deepEqual(rows, await client.List({ count: 1000 }));
    await assert.rejects(
      client.$stream('List', { count: 9 }, () => {
        throw new RangeError('enough');
      }),
      RangeError,
    );
    await assert.rejects(
      client.$stream('Put', {}, () => {}),
      /neither a list nor a file/,
    );
  });

  it('says at once what is wrong with its options', () => {
    const url = 'http://localhost/';
    assert.throws(() => createSoapClient(Weather, { url: 'x' }), TypeError);
    assert.throws(
      () => createSoapClient(Weather, { url, idempotent: ['Got'] }),
      /no operation Got/,
    );
    assert.throws(() => createSoapClient(Weather, { url, limits: { items: 0 } }), RangeError);
    const basic = { user: 'a:b', password: '' };
    assert.throws(() => createSoapClient(Weather, { url, basic }), /colon/);
  });
});
