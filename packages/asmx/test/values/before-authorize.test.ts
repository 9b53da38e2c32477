import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  array,
  attribute,
  content,
  createEndpoint,
  dataTable,
  dateTime,
  extended,
  header,
  object,
  operation,
  ServiceError,
  service,
  string,
} from '../../src/index.ts';
import { mtomRequest, serve, soap } from './kit.ts';

const NS = 'urn:before';
const Inner = object('Inner', {
  at: dateTime,
  list: array(dateTime),
  flat: array(dateTime, { flat: true }),
});
const Outer = object('Outer', { when: attribute(dateTime), inner: Inner, many: array(Inner) });
const Text = object('Text', { value: content(dateTime) });
const Derived = extended(Outer, 'Derived', { last: dateTime });

const S = service('Before', {
  namespace: NS,
  operations: {
    Scalar: operation({ input: { at: dateTime }, result: string }),
    List: operation({ input: { at: array(dateTime) }, result: string }),
    Flat: operation({ input: { at: array(dateTime, { flat: true }) }, result: string }),
    Object: operation({ input: { outer: Outer }, result: string }),
    Derived: operation({ input: { outer: Derived }, result: string }),
    Text: operation({ input: { text: Text }, result: string }),
    Table: operation({ input: { table: dataTable }, result: string }),
    Rpc: operation({ input: { outer: Outer }, result: string, style: 'rpc' }),
    Bare: operation({ input: { outer: Outer }, result: string, style: 'bare' }),
    Headed: operation({
      input: { at: dateTime },
      result: string,
      headers: { in: { Who: header({ name: string }) } },
    }),
  },
});

/** A time without a day is of today: whoever converts it asks which day that is. */
const AT = '07:08';
const INNER = `<at>${AT}</at><list><dateTime>${AT}</dateTime><dateTime>${AT}</dateTime></list><flat>${AT}</flat><flat>${AT}</flat>`;
const OUTER = `<outer when="${AT}"><inner>${INNER}</inner><many><Inner>${INNER}</Inner></many></outer>`;
const DIFFGRAM =
  '<s:schema xmlns:s="http://www.w3.org/2001/XMLSchema"><s:element name="D"><s:complexType><s:choice><s:element name="T"><s:complexType><s:sequence><s:element name="at" type="s:dateTime"/></s:sequence></s:complexType></s:element></s:choice></s:complexType></s:element></s:schema>' +
  `<d:diffgram xmlns:d="urn:schemas-microsoft-com:xml-diffgram-v1"><D xmlns=""><T><at>${AT}</at></T></D></d:diffgram>`;

/** Calls by SOAP, with how many times each converts at least. */
const SOAP: Readonly<Record<string, readonly [body: string, times: number, header?: string]>> = {
  Scalar: [`<Scalar xmlns="${NS}"><at>${AT}</at></Scalar>`, 1],
  List: [
    `<List xmlns="${NS}"><at><dateTime>${AT}</dateTime><dateTime>${AT}</dateTime></at></List>`,
    2,
  ],
  Flat: [`<Flat xmlns="${NS}"><at>${AT}</at><at>${AT}</at></Flat>`, 2],
  Object: [`<Object xmlns="${NS}">${OUTER}</Object>`, 11],
  Derived: [
    `<Derived xmlns="${NS}">${OUTER.replace('</outer>', `<last>${AT}</last></outer>`)}</Derived>`,
    12,
  ],
  Text: [`<Text xmlns="${NS}"><text>${AT}</text></Text>`, 1],
  Table: [`<Table xmlns="${NS}"><table>${DIFFGRAM}</table></Table>`, 1],
  Rpc: [`<m:Rpc xmlns:m="${NS}">${OUTER}</m:Rpc>`, 1],
  Bare: [OUTER.replace('<outer', `<Bare xmlns="${NS}"`).replace('</outer>', '</Bare>'), 11],
  Headed: [
    `<Headed xmlns="${NS}"><at>${AT}</at></Headed>`,
    1,
    `<Who xmlns="${NS}"><name>ann</name></Who>`,
  ],
};
const INNER_JSON = { at: AT, list: [AT, AT], flat: [AT, AT] };
const OUTER_JSON = { when: AT, inner: INNER_JSON, many: [INNER_JSON] };
const JSON_CALLS: Readonly<Record<string, readonly [body: object, times: number]>> = {
  Scalar: [{ at: AT }, 1],
  List: [{ at: [AT, AT] }, 2],
  Object: [{ outer: OUTER_JSON }, 11],
  Text: [{ text: { value: AT } }, 1],
};

async function counting(test: { after(close: () => unknown): void }) {
  const seen = { conversions: 0, asked: 0, letsIn: false };
  const handlers = Object.fromEntries(S.operations.map(({ name }) => [name, () => 'done']));
  const endpoint = createEndpoint(S, {
    path: '/Before.asmx',
    bindings: ['soap11', 'soap12', 'get', 'post', 'json'],
    now: () => {
      seen.conversions++;
      return 0;
    },
    authorize: async () => {
      seen.asked++;
      assert.equal(seen.conversions, 0, 'something was converted before');
      if (!seen.letsIn) throw new ServiceError('Unauthorized', 'You may not.');
    },
    handlers: handlers as never,
  });
  return { seen, url: `${await serve(test, endpoint)}/Before.asmx` };
}

describe('nothing but the credential is converted before a call is let in', () => {
  const calls: (readonly [string, number, (url: string) => Promise<string>])[] = [
    ...(['1.1', '1.2'] as const).flatMap((version) =>
      Object.entries(SOAP).map(
        ([name, [body, times, head]]) =>
          [
            `SOAP ${version}, ${name}`,
            times,
            async (url: string) =>
              (
                await soap(url, body, {
                  version,
                  ...(head && { header: head }),
                  action: `${NS}/${name}`,
                })
              ).text,
          ] as const,
      ),
    ),
    ...Object.entries(JSON_CALLS).map(
      ([name, [body, times]]) =>
        [
          `JSON, ${name}`,
          times,
          async (url: string) => {
            const headers = { 'Content-Type': 'application/json' };
            return (
              await fetch(`${url}/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
            ).text();
          },
        ] as const,
    ),
    ['GET', 1, async (url) => (await fetch(`${url}/Scalar?at=${AT}`)).text()],
    ['GET of a list', 2, async (url) => (await fetch(`${url}/List?at=${AT}&at=${AT}`)).text()],
    [
      'POST',
      1,
      async (url) =>
        (
          await fetch(`${url}/Scalar`, { method: 'POST', body: new URLSearchParams({ at: AT }) })
        ).text(),
    ],
    [
      'multipart',
      1,
      async (url) => {
        const body = new FormData();
        body.append('at', AT);
        return (await fetch(`${url}/Scalar`, { method: 'POST', body })).text();
      },
    ],
    ['MTOM', 11, async (url) => (await fetch(url, mtomRequest(SOAP.Object![0]))).text()],
  ];
  for (const [name, times, call] of calls) {
    it(name, async (test) => {
      const { seen, url } = await counting(test);
      assert.match(await call(url), /Unauthorized|You may not/);
      assert.deepEqual(
        [seen.asked, seen.conversions],
        [1, 0],
        'who is refused costs no conversion',
      );
      seen.letsIn = true;
      assert.match(await call(url), /done/);
      assert.ok(seen.conversions >= times, `${seen.conversions} conversions, at least ${times}`);
    });
  }
});
