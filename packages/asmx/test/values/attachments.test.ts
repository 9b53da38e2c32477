import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  anyType,
  array,
  attribute,
  base64Binary,
  content,
  createEndpoint,
  int,
  object,
  operation,
  service,
  string,
  xml,
} from '../../src/index.ts';
import { type MtomParts, mtomRequest, serve } from './kit.ts';

const NS = 'urn:files';
const Picture = object('Picture', {
  name: string,
  bytes: base64Binary,
  pages: array(base64Binary),
  count: int,
});
const Named = object('Named', { id: attribute(string), value: content(base64Binary) });
const Files = service('Files', {
  namespace: NS,
  operations: {
    Echo: operation({
      input: { picture: Picture, alone: base64Binary },
      result: Picture,
      out: { alone: base64Binary },
    }),
    Empty: operation({ input: { picture: Picture }, result: Picture }),
    Keep: operation({
      input: { doc: Named, docs: array(Named), any: anyType, free: xml },
      result: string,
    }),
  },
});
/** Bytes as hexadecimal digits, for JSON. */
function hexOf(this: unknown, name: string, shown: unknown): unknown {
  const value = (this as Readonly<Record<string, unknown>>)[name];
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : shown;
}
const endpoint = createEndpoint(Files, {
  path: '/Files.asmx',
  handlers: {
    Echo: ({ picture, alone }) => ({ value: picture, out: { alone } }),
    Empty: ({ picture }) => ({ name: picture?.name, count: 0 }),
    Keep: (input) => JSON.stringify(input, hexOf),
  },
});

const XOP = 'http://www.w3.org/2004/08/xop/include';
const include = (id: string) =>
  `<xop:Include xmlns:xop="${XOP}" href="cid:${encodeURIComponent(id)}"/>`;

async function post(url: string, body: string, message: MtomParts) {
  const response = await fetch(url, mtomRequest(body, message));
  return { ...(await readMessage(response)), warning: response.headers.get('x-warning') };
}

/** An answer taken apart as a client of MTOM does: the envelope, and the parts by Content-ID. */
async function readMessage(response: Response) {
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('content-type') ?? '';
  const boundary = /boundary="([^"]+)"/.exec(type)?.[1];
  if (boundary === undefined)
    return { type, envelope: bytes.toString(), parts: new Map<string, Buffer>() };
  const parts = new Map<string, Buffer>();
  const edge = Buffer.from(`--${boundary}`);
  for (let at = bytes.indexOf(edge); at >= 0; ) {
    const next = bytes.indexOf(edge, at + edge.length);
    if (next < 0) break;
    const section = bytes.subarray(at + edge.length + 2, next - 2);
    const split = section.indexOf('\r\n\r\n');
    const id = /Content-ID: <([^>]+)>/i.exec(section.subarray(0, split).toString())?.[1] ?? '';
    parts.set(id, section.subarray(split + 4));
    at = next;
  }
  const start = /start="<([^>]+)>"/.exec(type)?.[1] ?? '';
  return { type, envelope: String(parts.get(start)), parts };
}

const bytesIn = ({ envelope, parts }: Awaited<ReturnType<typeof readMessage>>, element: string) =>
  [
    ...envelope.matchAll(
      new RegExp(
        `<${element}><xop:Include xmlns:xop="${XOP}" href="cid:([^"]+)" /></${element}>`,
        'g',
      ),
    ),
  ].map(([, id = '']) => parts.get(id)?.toString('hex'));

describe('MTOM of messages with objects', () => {
  it('files inside objects and lists come from their parts, before the envelope or behind it, and go back as parts', async (test) => {
    const url = `${await serve(test, endpoint)}/Files.asmx`;
    const body = `<Echo xmlns="${NS}"><picture><name>a</name><bytes>${include('one@x')}</bytes><pages><base64Binary>${include('two')}</base64Binary><base64Binary>AQI=</base64Binary></pages><count>3</count></picture><alone>${include('three')}</alone></Echo>`;
    const parts = {
      'one@x': Buffer.from('010203', 'hex'),
      two: Buffer.from('0d0a2d2d', 'hex'),
      three: Buffer.alloc(0),
    };
    for (const version of ['1.1', '1.2'] as const) {
      for (const partsFirst of [false, true]) {
        const answer = await post(url, body, { version, parts, partsFirst });
        assert.match(
          answer.type,
          /^multipart\/related; type="application\/xop\+xml"/,
          answer.envelope,
        );
        assert.match(
          answer.type,
          version === '1.1' ? /start-info="text\/xml"/ : /start-info="application\/soap\+xml"/,
        );
        assert.deepEqual(bytesIn(answer, 'bytes'), ['010203']);
        assert.deepEqual(bytesIn(answer, 'base64Binary'), ['0d0a2d2d', '0102']);
        assert.deepEqual(bytesIn(answer, 'alone'), ['']);
        assert.match(answer.envelope, /<name>a<\/name>/);
        assert.match(answer.envelope, /<count>3<\/count>/);
      }
    }
  });

  it('bytes of a type with attributes come from a part, wherever the value stands, and as base64', async (test) => {
    const url = `${await serve(test, endpoint)}/Files.asmx`;
    const named = (element: string, id: string, bytes: string, more = '') =>
      `<${element} id="${id}"${more}>${bytes}</${element}>`;
    const typed = ' xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:type="Named"';
    const parts = {
      one: Buffer.from('0102', 'hex'),
      two: Buffer.from('03', 'hex'),
      three: Buffer.from('04', 'hex'),
    };
    const body =
      `<Keep xmlns="${NS}">${named('doc', '1', ` \n${include('one')} `)}` +
      `<docs>${named('Named', '2', include('two'))}${named('Named', '3', 'BQY=')}</docs>` +
      `${named('any', '4', include('three'), typed)}</Keep>`;
    for (const partsFirst of [false, true]) {
      const { envelope } = await post(url, body, { parts, partsFirst });
      const [, result = envelope] = /<KeepResult>(.*)<\/KeepResult>/.exec(envelope) ?? [];
      assert.deepEqual(JSON.parse(result), {
        doc: { id: '1', value: '0102' },
        docs: [
          { id: '2', value: '03' },
          { id: '3', value: '0506' },
        ],
        any: { $type: 'Named', id: '4', value: '04' },
      });
    }
    const missing = await post(
      url,
      `<Keep xmlns="${NS}">${named('doc', '1', include('no'))}</Keep>`,
      { parts },
    );
    assert.match(missing.envelope, /no part with the Content-ID &lt;no&gt;/);
  });

  it('xop:Include that no value takes is refused, for its bytes would be lost', async (test) => {
    const url = `${await serve(test, endpoint)}/Files.asmx`;
    const parts = { one: Buffer.from('x') };
    for (const inside of [
      include('one'),
      `<docs>${include('one')}</docs>`,
      `<free>${include('one')}</free>`,
      `<free><a>${include('one')}</a></free>`,
    ]) {
      const answer = await post(url, `<Keep xmlns="${NS}">${inside}</Keep>`, { parts });
      assert.match(
        answer.envelope,
        /Include of &lt;one&gt; stands where no bytes are read/,
        inside,
      );
    }
  });

  it('an answer without files is plain SOAP, and so is the answer to plain SOAP', async (test) => {
    const url = `${await serve(test, endpoint)}/Files.asmx`;
    const answer = await post(
      url,
      `<Empty xmlns="${NS}"><picture><name>b</name><bytes>${include('one')}</bytes></picture></Empty>`,
      { parts: { one: Buffer.from('x') } },
    );
    assert.equal(answer.type, 'text/xml; charset=utf-8');
    assert.match(answer.envelope, /<name>b<\/name>/);
  });

  it('a part that nothing refers to is named to the client', async (test) => {
    const url = `${await serve(test, endpoint)}/Files.asmx`;
    const picture = `<picture><name>b</name><bytes>${include('one')}</bytes></picture>`;
    for (const partsFirst of [false, true]) {
      const parts = { one: Buffer.from('x'), more: Buffer.from('y') };
      const body = `<Empty xmlns="${NS}">${picture}</Empty>`;
      const { warning } = await post(url, body, { parts, partsFirst });
      assert.match(warning ?? '', /parts of the call, and they were ignored: cid:more\.$/);
    }
  });

  it('a part that does not come, or is referred to twice, is refused; so is xop:Include where no bytes may stand', async (test) => {
    const url = `${await serve(test, endpoint)}/Files.asmx`;
    const picture = (content: string) =>
      `<Empty xmlns="${NS}"><picture>${content}</picture></Empty>`;
    const parts = { one: Buffer.from('x') };
    const missing = await post(url, picture(`<bytes>${include('two')}</bytes>`), { parts });
    assert.match(missing.envelope, /no part with the Content-ID &lt;two&gt;/);
    const twice = `<bytes>${include('one')}</bytes><pages><base64Binary>${include('one')}</base64Binary></pages>`;
    assert.match(
      (await post(url, picture(twice), { parts })).envelope,
      /Two files refer to one part/,
    );
    assert.match(
      (await post(url, picture(`<name>${include('one')}</name>`), { parts })).envelope,
      /holds the element/,
    );
  });
});
