import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonRequest } from '../../../../packages/asmx/test/kit/http.ts';
import { WS01 } from '../../src/contract/service.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService, TOKEN } from '../kit/service.ts';

/** As somebody who tries one page after the other would call them: a code is asked for first, what is deleted comes last. */
const FIRST = ['CreateVerifyCode'];
const LAST = ['DeleImgById', 'DeleteArticleByGuid'];
const placeOf = ({ name }: { readonly name: string }) =>
  FIRST.includes(name) ? 0 : LAST.includes(name) ? 2 : 1;

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a result is like, whatever its values: the members of objects, the forms of texts. */
function shapeOf(result: string): unknown {
  if (/^[[{]/.test(result)) return shapeOfJson(JSON.parse(result));
  if (GUID.test(result)) return 'a GUID';
  if (/^https?:/.test(result)) return 'an address';
  return result.replaceAll(/\d/g, '0');
}

function shapeOfJson(value: unknown): unknown {
  // One of several: what is absent tells nothing of what else it can be.
  if (value === null) return 'anything';
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOfJson);
  if (typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value!).map(([name, member]) => [name, shapeOfJson(member)]),
    );
  }
  if (typeof value !== 'string') return typeof value;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return 'an instant';
  return /^https?:/.test(value) ? 'an address' : 'a text';
}

const isObject = (shape: unknown): shape is Record<string, unknown> => typeof shape === 'object';

/** The example with what the answer does not have (`null`) left open, and the other way round. */
function assertAlike(example: unknown, live: unknown, what: string): void {
  if (example === 'anything' || live === 'anything') return;
  if (!isObject(example) || !isObject(live)) {
    assert.deepEqual(live, example, what);
    return;
  }
  assert.deepEqual(Object.keys(live).toSorted(), Object.keys(example).toSorted(), what);
  for (const [name, member] of Object.entries(example))
    assertAlike(member, live[name], `${what}.${name}`);
}

test('the sample values of the pages work one after the other, and what comes back is what the pages say', async (t) => {
  const service = await startService(t);
  for (const { name, parameters, help } of WS01.operations.toSorted(
    (a, b) => placeOf(a) - placeOf(b),
  )) {
    const fields = Object.fromEntries(
      parameters.map((parameter) => {
        const file =
          parameter.type === 'base64Binary' ? blackPng(8, 8).toString('base64') : undefined;
        return [parameter.name, 'credential' in parameter ? TOKEN : (file ?? parameter.sample)];
      }),
    );
    const answer = await fetch(`${service.url}/WS01.asmx/${name}`, jsonRequest(fields));
    const body = await answer.text();
    assert.equal(answer.status, 200, `${name}: ${body}`);
    const { d } = JSON.parse(body);
    assertAlike(
      shapeOf(help!.example),
      shapeOf(typeof d === 'string' ? d : JSON.stringify(d)),
      `${name}: ${d}`,
    );
  }
});
