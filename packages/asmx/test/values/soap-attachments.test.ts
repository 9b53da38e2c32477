import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  array,
  attachment,
  attribute,
  base64Binary,
  content,
  createEndpoint,
  defineLimits,
  int,
  mediaTypeOf,
  object,
  operation,
  ServiceError,
  service,
  string,
  swaRef,
  typedService,
  withMediaType,
} from '../../src/index.ts';
import { assertProportional } from '../kit/growth.ts';
import { answerParts, multipart, serve, soap } from './kit.ts';

const Claim = object('Claim', {
  name: string,
  form: swaRef,
  pages: array(swaRef),
  scan: base64Binary,
});
const Titled = object('Titled', { photo: attribute(swaRef), value: content(swaRef) });
const Files = service('Files', {
  namespace: 'urn:swa',
  operations: {
    Keep: operation({
      input: {
        title: string,
        photo: attachment(base64Binary, 'image/jpeg', 'image/png'),
        notes: attachment(base64Binary),
      },
      result: string,
      out: { photo: attachment(base64Binary, 'image/gif') },
    }),
    Swap: operation({ input: { claim: Claim, titled: Titled, one: swaRef }, result: Claim }),
    Read: operation({
      style: 'rpc',
      use: 'encoded',
      input: { claim: Claim, photo: attachment(base64Binary) },
      result: int,
    }),
    Made: operation({ input: { type: string }, result: attachment(base64Binary, 'text/*') }),
    Fail: operation({ input: { claim: Claim }, faults: { Refused: Claim } }),
    FailEncoded: operation({
      style: 'rpc',
      use: 'encoded',
      input: { claim: Claim },
      faults: { RefusedEncoded: Claim },
    }),
  },
});

const seen: Record<string, unknown>[] = [];
const shown = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return `${mediaTypeOf(value) ?? ''}:${Buffer.from(value)}`;
  if (Array.isArray(value)) return value.map(shown);
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shown(each)]))
    : value;
};
const note = (input: object) => seen.push(shown(input) as Record<string, unknown>);
const LIMITS = defineLimits({ binaryBytes: 1_000, earlyParts: 10 });
const endpoint = createEndpoint(Files, {
  limits: LIMITS,
  path: '/Files.asmx',
  handlers: {
    Keep: (input) => {
      note(input);
      return { value: input.title, out: { photo: input.photo } };
    },
    Swap: (input) => {
      note(input);
      return input.claim;
    },
    Read: (input) => note(input),
    Fail: ({ claim }) => {
      throw new ServiceError('Refused', 'No.', { detail: claim });
    },
    FailEncoded: ({ claim }) => {
      throw new ServiceError('RefusedEncoded', 'No.', { detail: claim });
    },
    Made: ({ type }) => {
      const bytes = Buffer.from('made');
      return type === undefined ? bytes : withMediaType(bytes, type);
    },
  },
});
const NONE = { photo: undefined, notes: undefined };
const got = () => seen.pop();
const keep = (inside = '<title>t</title>') => `<Keep xmlns="urn:swa">${inside}</Keep>`;
const code = (answer: { readonly headers: Headers }) => answer.headers.get('x-error-code');

describe('SOAP Messages with Attachments: parameters that are parts', () => {
  it('are known by their Content-ID, in any order, and keep their media type', async (t) => {
    const url = `${await serve(t, endpoint)}/Files.asmx`;
    const photo = ['photo=5f@example.org', 'image/png', 'PNG'] as const;
    const notes = ['%6Eotes=1', 'text/plain; charset=utf-8', 'words'] as const;
    for (const parts of [
      [photo, notes],
      [notes, photo],
    ] as const)
      for (const rootFirst of [true, false]) {
        const answer = await multipart(url, keep(), { parts, rootFirst });
        assert.deepEqual(got(), { title: 't', photo: 'image/png:PNG', notes: 'text/plain:words' });
        assert.equal(answer.headers.get('x-warning'), null);
        const { type, envelope, files } = answerParts(answer);
        assert.match(type, /^multipart\/related; type="text\/xml"; start="<[^>]+>"; boundary=/);
        assert.match(envelope, /<KeepResult>t<\/KeepResult><\/KeepResponse>/);
        assert.equal(files.length, 1);
        assert.match(files[0]!.id, /^photo=[\w-]+@/);
        assert.deepEqual([files[0]!.type, files[0]!.content], ['image/png', 'PNG']);
      }
  });

  it('are taken in their order where the Content-IDs name none, as of Axis, or are missing', async (t) => {
    const url = `${await serve(t, endpoint)}/Files.asmx`;
    for (const ids of [
      ['A1', 'B2'],
      ['', ''],
    ] as const) {
      const [first, second] = ids.map((id, at) => [id, 'a/b', `${at}`] as const);
      const { headers } = await multipart(url, keep(), { parts: [first!, second!] });
      assert.deepEqual(got(), { title: 't', photo: 'a/b:0', notes: 'a/b:1' });
      assert.equal(headers.get('x-warning'), null, 'nothing was ignored');
    }
  });

  it('may be absent: then request and answer are plain SOAP', async (t) => {
    const url = `${await serve(t, endpoint)}/Files.asmx`;
    const answer = await soap(url, keep());
    assert.deepEqual(got(), { title: 't', ...NONE });
    assert.match(answer.headers.get('content-type') ?? '', /^text\/xml/);
    // In the body they mean nothing.
    const inside = await soap(url, keep('<title>t</title><photo>QUJD</photo>'));
    assert.deepEqual(got(), { title: 't', ...NONE });
    assert.match(inside.headers.get('x-warning') ?? '', /photo/);
  });

  it('are decoded from base64, bounded, and not taken twice', async (t) => {
    const url = `${await serve(t, endpoint)}/Files.asmx`;
    const base64 = { encoding: 'base64' };
    await multipart(url, keep(), { parts: [['photo=1', 'a/b', 'UE5H']], ...base64 });
    assert.equal(got()?.photo, 'a/b:PNG');
    const wrong = await multipart(url, keep(), { parts: [['photo=1', 'a/b', '***']], ...base64 });
    assert.equal(code(wrong), 'MalformedRequest');
    const twice = [
      ['photo=1', 'a/b', '1'],
      ['photo=2', 'a/b', '2'],
      ['else', 'a/b', '3'],
      ['', 'a/b', '4'],
    ] as const;
    const more = await multipart(url, keep(), { parts: twice });
    assert.deepEqual(got(), { title: 't', photo: 'a/b:1', notes: 'a/b:3' });
    assert.match(more.headers.get('x-warning') ?? '', /ignored: \(11 characters\), part\./);
    const same = await multipart(url, keep(), { parts: [twice[0], twice[0]] });
    assert.equal(code(same), 'MalformedRequest');
    const early = Array.from({ length: 100 }, (_, at) => [`p${at}`, 'a/b', ''] as const);
    const many = await multipart(url, keep(), { parts: early, rootFirst: false });
    assert.equal(code(many), 'MalformedRequest');
    const large = await multipart(url, keep(), {
      parts: [['photo=1', 'a/b', 'x'.repeat(LIMITS.binaryBytes + 1)]],
    });
    assert.equal(code(large), 'TooLarge');
  });

  it('go under the media type that the handler says, or the contract’s, or that of bytes', async (t) => {
    const url = `${await serve(t, endpoint)}/Files.asmx`;
    for (const [inside, type] of [
      ['', 'application/octet-stream'],
      ['<type>text/csv</type>', 'text/csv'],
    ] as const) {
      const { files } = answerParts(await soap(url, `<Made xmlns="urn:swa">${inside}</Made>`));
      assert.deepEqual([files[0]?.type, files[0]?.content], [type, 'made']);
    }
    assert.throws(() => withMediaType(new Uint8Array(), 'a/b\r\nX: y'), /is no media type/);
    const injected = '<type>a/b&#13;&#10;X: y</type>';
    const refused = await soap(url, `<Made xmlns="urn:swa">${injected}</Made>`);
    assert.equal(code(refused), 'Internal');
  });

  it('are in the message and in the binding of the WSDL, beside the parts of the body', async (t) => {
    const wsdl = await (await fetch(`${await serve(t, endpoint)}/Files.asmx?WSDL`)).text();
    assert.match(wsdl, /<wsdl:part name="photo" type="s:base64Binary" \/>/);
    const compact = wsdl.replace(/>\s+</g, '><');
    for (const said of [
      '<mime:multipartRelated><mime:part><soap:body parts="parameters" use="literal" /></mime:part>',
      '<mime:content part="photo" type="image/jpeg" /><mime:content part="photo" type="image/png" />',
    ])
      assert.ok(compact.includes(said), compact);
    assert.match(wsdl, /<s:element [^>]*name="form" type="\w+:swaRef" \/>/);
    assert.doesNotMatch(wsdl, /<s:element [^>]*name="photo"/);
  });
});

describe('swaRef', () => {
  const cid = (id: string) => `cid:${encodeURIComponent(id)}`;
  const pages = ['p=1', 'p=2'].map((id) => `<swaRef>${cid(id)}</swaRef>`).join('');
  const claim = `<claim><name>n</name><form> ${cid('f@x')} </form><pages>${pages}</pages><scan>QUJD</scan></claim>`;
  const parts = ['f@x', 'p=1', 'p=2', 'v', 'o', 't'].map((id) => [id, 'a/b', id] as const);
  const swap = (inside: string) => `<Swap xmlns="urn:swa">${inside}</Swap>`;

  it('is the bytes of the part to which it refers, wherever in a value it stands', async (t) => {
    const url = `${await serve(t, endpoint)}/Files.asmx`;
    const body = swap(`${claim}<titled photo="cid:t">cid:v</titled><one>cid:o</one>`);
    for (const rootFirst of [true, false]) {
      const answer = await multipart(url, body, { parts: parts.slice(0, 6), rootFirst });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(got(), {
        claim: { name: 'n', form: 'a/b:f@x', pages: ['a/b:p=1', 'a/b:p=2'], scan: ':ABC' },
        titled: { photo: 'a/b:t', value: 'a/b:v' },
        one: 'a/b:o',
      });
      const { type, envelope, files } = answerParts(answer);
      assert.match(type, /type="text\/xml"/);
      // What is base64Binary stays inside: who sends attachments need not know XOP.
      assert.match(envelope, /<scan>QUJD<\/scan>/);
      assert.deepEqual(
        [...envelope.matchAll(/>cid:([^<]+)</g)].map(
          ([, id]) => files.find((each) => each.id === id)?.content,
        ),
        ['f@x', 'p=1', 'p=2'],
      );
    }
  });

  for (const name of ['Fail', 'FailEncoded'])
    it(`is in a part in the detail of a fault, too: ${name}`, async (t) => {
      const url = `${await serve(t, endpoint)}/Files.asmx`;
      const body = `<m:${name} xmlns:m="urn:swa" xmlns="${name === 'Fail' ? 'urn:swa' : ''}">${claim}</m:${name}>`;
      const answer = await multipart(url, body, { parts: parts.slice(0, 3) });
      assert.equal(answer.status, 500);
      const { type, envelope, files } = answerParts(answer);
      assert.match(type, /^multipart\/related; type="text\/xml"/);
      assert.match(envelope, /<scan[^>]*>QUJD<\/scan>/);
      assert.deepEqual(
        [...envelope.matchAll(/>cid:([^<]+)</g)].map(
          ([, id]) => files.find((each) => each.id === id)?.content,
        ),
        ['f@x', 'p=1', 'p=2'],
      );
      // Without a part the fault is plain SOAP.
      const plain = await soap(url, body.replace(/<form>.*<\/pages>/, ''));
      assert.match(plain.headers.get('content-type') ?? '', /^text\/xml/);
      assert.match(plain.text, /<scan[^>]*>QUJD<\/scan><\/Claim><\/detail>/);
    });

  it('is read in SOAP encoding, beside parameters that are parts', async (t) => {
    const url = `${await serve(t, endpoint)}/Files.asmx`;
    const body = `<m:Read xmlns:m="urn:swa"><claim href="#1"/></m:Read><x id="1"><name>n</name><form>cid:f@x</form></x>`;
    await multipart(url, body, { parts: [parts[0]!, ['photo=1', 'a/b', 'P']] });
    assert.deepEqual(got(), { claim: { name: 'n', form: 'a/b:f@x' }, photo: 'a/b:P' });
  });

  it('is in the rows of an array of two dimensions, in a header, too', async (t) => {
    const grid = { kind: 'array', name: 'Grid', encoded: true, rank: 2 } as const;
    const item = { name: 'item', type: 'swaRef', min: 0, max: 'unbounded' } as const;
    const headers: unknown[] = [];
    const contract = {
      ...{ name: 'Grids', namespace: 'urn:swa', types: { Grid: { ...grid, item } } },
      operations: [
        {
          ...({ name: 'Keep', documentation: '', style: 'rpc', use: 'encoded' } as const),
          parameters: [],
          headers: { in: [{ name: 'Pages', type: { ref: 'Grid' } }] },
        },
      ],
    } as const;
    const grids = createEndpoint(typedService<never>(contract) as never, {
      path: '/Grids.asmx',
      handlers: {
        Keep: (_: object, call: { readonly headers: object }) => headers.push(shown(call.headers)),
      } as never,
    });
    const url = `${await serve(t, grids)}/Grids.asmx`;
    const cells = ['f@x', 'p=1', 'p=2', 'v'].map((id) => `<i>${cid(id)}</i>`).join('');
    const encoding = 'http://schemas.xmlsoap.org/soap/encoding/';
    const header = `<m:Pages xmlns:m="urn:swa" xmlns:e="${encoding}" e:arrayType="xsd:anyURI[2,2]">${cells}</m:Pages>`;
    const answer = await soap(url, '<m:Keep xmlns:m="urn:swa"/>', {
      ...{ header, beside: parts.slice(0, 4) },
    });
    assert.equal(answer.status, 200, answer.text);
    const rows = [
      ['a/b:f@x', 'a/b:p=1'],
      ['a/b:p=2', 'a/b:v'],
    ];
    assert.deepEqual(headers, [{ Pages: rows }]);
  });

  it('that refers to nothing is refused', async (t) => {
    const url = `${await serve(t, endpoint)}/Files.asmx`;
    const one = (text: string) => swap(`<one>${text}</one>`);
    assert.equal(code(await multipart(url, one('cid:no'), { parts })), 'MalformedRequest');
    assert.equal(code(await soap(url, one('cid:no'))), 'InvalidParameter');
    for (const url2 of ['http://example.org/', 'QUJD', 'file:///etc/passwd'])
      assert.equal(code(await multipart(url, one(url2), { parts })), 'InvalidParameter');
    const both = swap('<titled photo="cid:v">cid:v</titled>');
    assert.equal(code(await multipart(url, both, { parts })), 'MalformedRequest');
    const many = (pages: number) => {
      const all = Array.from({ length: pages }, (_, at) => `<swaRef>cid:${at}</swaRef>`);
      return multipart(url, swap(`<claim><pages>${all.join('')}</pages></claim>`), { parts });
    };
    await assertProportional(many, 24_000, 'references to parts');
    seen.length = 0;
    assert.equal((await soap(url, one(''))).status, 200);
    assert.equal(got()?.one, undefined);
  });
});

describe('a contract with attachments', () => {
  it('has them where bytes are, as parameters and results', () => {
    const made = (input: object) => () =>
      createEndpoint(
        service('S', {
          namespace: 'urn:s',
          operations: { Do: operation({ input: input as never }) },
        }),
        { path: '/S.asmx', handlers: { Do: () => {} } },
      );
    const only = /attachment: only parameters and results of bytes/;
    assert.throws(made({ a: attachment(string) }), only);
    assert.throws(made({ a: object('A', { b: attachment(base64Binary) }) }), only);
    assert.throws(made({ a: attachment(base64Binary, 'no type') }), /a list of media types/);
  });
});
