import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soap } from '../../../asmx/test/values/kit.ts';
import { wsdlOf } from './kit/documents.ts';
import { served } from './kit/served.ts';

const action = 'urn:old/Ask';
const DOORS = 'xmlns:u="urn:other" xmlns="urn:old"';

/** Serves an echo of a type. @returns what came back of a value of it. */
async function echoed(
  test: { after(close: () => unknown): void },
  { type, value }: Readonly<Record<'type' | 'value', string>>,
): Promise<string> {
  const v = '<s:element name="v" type="t:Open"/>';
  const schema = `<s:complexType name="Open">${type}</s:complexType>`;
  const url = await served(test, wsdlOf({ schema, asks: v, answers: v }), { Ask: ({ v }) => v });
  const { body } = await soap(url, `<Ask ${DOORS}>${value}</Ask>`, { action });
  return body.replace(/^<AskResponse xmlns="urn:old">|<\/AskResponse>$/g, '');
}

const CONTENT = '<v n="1" more="2">text<q xmlns="urn:old">1</q><u:r xmlns:u="urn:other" /></v>';

test('what extends xs:anyType and says no elements has any of them', async (t) => {
  const type = `<s:complexContent><s:extension base="s:anyType"><s:attribute name="n" type="s:int"/></s:extension></s:complexContent>`;
  const value = '<v n="1" more="2">text<q>1</q><u:r/></v>';
  assert.equal(await echoed(t, { type, value }), CONTENT);
});

test('each of two places for any elements keeps what stood in it', async (t) => {
  const any =
    '<s:any namespace="##other" processContents="skip" minOccurs="0" maxOccurs="unbounded"/>';
  const type = `<s:sequence>${any}<s:element name="a" type="s:int"/>${any}</s:sequence>`;
  const [first, second] = ['<u:r xmlns:u="urn:other" />', '<u:s xmlns:u="urn:other" />'];
  for (const [before, behind] of [
    ['', first],
    [first, ''],
    [first + first, second],
  ]) {
    const value = `<v>${before}<a>1</a>${behind}</v>`;
    assert.equal(await echoed(t, { type, value }), value);
  }
});
