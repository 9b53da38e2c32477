import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { defineLimits, type Limits } from '../../src/contract/limits.ts';
import { words } from '../../src/contract/words.ts';
import { compileService } from '../../src/engine/compile-service.ts';
import { createEndpoint } from '../../src/engine/endpoint.ts';
import type { Endpoint } from '../../src/engine/endpoint-options.ts';
import { readFastEnvelope } from '../../src/fast/envelope/envelope.ts';
import { type FastPath, fastPath } from '../../src/fast/index.ts';
import {
  base64Binary,
  boolean,
  instant,
  int,
  operation,
  service,
  string,
} from '../../src/index.ts';
import { parseContentType } from '../../src/message/http.ts';
import { ask } from '../kit/ask.ts';
import { CHARACTER, runs } from '../kit/random.ts';

/** How many documents the properties look at. */
const RUNS = runs(10_000);

const NS = 'urn:things';
const SERVICE = service('Things', {
  namespace: NS,
  operations: {
    Put: operation({
      input: {
        key: string.line().max(20),
        text: string,
        count: int,
        public: boolean,
        due: instant,
      },
      result: string,
    }),
    Get: operation({ input: { key: string }, result: string }),
    Save: operation({ input: { file: base64Binary }, result: string }),
  },
});

/** The same endpoint with the fast path and without, which answers what it was given, so that an answer shows every value. */
interface Switched {
  readonly on: Endpoint;
  readonly off: Endpoint;
}

function optionsOf(switched: FastPath | undefined, limits: Limits) {
  const answer = (params: unknown) => JSON.stringify(params);
  return {
    handlers: { Put: answer, Get: answer, Save: answer },
    path: '/t.asmx',
    baseUrl: () => 'http://localhost',
    now: () => 0,
    fastPath: switched,
    limits,
  } as const;
}

function echo(limits: Limits = defineLimits()): Switched {
  const make = (switched: FastPath | undefined) =>
    createEndpoint(SERVICE, optionsOf(switched, limits));
  return { on: make(fastPath), off: make(undefined) };
}

interface Message {
  readonly envelope: string | Uint8Array;
  readonly contentType?: string;
  readonly soapAction?: string | undefined;
}

const TEXT_XML = 'text/xml; charset=utf-8';

/** What an endpoint makes of a message, apart from the number of the request. */
async function answerOf(endpoint: Endpoint, message: Message): Promise<string> {
  const { status, headers, body } = await ask(endpoint, {
    target: '/t.asmx',
    headers: {
      'content-type': message.contentType ?? TEXT_XML,
      ...(message.soapAction === undefined ? {} : { soapaction: message.soapAction }),
    },
    body: message.envelope as string,
  });
  const { 'X-Request-Id': id, ...others } = headers;
  return JSON.stringify([
    status,
    others,
    id === undefined ? String(body) : String(body).replaceAll(id, 'ID'),
  ]);
}

async function assertSame({ on, off }: Switched, message: Message): Promise<void> {
  assert.equal(await answerOf(on, message), await answerOf(off, message));
}

/** Whether the fast path is taken. */
function isFast({ envelope, contentType = TEXT_XML }: Message, limits?: Limits): boolean {
  const service = compileService(
    { service: SERVICE, namespace: NS },
    optionsOf(undefined, limits ?? defineLimits()),
  );
  const route = { action: undefined, operation: undefined };
  return (
    readFastEnvelope(
      service,
      parseContentType(contentType),
      route,
      Buffer.from(envelope as string),
    ) !== undefined
  );
}

const SOAP11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const SOAP12 = 'http://www.w3.org/2003/05/soap-envelope';
const XSI =
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"';

/** As their clients write them. */
const CLIENTS: Readonly<Record<string, Message>> = {
  '.NET Framework': {
    envelope: `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${SOAP11}" ${XSI}><soap:Body><Put xmlns="${NS}"><key>a</key><text>x &lt; y</text><count>7</count><public>true</public><due>2030-01-31T00:00:00Z</due></Put></soap:Body></soap:Envelope>`,
    soapAction: `"${NS}/Put"`,
  },
  'WCF, SOAP 1.2': {
    envelope: `<s:Envelope xmlns:s="${SOAP12}"><s:Body ${XSI}><Get xmlns="${NS}"><key>a</key></Get></s:Body></s:Envelope>`,
    contentType: `application/soap+xml; charset=utf-8; action="${NS}/Get"`,
  },
  'PHP SoapClient': {
    envelope: `<?xml version="1.0" encoding="UTF-8"?>\n<SOAP-ENV:Envelope xmlns:SOAP-ENV="${SOAP11}" xmlns:ns1="${NS}"><SOAP-ENV:Body><ns1:Put><ns1:key>a</ns1:key><ns1:text>b</ns1:text><ns1:count>0</ns1:count></ns1:Put></SOAP-ENV:Body></SOAP-ENV:Envelope>\n`,
    soapAction: `"${NS}/Put"`,
  },
  'Java SAAJ': {
    envelope: `<SOAP-ENV:Envelope xmlns:SOAP-ENV="${SOAP11}" xmlns:t="${NS}"><SOAP-ENV:Header/><SOAP-ENV:Body><t:Get><t:key/></t:Get></SOAP-ENV:Body></SOAP-ENV:Envelope>`,
    soapAction: `${NS}/Get`,
  },
  zeep: {
    envelope: `<?xml version='1.0' encoding='utf-8'?>\n<soap-env:Envelope xmlns:soap-env="${SOAP11}"><soap-env:Body><ns0:Get xmlns:ns0="${NS}"><ns0:key>中文 &amp; 😀</ns0:key></ns0:Get></soap-env:Body></soap-env:Envelope>`,
    soapAction: `"${NS}/Get"`,
  },
  'who shuffles parameters': {
    envelope: `<s:Envelope xmlns:s="${SOAP11}"><s:Body><Put xmlns="${NS}"><due/><text>b</text><key>a</key><count>1</count></Put></s:Body></s:Envelope>`,
  },
  'by hand, on Windows': {
    envelope: `<?xml version="1.0"?>\r\n<soap:Envelope xmlns:soap='${SOAP11}'>\r\n\t<soap:Header>\r\n</soap:Header>\r\n  <soap:Body>\r\n    <Put xmlns="${NS}">\r\n      <text>one\r\ntwo&#13;</text>\r\n <due />\r\n    </Put>\r\n  </soap:Body>\r\n</soap:Envelope>\r\n`,
  },
};

for (const [client, message] of Object.entries(CLIENTS)) {
  test(`what ${client} writes goes the fast path, with the same answer`, async () => {
    assert.ok(isFast(message));
    const endpoint = echo();
    await assertSame(endpoint, message);
    assert.match(await answerOf(endpoint.on, message), /^\[200,/);
  });
}

const around = (inside: string) =>
  `<s:Envelope xmlns:s="${SOAP11}"><s:Body>${inside}</s:Body></s:Envelope>`;

const put = (inside: string) => around(`<Put xmlns="${NS}">${inside}</Put>`);
const GET_A = around(`<Get xmlns="${NS}"><key>a</key></Get>`);

/** Of what cannot be converted ASP.NET's fault says where it is, by line and column. */
const NOT_CONVERTED: Readonly<Record<string, string>> = {
  'a number that is none': put(`<count>seven</count>`),
  'one with a parameter behind it': put(`<count>seven</count><key>a</key>`),
  'one with white space behind it': put(`<count>seven</count> <key>a</key>`),
  'a date in the third line': put(`\r\n <key>中文 &amp; 😀</key>\r\n <due>soon</due>\r\n`),
  'a date behind a declaration in its own line': `<?xml version="1.0"?>\r\n${put(`<due>soon</due>`)}`,
};

for (const [what, envelope] of Object.entries(NOT_CONVERTED)) {
  test(`${what} is told with the place that the general reader tells`, async () => {
    assert.ok(isFast({ envelope }));
    const endpoint = echo();
    await assertSame(endpoint, { envelope });
    assert.match(await answerOf(endpoint.on, { envelope }), /XML document \(\d+, \d+\)/);
  });
}

/** What the general reader must see, although most of it looks like the above. */
const UNUSUAL: Readonly<Record<string, string>> = {
  'an attribute': around(`<Put xmlns="${NS}" id="1"><key>a</key></Put>`),
  'xsi:nil': put(`<key xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/>`),
  'a header': `<s:Envelope xmlns:s="${SOAP11}"><s:Header><a xmlns="urn:a" s:mustUnderstand="1"/></s:Header><s:Body><Get xmlns="${NS}"/></s:Body></s:Envelope>`,
  'a header that moves a prefix': `<s:Envelope xmlns:s="${SOAP11}" xmlns:t="urn:other"><s:Header xmlns:t="${NS}"/><s:Body><t:Get><t:key>a</t:key></t:Get></s:Body></s:Envelope>`,
  'a parameter twice': put(`<key>a</key><key>b</key>`),
  'an unknown parameter': put(`<other>a</other>`),
  'a parameter in no namespace': put(`<key xmlns="">a</key>`),
  'an unknown operation': around(`<Drop xmlns="${NS}"/>`),
  'another namespace': around(`<Put xmlns="urn:other"><key>a</key></Put>`),
  'a file': around(`<Save xmlns="${NS}"><file>AAAA</file></Save>`),
  CDATA: put(`<key><![CDATA[a]]></key>`),
  ']]> in text': put(`<key>a]]>b</key>`),
  'a comment': around(`<!-- --><Put xmlns="${NS}"><key>a</key></Put>`),
  'text between elements': put(`a<key>a</key>`),
  'half a surrogate pair': put(`<key>&#xD83D;&#xDE00;</key>`),
  'an unknown entity': put(`<key>&nbsp;</key>`),
  'a forbidden character': put(`<key>\u0001</key>`),
  'a noncharacter': put(`<key>\uffff</key>`),
  'a declaration of another encoding': `<?xml version="1.0" encoding="iso-8859-1"?>${GET_A}`,
  'an instruction that looks like a declaration': `<?xm version="1.0"?>${GET_A}`,
  'an undeclared prefix': around(`<t:Get><t:key>a</t:key></t:Get>`),
  'a prefix declared twice': around(
    `<t:Get xmlns:t="${NS}" xmlns:t="${NS}"><t:key>a</t:key></t:Get>`,
  ),
  'the prefix xmlns': around(`<Get xmlns="${NS}" xmlns:xmlns="urn:a"><key>a</key></Get>`),
  'an unclosed envelope': `<s:Envelope xmlns:s="${SOAP11}"><s:Body><Get xmlns="${NS}"><key>a</key></Get></s:Body>`,
  'text behind the envelope': `${GET_A}x`,
  'a second element in the Body': around(
    `<Get xmlns="${NS}"><key>a</key></Get><Get xmlns="${NS}"/>`,
  ),
  'an end tag of another name': around(`<Get xmlns="${NS}"><key>a</Key></Get>`),
  'a byte order mark': `\ufeff${GET_A}`,
  'a foreign envelope': GET_A.replace(SOAP11, 'urn:soap'),
};

for (const [what, envelope] of Object.entries(UNUSUAL)) {
  test(`${what} is left to the general reader`, async () => {
    assert.ok(!isFast({ envelope }));
    await assertSame(echo(), { envelope });
  });
}

test('an envelope of SOAP 1.1 under the media type of 1.2, other charsets and small limits are left to it, too', async () => {
  const message = CLIENTS['.NET Framework']!;
  assert.ok(!isFast({ ...message, contentType: 'application/soap+xml; charset=utf-8' }));
  assert.ok(!isFast({ ...message, contentType: 'text/xml; charset=iso-8859-1' }));
  const length = Buffer.byteLength(message.envelope);
  const small: Partial<Limits>[] = [
    { depth: 3 },
    { attributes: 2 },
    { nameChars: 8 },
    { bodyBytes: length - 1 },
  ];
  for (const limits of [
    ...small,
    { elements: 3 },
    { namespaces: 2 },
    { attributeValueChars: 9 },
    { textChars: 4 },
  ]) {
    assert.ok(!isFast(message, defineLimits(limits)), JSON.stringify(limits));
    await assertSame(echo(defineLimits(limits)), message);
  }
  assert.ok(
    isFast(message, defineLimits({ bodyBytes: length, textChars: 'x &lt; y'.length + 12 })),
  );
});

const piece = fc.constantFrom(
  ...words(
    '< > / /> </ & ; " \' = : ! ? ]]> <!-- --> <![CDATA[ &lt; &amp; &#13; &#x0; &#xD800;',
    '&#x10FFFF; &#00065; 😀 中 key <key> </key> <key/> <count> </count> Header Body Get xmlns',
    'xsi:nil="1" <?xml ?> xml',
  ),
  ...[' ', '\t', '\r', '\n', '\r\n', '\0', '\x7f', '\x85', '\ufffe', '\ufeff'],
  ...[' xmlns=""', ` xmlns="${NS}"`, ' xmlns:t="urn:t"', ' xmlns:s="urn:t"'],
);

/** The items, beginning with another one. */
const order = <T>(items: readonly T[], turn: number): readonly T[] => [
  ...items.slice(turn),
  ...items.slice(0, turn),
];

/** An envelope as some client would write it. */
const envelope: fc.Arbitrary<string> = fc
  .record({
    declaration: fc.constantFrom(
      '',
      '<?xml version="1.0" encoding="utf-8"?>',
      "<?xml version='1.0'?>\n",
    ),
    uri: fc.constantFrom(SOAP11, SOAP11, SOAP12),
    soap: fc.constantFrom('soap:', 's:', 'SOAP-ENV:'),
    own: fc.constantFrom('', 't:', 'ns1:'),
    header: fc.constantFrom('', '', '<Header/>', '<Header></Header>', '<Header> </Header>'),
    space: fc.constantFrom('', '', '\n  ', '\r\n'),
    operation: fc.constantFrom('Put', 'Put', 'Get'),
    values: fc.record(
      {
        key: fc.oneof(fc.string({ maxLength: 21 }), fc.constantFrom('a', ' ', '')),
        text: fc.oneof(fc.string({ unit: CHARACTER }), fc.constantFrom('&', 'a\r\nb', ']]', '😀')),
        count: fc.oneof(fc.integer().map(String), fc.constantFrom('', ' 7 ', 'x', '99999999999')),
        public: fc.constantFrom('true', '0', ' 1 ', 'yes', ''),
        due: fc.constantFrom('2030-01-31T00:00:00Z', '2030-01-31', '', 'soon'),
      },
      { requiredKeys: [] },
    ),
    empty: fc.constantFrom('/>', ' />', '></'),
    turn: fc.nat(4),
  })
  .map(({ declaration, uri, soap, own, header, space, operation, values, empty, turn }) => {
    const escaped = (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\r', '&#xD;');
    const inside = order(Object.entries(values), turn).map(([name, value]) => {
      if (value !== '') return `<${own}${name}>${escaped(value)}</${own}${name}>`;
      return empty === '></' ? `<${own}${name}></${own}${name}>` : `<${own}${name}${empty}`;
    });
    const declare = own === '' ? `xmlns="${NS}"` : `xmlns:${own.slice(0, -1)}="${NS}"`;
    const parts = [
      `<${soap}Envelope xmlns:${soap.slice(0, -1)}="${uri}">`,
      header.replaceAll('Header', `${soap}Header`),
      `<${soap}Body>`,
      `<${own}${operation} ${declare}>`,
      ...inside,
      `</${own}${operation}>`,
      `</${soap}Body>`,
      `</${soap}Envelope>`,
    ];
    return declaration + parts.join(space);
  });

const message = fc.record({
  envelope,
  contentType: fc.constantFrom(
    TEXT_XML,
    TEXT_XML,
    'text/xml',
    'application/soap+xml; charset=utf-8',
    'text/xml; charset=latin1',
  ),
  soapAction: fc.constantFrom(`"${NS}/Put"`, `${NS}/Get`, undefined, '""'),
});

/** Cuts a part out of a text and puts something else there, some times. */
const mutations = fc.array(
  fc.record({ at: fc.nat(), cut: fc.constantFrom(0, 0, 1, 1, 2, 5), put: piece }),
  {
    minLength: 1,
    maxLength: 3,
  },
);

function mutate(
  text: string,
  changes: readonly { at: number; cut: number; put: string }[],
): string {
  return changes.reduce((changed, { at, cut, put }) => {
    const from = at % (changed.length + 1);
    return changed.slice(0, from) + put + changed.slice(from + cut);
  }, text);
}

test('generated envelopes are answered alike, whichever way they are read', async () => {
  const endpoint = echo();
  let fast = 0;
  await fc.assert(
    fc.asyncProperty(message, async (generated) => {
      if (isFast(generated)) fast++;
      await assertSame(endpoint, generated);
    }),
    { numRuns: RUNS },
  );
  assert.ok(fast > RUNS / 10, `${fast} of ${RUNS} went the fast path`);
});

test('mutated envelopes are answered alike, too, well-formed or not', async () => {
  const endpoint = echo();
  await fc.assert(
    fc.asyncProperty(message, mutations, async (generated, changes) => {
      await assertSame(endpoint, { ...generated, envelope: mutate(generated.envelope, changes) });
    }),
    { numRuns: RUNS },
  );
});

test('envelopes with any bytes changed are answered alike', async () => {
  const endpoint = echo();
  const change = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(message, change, async (generated, changes) => {
      const bytes = Buffer.from(generated.envelope);
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
      await assertSame(endpoint, { ...generated, envelope: bytes });
    }),
    { numRuns: RUNS },
  );
});
