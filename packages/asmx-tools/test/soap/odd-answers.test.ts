import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  array,
  base64Binary,
  int,
  object,
  operation,
  restricted,
  service,
  string,
  swaRef,
} from '../../../asmx/src/index.ts';
import { originOf } from '../../../asmx/test/kit/listen.ts';
import { bePatient, passLimits } from '../../../asmx/test/kit/steered-time.ts';
import { until } from '../../../asmx/test/kit/until.ts';
import {
  createSoapClient,
  SoapCallError,
  type SoapClientOptions,
  SoapFault,
} from '../../src/soap/index.ts';

const Missing = object('Missing', { id: int, tags: array(string) });
const Code = restricted('Code', string, { length: 3, patterns: ['[A-Z]+'] });
const Shop = service('Shop', {
  namespace: 'urn:shop',
  operations: {
    Get: operation({
      input: { id: int },
      result: object('Order', { id: int, name: string, tags: array(string) }),
      readOnly: true,
    }),
    Put: operation({
      input: { id: int },
      faults: { Torn: object('Torn', { scan: base64Binary, form: swaRef }) },
    }),
    Ask: operation({ style: 'rpc', use: 'encoded', result: string, faults: { Missing } }),
    CodeOf: operation({ input: { like: Code }, result: Code }),
  },
});

type Answer = (response: ServerResponse, request: IncomingMessage, count: number) => void;
interface Closing {
  after(close: () => unknown): void;
}

/** A client of a server that answers by hand. */
async function clientOf(test: Closing, answer: Answer, options: Partial<SoapClientOptions> = {}) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    request.resume();
    seen.push(request);
    request.on('end', () => answer(response, request, seen.length));
  });
  const url = `${await originOf(test, server)}/Shop.asmx`;
  return { client: createSoapClient(Shop, { url, ...options }), url, seen };
}

const SOAP11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const envelope = (body: string, head = '') =>
  `<S:Envelope xmlns:S="${SOAP11}">${head}<S:Body>${body}</S:Body></S:Envelope>`;
const order = (content: string) =>
  envelope(
    `<n:GetResponse xmlns:n="urn:shop" xmlns="urn:shop"><GetResult>${content}</GetResult></n:GetResponse>`,
  );
const sends =
  (body: string | Uint8Array, headers: Record<string, string> = {}, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'text/xml; charset=utf-8', ...headers }).end(body);
  };
const CONTENT = '<id>1</id><name>a</name><tags><string>x</string></tags>';
const RIGHT = order(CONTENT);
const ORDER = { id: 1, name: 'a', tags: ['x'] };

describe('odd answers that are read', () => {
  const read: Readonly<Record<string, Answer>> = {
    'members without their namespace': sends(
      envelope(
        `<GetResponse xmlns="urn:shop"><GetResult xmlns="">${CONTENT}</GetResult></GetResponse>`,
      ),
    ),
    'another namespace, and another order': sends(
      envelope(
        '<a:GetResponse xmlns:a="urn:other"><a:GetResult><a:tags><a:string>x</a:string></a:tags>' +
          '<a:name>a</a:name><a:id>1</a:id></a:GetResult></a:GetResponse>',
      ),
    ),
    'another name of the message': sends(RIGHT.replaceAll('GetResponse', 'GetOutput')),
    'blank lines before the XML declaration': sends(`\r\n\n<?xml version="1.0"?>${RIGHT}`),
    gzip: sends(gzipSync(RIGHT), { 'Content-Encoding': 'gzip' }),
    'UTF-16': sends(Buffer.from(`\ufeff${RIGHT}`, 'utf16le'), {
      'Content-Type': 'text/xml; charset=utf-16',
    }),
    'SOAP 1.2 in answer to 1.1': sends(
      RIGHT.replace(SOAP11, 'http://www.w3.org/2003/05/soap-envelope'),
      {
        'Content-Type': 'application/soap+xml',
      },
    ),
    'no media type that says XML': sends(RIGHT, { 'Content-Type': 'text/plain' }),
    'a header that nobody knows': sends(
      envelope('', `<S:Header><Session xmlns="urn:x">5</Session></S:Header>`).replace(
        '<S:Body></S:Body>',
        /<S:Body>.*<\/S:Body>/.exec(RIGHT)![0],
      ),
    ),
    'several parts in which no value is': sends(
      `--b\r\nContent-Type: text/xml\r\nContent-ID: <root>\r\n\r\n${RIGHT}\r\n` +
        '--b\r\nContent-ID: <pic>\r\nContent-Type: image/png\r\n\r\nPNG\r\n--b--\r\n',
      { 'Content-Type': 'multipart/related; type="text/xml"; start="<root>"; boundary=b' },
    ),
  };
  for (const [name, answer] of Object.entries(read))
    it(name, async (test) => {
      const { client } = await clientOf(test, answer);
      const { result, ...more } = await client.$call('Get', { id: 1 });
      assert.deepEqual(result, ORDER);
      if (name.includes('header'))
        assert.deepEqual(more.otherHeaders, ['<Session xmlns="urn:x">5</Session>']);
      if (name.includes('parts'))
        assert.deepEqual(more.attachments, [
          { id: 'pic', type: 'image/png', bytes: new Uint8Array(Buffer.from('PNG')) },
        ]);
    });

  it('tells of what the contract has no place for', async (test) => {
    const { client } = await clientOf(test, sends(order('<id>1</id><extra>2</extra>')));
    const { ignored } = await client.$call('Get', { id: 1 });
    assert.deepEqual(ignored, ['GetResult.extra']);
  });

  it('a text that its facets forbid, which is not sent', async (test) => {
    const { client } = await clientOf(
      test,
      sends(
        envelope(
          '<CodeOfResponse xmlns="urn:shop"><CodeOfResult>a-14</CodeOfResult></CodeOfResponse>',
        ),
      ),
    );
    assert.equal(await client.CodeOf({ like: 'ABC' }), 'a-14');
    await assert.rejects(client.CodeOf({ like: 'a-14' }), /must have the length 3/);
  });

  it('an empty answer, where nothing is expected', async (test) => {
    const { client } = await clientOf(test, sends(''));
    assert.equal(await client.Put({ id: 1 }), undefined);
  });

  it('a fault of either version, under any status', async (test) => {
    const fault11 = `<S:Fault><faultcode xmlns:c="urn:c">c:Nope</faultcode>
      <faultstring xml:lang="en"> No. </faultstring><faultactor>gate</faultactor>
      <detail><why xmlns="urn:d">x<b/></why></detail></S:Fault>`;
    for (const status of [200, 400, 500]) {
      const { client } = await clientOf(test, sends(envelope(fault11), {}, status));
      const fault = await client.Put({ id: 1 }).catch((error: unknown) => error);
      assert.ok(fault instanceof SoapFault);
      const { code, message, actor, detailXml } = fault;
      assert.deepEqual(
        { code, message, actor, detailXml, status: fault.status },
        {
          code: 'Nope',
          message: 'No.',
          actor: 'gate',
          detailXml: '<why xmlns="urn:d">x<b /></why>',
          status,
        },
      );
    }
    const fault12 = `<S:Fault><S:Code><S:Value>S:Sender</S:Value>
      <S:Subcode><S:Value xmlns:c="urn:c">c:Deep</S:Value></S:Subcode></S:Code><S:Reason>
      <S:Text xml:lang="en">No.</S:Text><S:Text xml:lang="de">Nein.</S:Text></S:Reason></S:Fault>`;
    const answer = envelope(fault12).replace(SOAP11, 'http://www.w3.org/2003/05/soap-envelope');
    const { client } = await clientOf(
      test,
      sends(answer, { 'Content-Type': 'application/soap+xml' }, 500),
    );
    const fault = await client.Put({ id: 1 }).catch((error: unknown) => error);
    assert.ok(fault instanceof SoapFault);
    assert.deepEqual(
      [fault.code, fault.subcodes, fault.message],
      ['Sender', ['{urn:c}Deep'], 'No.'],
    );
  });

  it('a fault whose detail has its bytes in parts', async (test) => {
    const xop = 'http://www.w3.org/2004/08/xop/include';
    const fault = envelope(
      `<S:Fault><faultcode>S:Server</faultcode><faultstring>No.</faultstring><detail>
        <Torn xmlns="urn:shop"><scan><x:Include xmlns:x="${xop}" href="cid:a"/></scan>
        <form>cid:b</form></Torn></detail></S:Fault>`,
    );
    const part = (id: string, content: string) =>
      `--b\r\nContent-ID: <${id}>\r\n\r\n${content}\r\n`;
    const { client } = await clientOf(
      test,
      sends(
        `${part('root', fault)}${part('a', 'scan')}${part('b', 'form')}--b--\r\n`,
        { 'Content-Type': 'multipart/related; type="text/xml"; start="<root>"; boundary=b' },
        500,
      ),
    );
    const error = await client.Put({ id: 1 }).catch((thrown: unknown) => thrown);
    assert.ok(client.$isFault(error, 'Put', 'Torn'));
    assert.equal(Buffer.from(error.detail.scan ?? []).toString(), 'scan');
    assert.equal(Buffer.from(error.detail.form ?? []).toString(), 'form');
  });

  it('a fault in SOAP encoding, whose detail refers to what stands elsewhere', async (test) => {
    const encoding = 'http://schemas.xmlsoap.org/soap/encoding/';
    const faulted = (detail: string, behind = '') =>
      envelope(
        `<S:Fault><faultcode>S:Server</faultcode><faultstring>No.</faultstring>
          <detail>${detail}</detail></S:Fault>${behind}`,
      );
    const refers = '<n:Missing xmlns:n="urn:shop" href="#id0"/>';
    // As Axis 1 writes what has an identity.
    const multiRef = (id: string, content: string) =>
      `<multiRef id="${id}" S:encodingStyle="${encoding}">${content}</multiRef>`;
    const tags = '<tags><string>x</string></tags>';
    const host = '<h:hostname xmlns:h="http://xml.apache.org/axis/">old</h:hostname>';
    const apart = multiRef('id0', '<id href="#id1"/><tags href="#id2"/>');
    const parts = `${multiRef('id1', '7')}${multiRef('id2', '<string>x</string>')}`;
    const answers = [
      faulted(refers, multiRef('id0', `<id>7</id>${tags}`)),
      faulted(`${host}${refers}`, `${parts}${apart}`),
      faulted(`${multiRef('id0', `<id>7</id>${tags}`)}${refers}${host}`),
      faulted(`<n:Missing xmlns:n="urn:shop"><id>7</id><more><a/></more>${tags}</n:Missing>`),
    ];
    for (const answer of answers) {
      const { client } = await clientOf(test, sends(answer, {}, 500));
      const error = await client.Ask({}).catch((thrown: unknown) => thrown);
      assert.ok(client.$isFault(error, 'Ask', 'Missing'), String(error));
      assert.deepEqual(error.detail, { id: 7, tags: ['x'] }, answer);
    }
    // What the contract does not declare can be read as XML, and so can what is not there.
    for (const name of ['Other', 'Missing']) {
      const at = name === 'Other' ? 'id0' : 'id9';
      const answer = faulted(refers.replace('Missing', name), multiRef(at, '<id>7</id>'));
      const { client } = await clientOf(test, sends(answer, {}, 500));
      const error = await client.Ask({}).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof SoapFault, String(error));
      assert.deepEqual([error.message, error.detail], ['No.', undefined]);
      assert.match(error.detailXml ?? '', /<n:\w+ [^>]*href="#id0" \/><multiRef [^>]*id="id\d"/);
    }
  });

  it('cookies are kept, where they are asked for', async (test) => {
    const answer: Answer = (response, _, count) => {
      if (count === 1)
        response.setHeader('Set-Cookie', [
          's=1; path=/; HttpOnly',
          'o=2; path=/other',
          'p=3; Secure',
        ]);
      if (count === 2) response.setHeader('Set-Cookie', 's=; Max-Age=0');
      response.setHeader('Content-Type', 'text/xml');
      response.end(RIGHT);
    };
    const { client, seen } = await clientOf(test, answer, { cookies: true });
    for (let call = 0; call < 3; call++) await client.Get({ id: 1 });
    assert.deepEqual(
      seen.map(({ headers }) => headers.cookie),
      [undefined, 's=1', undefined],
    );
  });

  it('redirects on the same host, as the same POST', async (test) => {
    const answer: Answer = (response, request) => {
      if (request.url === '/Shop.asmx')
        response.writeHead(301, { Location: '/new/Shop.asmx' }).end();
      else sends(RIGHT)(response, request, 0);
    };
    const { client, seen } = await clientOf(test, answer);
    assert.deepEqual(await client.Get({ id: 1 }), ORDER);
    assert.deepEqual(
      seen.map(({ method, url }) => `${method} ${url}`),
      ['POST /Shop.asmx', 'POST /new/Shop.asmx'],
    );
  });
});

describe('answers that are refused', () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${order('<name>&b;</name>')}`;
  const limits = { bodyBytes: 10_000, items: 50, depth: 20 };
  const refused: Readonly<Record<string, readonly [Answer, SoapCallError['kind'], RegExp]>> = {
    entities: [sends(bomb), 'answer', /DTD/],
    depth: [
      sends(order(`<more>${'<a>'.repeat(100)}${'</a>'.repeat(100)}</more>`)),
      'limit',
      /depth/,
    ],
    items: [sends(order(`<tags>${'<string/>'.repeat(60)}</tags>`)), 'limit', /items/],
    'a large one': [sends(order(`<name>${'x'.repeat(20_000)}</name>`)), 'limit', /bodyBytes/],
    'one that inflates': [
      sends(gzipSync(order(`<name>${'x'.repeat(20_000)}</name>`)), { 'Content-Encoding': 'gzip' }),
      'limit',
      /bodyBytes/,
    ],
    'a wrong value': [sends(order('<id>many</id>')), 'value', /GetResult\.id/],
    'no XML': [
      sends('{"a":1}', { 'Content-Type': 'application/json' }),
      'answer',
      /cannot be read/,
    ],
    'a page': [
      sends('<html><body>Sign in</body></html>', { 'Content-Type': 'text/html' }),
      'answer',
      /<html>/,
    ],
    'a page of an error': [
      sends('<html><body>Gateway</body></html>', { 'Content-Type': 'text/html' }, 403),
      'status',
      /403 Forbidden.*Gateway/,
    ],
    'another message': [
      sends(envelope('<Other xmlns="urn:x"><thing/></Other>')),
      'answer',
      /<Other>/,
    ],
    'an empty body': [sends(envelope('')), 'answer', /body is empty/],
    'nothing at all': [sends(''), 'answer', /empty/],
    'half an envelope': [sends(RIGHT.slice(0, -20)), 'answer', /cannot be read/],
    'a header that must be understood': [
      sends(envelope('', '<S:Header><x xmlns="urn:x" S:mustUnderstand="1"/></S:Header>')),
      'answer',
      /must be understood/,
    ],
    'no part with the envelope': [
      sends('--b\r\n\r\nx\r\n--b--\r\n', {
        'Content-Type': 'multipart/related; start="<r>"; boundary=b',
      }),
      'answer',
      /no part/,
    ],
    'another host': [
      (response) => response.writeHead(307, { Location: 'http://localhost:1/x' }).end(),
      'redirect',
      /sends to http:\/\/localhost:1\/x/,
    ],
    'itself for ever': [
      (response) => response.writeHead(302, { Location: '/Shop.asmx' }).end(),
      'redirect',
      /6th time/,
    ],
  };
  for (const [name, [answer, kind, message]] of Object.entries(refused))
    it(name, async (test) => {
      const { client } = await clientOf(test, answer, { limits, retries: 0 });
      await assert.rejects(client.Get({ id: 1 }), (error: unknown) => {
        assert.ok(error instanceof SoapCallError, String(error));
        assert.equal(error.kind, kind, error.message);
        assert.match(error.message, message);
        return true;
      });
    });
});

describe('slow and cut answers', () => {
  it('a read is tried again after 503, and after a connection that ended', async (test) => {
    const answer: Answer = (response, request, count) => {
      if (count === 1) response.writeHead(503, { 'Content-Type': 'text/plain' }).end('busy');
      else if (count === 2) {
        response.writeHead(200, { 'Content-Type': 'text/xml', 'Content-Length': '9999' });
        response.write(RIGHT.slice(0, 50), () => request.socket.destroy());
      } else sends(RIGHT)(response, request, count);
    };
    const { client, seen } = await clientOf(test, answer);
    assert.deepEqual(await client.Get({ id: 1 }), ORDER);
    assert.equal(seen.length, 3);
  });

  it('what may change something is sent once', async (test) => {
    const { client, seen } = await clientOf(test, sends('busy', { 'Retry-After': '7' }, 503));
    await assert.rejects(client.Put({ id: 1 }), { kind: 'status', status: 503, retryAfter: 7 });
    assert.equal(seen.length, 1);
  });

  it('a cut answer is no answer', async (test) => {
    const answer: Answer = (response, request) => {
      response.writeHead(200, { 'Content-Type': 'text/xml', 'Content-Length': '9999' });
      response.write(RIGHT.slice(0, 50), () => request.socket.destroy());
    };
    const { client } = await clientOf(test, answer);
    await assert.rejects(client.Put({ id: 1 }), { name: 'SoapCallError', kind: 'connection' });
  });

  it('a server that does not answer in time, and a caller who gives up', async (test) => {
    bePatient(test);
    const { client, seen } = await clientOf(test, () => {}, { timeoutMs: 60_000, retries: 0 });
    const late = client.Get({ id: 1 });
    late.catch(() => {});
    await until(() => seen.length === 1);
    passLimits(60_000);
    await assert.rejects(late, { kind: 'timeout', message: /within 60000 ms/ });
    const given = new AbortController();
    const call = client.Get({ id: 1 }, { signal: given.signal });
    call.catch(() => {});
    await until(() => seen.length === 2);
    given.abort(new RangeError('enough'));
    await assert.rejects(call, RangeError);
  });

  it('a server that is not there', async () => {
    const client = createSoapClient(Shop, { url: 'http://127.0.0.1:1/', retries: 0 });
    await assert.rejects(client.Get({ id: 1 }), { kind: 'connection', message: /127\.0\.0\.1:1/ });
  });
});
