import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { bodyOf, difference } from '../../../asmx/test/kit/xml-equal.ts';
import { readWsdlText } from '../../src/from/index.ts';
import { served } from './kit/served.ts';

/** A request that a WCF client of .NET 10 sent. */
interface Recorded {
  readonly id: string;
  readonly path: string;
  readonly contentType: string;
  readonly soapAction: string | null;
  readonly request: string;
}

const file = (name: string) => readFile(new URL(`dotnet/${name}`, import.meta.url));
const recorded: Recorded[] = JSON.parse(gunzipSync(await file('recorded.json.gz')).toString());

for (const name of ['orders', 'customers']) {
  test(`an imported service of .NET answers each value of ${name} as it was sent`, async (t) => {
    const wsdl = (await file(`${name}.wsdl`)).toString();
    const { service } = await readWsdlText(wsdl, `${name}.wsdl`);
    const echo = (input: Readonly<Record<string, unknown>>) => Object.values(input)[0];
    const handlers = Object.fromEntries(service.operations.map((each) => [each.name, echo]));
    const url = await served(t, wsdl, handlers);
    const wrong: string[] = [];
    let equal = 0;
    for (const { id, path, contentType, soapAction, request } of recorded) {
      if (!path.includes(name)) continue;
      const action = Buffer.from(soapAction ?? '').toString('latin1');
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': contentType, ...(action === '' ? {} : { SOAPAction: action }) },
        body: request,
      });
      const text = await response.text();
      const given = bodyOf(request)[0]?.children ?? [];
      const answered = bodyOf(text)[0]?.children ?? [];
      const found =
        response.status !== 200
          ? `${response.status} ${text.replace(/<[^>]*>/g, ' ').slice(0, 200)}`
          : given.length !== answered.length
            ? `${given.length} values became ${answered.length}`
            : given.map((each, at) => difference(each, answered[at]!)).find((each) => each);
      if (found === undefined) equal++;
      else wrong.push(`${id}: ${found}`);
    }
    assert.ok(equal + wrong.length > 100);
    assert.equal(wrong.length, 0, `${equal} are equal, not:\n${wrong.join('\n')}`);
  });
}
