import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { words } from '../../src/contract/words.ts';
import {
  array,
  base64Binary,
  createEndpoint,
  dateTime,
  defineLimits,
  header,
  int,
  object,
  operation,
  service,
  string,
  voidResult,
} from '../../src/index.ts';
import { BY_NIGHT, someOf } from '../kit/lane.ts';
import { mtomRequest, serve, soap } from './kit.ts';

const NS = 'urn:one';
const Thing = object('Thing', { id: int });
const Extra = object('Extra', { note: string });
const User = header({ name: string });
const input = { title: string, file: base64Binary, n: int, at: dateTime } as const;

/** The same parameters with every kind of answer, and of message. */
const Contract = service('One', {
  namespace: NS,
  operations: {
    Text: operation({ input, result: string }),
    Number: operation({ input, result: int }),
    Date: operation({ input, result: dateTime }),
    Thing: operation({ input, result: Thing }),
    List: operation({ input, result: array(int) }),
    Nothing: operation({ input, result: voidResult }),
    Out: operation({ input, result: string, out: { more: int } }),
    Headed: operation({ input, result: string, headers: { in: { User } } }),
    Rpc: operation({ input, result: string, style: 'rpc' }),
    Wide: operation({ input: { ...input, extra: Extra }, result: string }),
  },
});
type Name = (typeof NAMES)[number];
const NAMES = words('Text Number Date Thing List Nothing Out Headed Rpc Wide');
/** GET and POST carry no objects. */
const IN_FORMS = NAMES.filter((name) => name !== 'Wide');

const LIMITS = { bodyBytes: 64 * 1024, binaryBytes: 512 * 1024 };
/** On both sides of a piece of text, of the limit of other bodies, and of that of a file. */
const SIZES = [0, 1, 1000, 64 * 1024, 65_537, 512 * 1024];

interface Seen {
  readonly file: number | undefined;
  readonly n: number;
}

function endpointOf(seen: Seen[]) {
  const note = ({ file, n }: { readonly file?: Uint8Array | undefined; readonly n: number }) => {
    seen.push({ file: file?.length, n });
  };
  const returning =
    <R>(result: R) =>
    (given: { readonly file?: Uint8Array | undefined; readonly n: number }) => {
      note(given);
      return result;
    };
  return createEndpoint(Contract, {
    path: '/One.asmx',
    limits: defineLimits(LIMITS),
    handlers: {
      Text: returning('x'),
      Number: returning(1),
      Date: returning(new Date(0)),
      Thing: returning({ id: 1 }),
      List: returning([1]),
      Nothing: returning(undefined),
      Out: returning({ value: 'x', out: { more: 1 } }),
      Headed: returning('x'),
      Rpc: returning('x'),
      Wide: returning('x'),
    },
  });
}

interface Given {
  readonly title?: string;
  readonly file?: Uint8Array;
  readonly n?: string;
  readonly at?: string;
}

interface Told {
  readonly status: number;
  readonly code: string | null;
  readonly parameter: string | undefined;
}

const told = async (response: Response): Promise<Told> => ({
  status: response.status,
  code: response.headers.get('x-error-code'),
  parameter: /<parameter>([^<]*)<|"parameter":"([^"]*)"/
    .exec(await response.text())
    ?.slice(1)
    .find(Boolean),
});

const elementOf = (name: Name, xml: string) =>
  name === 'Rpc'
    ? `<m:Rpc xmlns:m="${NS}">${xml}</m:Rpc>`
    : `<${name} xmlns="${NS}">${xml}</${name}>`;

const textOf = (value: string | Uint8Array): string =>
  typeof value === 'string' ? value : Buffer.from(value).toString('base64');

const textsOf = (given: Given): [name: string, text: string][] =>
  Object.entries(given)
    .toReversed()
    .map(([key, value]) => [key, textOf(value)]);

/** Each way to call an operation; the last parameter comes first, so that an order is seen to be the contract's. */
const BINDINGS: Readonly<Record<string, (url: string, name: Name, given: Given) => Promise<Told>>> =
  {
    ...Object.fromEntries(
      (['1.1', '1.2'] as const).map((version) => [
        `SOAP ${version}`,
        async (url: string, name: Name, given: Given) => {
          const xml = textsOf(given).map(([key, text]) => `<${key}>${text}</${key}>`);

          const { status, headers, text } = await soap(url, elementOf(name, xml.join('')), {
            version,
          });
          return {
            status,
            code: headers.get('x-error-code'),
            parameter: /<parameter>([^<]*)</.exec(text)?.[1],
          };
        },
      ]),
    ),
    MTOM: async (url, name, given) => {
      const { file, ...others } = given;
      const parts = Object.entries(others).toReversed();
      const include = '<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:f"/>';
      const xml = `<file>${include}</file>${parts.map(([key, value]) => `<${key}>${value}</${key}>`).join('')}`;
      return told(
        await fetch(url, mtomRequest(elementOf(name, xml), { parts: { f: file ?? '' } })),
      );
    },
    JSON: async (url, name, given) => {
      const body = JSON.stringify(Object.fromEntries(textsOf(given)));
      const headers = { 'Content-Type': 'application/json' };
      return told(await fetch(`${url}/${name}`, { method: 'POST', headers, body }));
    },
    POST: async (url, name, given) => {
      const body = new URLSearchParams(textsOf(given));
      return told(await fetch(`${url}/${name}`, { method: 'POST', body }));
    },
    multipart: async (url, name, given) => {
      const form = new FormData();
      for (const [key, value] of Object.entries(given).toReversed())
        form.append(key, typeof value === 'string' ? value : new Blob([value]));
      return told(await fetch(`${url}/${name}`, { method: 'POST', body: form }));
    },
  };

for (const [binding, call] of Object.entries(BINDINGS)) {
  describe(`${binding}: parameters are read alike, whatever the answer is`, () => {
    const names = binding === 'POST' || binding === 'multipart' ? IN_FORMS : NAMES;

    it('a file of any size up to its limit is taken', async (test) => {
      const seen: Seen[] = [];
      const url = `${await serve(test, endpointOf(seen))}/One.asmx`;
      for (const [at, name] of names.entries()) {
        // By day every third size, the next operation others.
        for (const size of SIZES.filter((_, index) => BY_NIGHT || (index + at) % 3 === 0)) {
          seen.length = 0;
          const answer = await call(url, name, { file: new Uint8Array(size).fill(7), n: '3' });
          assert.deepEqual(
            [answer.code, seen],
            [null, [{ file: size, n: 3 }]],
            `${name}, ${size} bytes`,
          );
        }
      }
      for (const name of someOf(names, 3)) {
        const { code } = await call(url, name, { file: new Uint8Array(512 * 1024 + 1), n: '3' });
        assert.equal(code, 'TooLarge', name);
      }
    });

    it('what cannot be read is refused before the handler runs: the first in the order of the contract', async (test) => {
      const seen: Seen[] = [];
      const url = `${await serve(test, endpointOf(seen))}/One.asmx`;
      for (const name of names) {
        for (const [given, parameter] of [
          [{ n: 'abc' }, 'n'],
          [{ n: '1', at: 'soon' }, 'at'],
          [{ n: 'abc', at: 'soon' }, 'n'],
          [{ n: '', at: '2024-02-30' }, 'at'],
        ] as const) {
          const answer = await call(url, name, { title: 't', file: new Uint8Array(3), ...given });
          assert.deepEqual([answer.code, answer.parameter], ['InvalidParameter', parameter], name);
        }
      }
      assert.deepEqual(seen, []);
    });
  });
}

it('a text that a handler does not give is left out, as .NET leaves out null, whatever else the contract has', async (test) => {
  const Only = service('Only', {
    namespace: NS,
    operations: { Get: operation({ input: {}, result: string }) },
  });
  for (const nothing of [null, undefined]) {
    const endpoint = createEndpoint(Only, { path: '/Only.asmx', handlers: { Get: () => nothing } });
    const url = `${await serve(test, endpoint)}/Only.asmx`;
    assert.equal((await soap(url, `<Get xmlns="${NS}"/>`)).body, `<GetResponse xmlns="${NS}" />`);
    const get = await fetch(`${url}/Get`);
    assert.match(await get.text(), /<string [^>]*xsi:nil="true"[^>]* \/>$/);
    const json = await fetch(`${url}/Get`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
    });
    assert.equal(await json.text(), '{"d":null}');
  }
});
