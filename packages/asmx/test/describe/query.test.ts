import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { words } from '../../src/contract/words.ts';
import { parseDescriptionQuery } from '../../src/describe/query.ts';
import { assertProportional } from '../kit/growth.ts';

describe('a query for a description', () => {
  it('asks for the same, however it is written', () => {
    for (const [query, kind] of [
      ['wsdl', 'wsdl'],
      ['WSDL', 'wsdl'],
      ['%77sd%6C', 'wsdl'],
      ['x=1&wsdl', 'wsdl'],
      ['wsdl&foo', 'operations'],
      ['wsdl&', 'operations'],
      ['wsdl&b%69ndings=SOAP', 'soapWsdl'],
      ['disco', 'disco'],
      ['wsdl=', 'missing'],
      ['%73chema=x', 'missing'],
      ['%6Fp=A', 'operation'],
      ['', 'operations'],
      ['&', 'operations'],
    ] as const) {
      assert.equal(parseDescriptionQuery(query).kind, kind, query);
    }
    assert.equal(parseDescriptionQuery('singleWsdl').kind, 'operations');
    assert.equal(parseDescriptionQuery('singleWsdl', true).kind, 'wsdl');
    assert.equal(parseDescriptionQuery('xsd=xsd0').kind, 'operations');
    assert.equal(parseDescriptionQuery('xsd=xsd0', true).kind, 'missing');
    assert.deepEqual(parseDescriptionQuery('op=A+B&OP=%C3%A9'), {
      kind: 'operation',
      name: 'A B,é',
    });
  });

  it('growth: takes time in proportion to its length, and little of it', async () => {
    for (const part of words('& %& %41& a=1& op=& op=%41& wsdl& +& =& % op=%')) {
      const work = (count: number) => parseDescriptionQuery(part.repeat(count));
      await assertProportional(work, 400_000, part);
    }
  });
});
