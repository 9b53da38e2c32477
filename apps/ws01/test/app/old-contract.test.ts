import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { compare, lineOf, type ReadContract, readWsdlText, servedContract } from '@ws01/asmx-tools';
import { WS01 } from '../../src/contract/service.ts';

/** This service's contract, as its own WSDL shows it. */
const ourContract = (namespace: string) =>
  servedContract(WS01, { namespace, baseUrl: 'http://localhost', path: '/WS01.asmx' });

async function compared(old: string, ours: ReadContract) {
  return compare((await readWsdlText(old, 'old')).service, ours.service);
}

const lines = async (old: string, ours: ReadContract) =>
  (await compared(old, ours)).differences.map(lineOf);

/** ASP.NET's own WSDL of the contract of this service. */
async function recorded(): Promise<string> {
  const answer = await readFile('apps/ws01/test/golden/meta/wsdl.res', 'utf8');
  return answer.slice(answer.indexOf('<?xml'));
}

const OURS = await ourContract('http://tempuri.org/ws01');

describe("ASP.NET's WSDL of the service beside ours", () => {
  test('has no difference that a client would notice', async () => {
    const comparison = await compared(await recorded(), OURS);
    assert.deepEqual(comparison.differences, []);
    assert.deepEqual(comparison.unnoticed, []);
    assert.equal(comparison.same, true);
    assert.equal(comparison.addresses.length, 4);
  });

  test('has one where the namespace is another, however often it stands there', async () => {
    for (const namespace of ['urn:ws01', 'http://tempuri.org/ws01/', 'http://tempuri.org/']) {
      const ours = await ourContract(namespace);
      assert.deepEqual(await lines(await recorded(), ours), [
        `namespace: http://tempuri.org/ws01, ours ${namespace} (SOAP clients would notice)`,
      ]);
    }
  });

  /** Every parameter and result of the schema is changed, each in one of four ways. */
  test('shows each change of each element, naming operation and element', async () => {
    const old = await recorded();
    const schema = old.slice(0, old.indexOf('</s:schema>'));
    const elements = [
      ...schema.matchAll(
        /<s:element minOccurs="(.)" maxOccurs="1" name="(\w+)" type="s:(\w+)" \/>/g,
      ),
    ];
    assert.ok(elements.length > 120);
    for (const [number, { 0: text, 1: least, 2: name, 3: type, index }] of elements.entries()) {
      const operation = old.slice(0, index).match(/.*<s:element name="(\w+?)(Response)?">/s)?.[1];
      const subject = name === `${operation}Result` ? 'result' : `parameter ${name}`;
      const [other, count] = [type === 'long' ? 'int' : 'long', least === '0' ? '1' : '0'];
      const changes: readonly (readonly [string, string])[] = [
        [text.replace(`s:${type}`, `s:${other}`), `: ${other}, ours ${type} (`],
        [
          text.replace(`minOccurs="${least}"`, `minOccurs="${count}"`),
          count === '1' ? ': always there, ours ' : ': may be absent, ours ',
        ],
        [text.replace(' />', ' nillable="true" />'), ': may be nil, ours never nil ('],
        [text.replace('maxOccurs="1"', 'maxOccurs="unbounded"'), ': repeated, ours once ('],
      ];
      const [changed, told] = changes[number % changes.length]!;
      const [line, more] = await lines(
        old.slice(0, index) + changed + old.slice(index + text.length),
        OURS,
      );
      assert.equal(more, undefined);
      assert.ok(
        line?.startsWith(`${operation}: ${subject}${told}`),
        `${line} does not say ${subject}${told}`,
      );
    }
  });

  const changes: readonly (readonly [
    what: string,
    from: RegExp,
    to: string,
    told: readonly string[],
  ])[] = [
    [
      'another parameter name',
      /name="fromUrl"/,
      'name="FromUrl"',
      ['InsertArticle: parameter FromUrl: FromUrl, ours fromUrl (SOAP clients would notice)'],
    ],
    [
      'a parameter more',
      /(<s:element [^>]*name="fromUrl"[^>]*>)/,
      '$1<s:element minOccurs="0" name="extra" type="s:int"/>',
      ['InsertArticle: parameter extra: int, ours none (every client would notice)'],
    ],
    [
      'a parameter less',
      /<s:element [^>]*name="fromUrl"[^>]*>/,
      '',
      [
        'InsertArticle: parameter fromUrl: none, ours string (clients with generated types would notice)',
      ],
    ],
    [
      'another order',
      /(<s:element [^>]*name="Status"[^>]*>)\s*(<s:element [^>]*name="fromUrl"[^>]*>)/,
      '$2$1',
      [
        'InsertArticle: order: token, guid, caption, content, categoryGuid, contactPhone, pinnedTopDueDate, CreateUserId, IconGuid, fromUrl, Status, ours token, guid, caption, content, categoryGuid, contactPhone, pinnedTopDueDate, CreateUserId, IconGuid, Status, fromUrl (clients that go by position would notice)',
      ],
    ],
    [
      'another result name',
      /name="InsertArticleResult"/,
      'name="result"',
      ['InsertArticle: result: result, ours InsertArticleResult (SOAP clients would notice)'],
    ],
    [
      'another action',
      /soapAction="http:\/\/tempuri.org\/ws01\/InsertArticle"/,
      'soapAction="urn:insert"',
      [
        'InsertArticle: SOAPAction: "urn:insert", ours "http://tempuri.org/ws01/InsertArticle" (SOAP clients would notice)',
      ],
    ],
    [
      'unqualified elements',
      /elementFormDefault="qualified"/,
      'elementFormDefault="unqualified"',
      [],
    ],
  ];
  for (const [what, from, to, told] of changes) {
    test(what, async () => {
      const found = await lines((await recorded()).replace(from, to), OURS);
      if (told.length > 0) assert.deepEqual(found, told);
      else assert.ok(found.length > 100 && found.every((line) => line.includes('no namespace')));
    });
  }

  test('an operation that only the old one has counts, one that only ours has does not', async () => {
    const renamed = (await recorded()).replaceAll(/"((tns:)?)CreateVerifyCode"/g, '"$1CreateCode"');
    const { differences, unnoticed } = await compared(renamed, OURS);
    assert.deepEqual(differences.map(lineOf), [
      'CreateCode: an operation, ours none (every client of it would notice)',
    ]);
    assert.deepEqual(unnoticed.map(lineOf), [
      'CreateVerifyCode: none, ours an operation (no old client would notice)',
    ]);
  });

  test('a binding that only the old one has counts, one that only ours has does not', async () => {
    const old = await recorded();
    const ports = OURS.service.ports.filter(({ kind }) => kind !== 'get');
    const withoutGet = { ...OURS, service: { ...OURS.service, ports } };
    assert.deepEqual(await lines(old, withoutGet), [
      'binding HTTP GET: offered, ours none (HTTP GET clients would notice)',
    ]);
    const { same, unnoticed } = await compared(
      old.replace(/<wsdl:port name="WS01HttpGet".*?<\/wsdl:port>/s, ''),
      OURS,
    );
    assert.equal(same, true);
    assert.deepEqual(unnoticed.map(lineOf), [
      'binding HTTP GET: none, ours offered (no old client would notice)',
    ]);
  });
});
