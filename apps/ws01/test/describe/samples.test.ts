import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WS01 } from '../../src/contract/service.ts';
import { blackPng } from '../kit/images/containers.ts';
import { startService, TOKEN } from '../kit/service.ts';

/** As somebody who tries one page after the other would call them: what is deleted comes last. */
const LAST = ['DeleImgById', 'DeleteArticleByGuid'];

test('the sample values of the pages work one after the other', async (t) => {
  const service = await startService(t);
  const first = WS01.operations.filter(({ name }) => !LAST.includes(name));
  const last = WS01.operations.filter(({ name }) => LAST.includes(name));
  for (const { name, parameters } of [...first, ...last]) {
    const fields = new URLSearchParams();
    for (const parameter of parameters) {
      const isCredential = 'credential' in parameter;
      const file = parameter.type === 'base64Binary' ? blackPng(8, 8).toString('base64') : undefined;
      fields.set(parameter.name, isCredential ? TOKEN : (file ?? parameter.sample));
    }
    const answer = await fetch(`${service.url}/WS01.asmx/${name}`, { method: 'POST', body: fields });
    assert.equal(answer.status, 200, `${name}: ${await answer.text()}`);
  }
});
