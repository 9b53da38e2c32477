import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { disco } from '../../../../packages/asmx/src/describe/disco.ts';
import { WS01 } from '../../src/contract/service.ts';
import { canonicalXml, differences } from './kit/canonical-xml.ts';
import { goldenBody } from './kit/golden.ts';

suite('DISCO', () => {
  test("is ASP.NET's, without a difference", () => {
    const place = {
      namespace: 'http://tempuri.org/ws01',
      baseUrl: 'http://127.0.0.1:18080',
      path: '/WS01.asmx',
    };
    const text = disco(WS01, place);
    assert.deepEqual(differences(canonicalXml(text), canonicalXml(goldenBody('meta/disco'))), []);
    assert.equal(text.replaceAll('\r\n', '\n'), goldenBody('meta/disco'));
  });
});
