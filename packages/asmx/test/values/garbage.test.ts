import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  array,
  base64Binary,
  createEndpoint,
  int,
  object,
  operation,
  service,
  string,
} from '../../src/index.ts';
import { ask } from '../kit/ask.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

const PATH = '/Garbage.asmx';
const NAMESPACE = 'urn:garbage';
const CALLS = 10;
/** Some may be met on a stack, or in a promise that is about to be forgotten; what is held among old objects is there every time. */
const MOST_LEFT = CALLS / 2;

const Item = object('Item', { id: int, name: string, bytes: base64Binary });
const Garbage = service('Garbage', {
  namespace: NAMESPACE,
  operations: {
    Objects: operation({ input: { items: array(Item) }, result: int }),
    Numbers: operation({ input: { items: array(int) }, result: int }),
  },
});

const xml = `<?xml version="1.0"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><Objects xmlns="${NAMESPACE}"><items><Item><id>1</id><name>a</name><bytes>AAAA</bytes></Item></items></Objects></soap:Body></soap:Envelope>`;
const WAYS = {
  SOAP: { place: '', type: 'text/xml; charset=utf-8', body: xml },
  MTOM: {
    place: '',
    type: 'multipart/related; type="application/xop+xml"; start-info="text/xml"; boundary=b',
    body: `--b\r\nContent-Type: application/xop+xml; type="text/xml"; charset=utf-8\r\n\r\n${xml}\r\n--b--\r\n`,
  },
  JSON: { place: '/Objects', type: 'application/json', body: '{"items":[{"id":1,"name":"a"}]}' },
  form: { place: '/Numbers', type: 'application/x-www-form-urlencoded', body: 'items=1&items=2' },
};

describe('what a call has read is gone with the next young collection, and waits for no full one', () => {
  for (const [way, { place, type, body }] of Object.entries(WAYS)) {
    it(way, async () => {
      const read: WeakRef<object>[] = [];
      const take = ({ items }: { readonly items?: readonly unknown[] | undefined }) => {
        read.push(new WeakRef(items!));
        return items!.length;
      };
      const endpoint = createEndpoint(Garbage, {
        path: PATH,
        handlers: { Objects: take, Numbers: take },
      });
      const target = PATH + place;
      const call = async () => {
        const headers = { 'content-type': type, soapaction: `"${NAMESPACE}/Objects"` };
        const answer = await ask(endpoint, { target, headers, body });
        assert.equal(answer.status, 200, String(answer.body));
      };
      // The first calls make what all use, which grows old.
      await call();
      collect();
      read.length = 0;
      for (let count = 0; count < CALLS; count++) {
        await call();
        await turn();
        collect({ type: 'minor' });
      }
      await turn();
      collect({ type: 'minor' });
      const left = read.filter((each) => each.deref() !== undefined).length;
      assert.equal(read.length, CALLS);
      assert.ok(left <= MOST_LEFT, `${left} of ${CALLS} are still there`);
    });
  }
});
