import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  type BindingForm,
  checkText,
  formatInstant,
  LexicalError,
  parseBoolean,
  parseDateText,
  parseDateTime,
  parseInt32,
} from '../../../../packages/asmx/src/lexical/index.ts';
import { Ws01Error } from '../../src/contract/errors.ts';
import { NO_DATES } from '../../src/contract/parameters.ts';
import type { CallContext } from '../../src/domain/context.ts';
import { readTarget } from '../../src/domain/links/target.ts';
import { parseAddress } from '../../src/domain/values/email-address.ts';
import { parseNamedAddress } from '../../src/domain/values/internet-address.ts';
import { optionalKey } from '../../src/domain/values/keys.ts';
import { pageOf } from '../../src/domain/values/paging.ts';
import { normalizePhone } from '../../src/domain/values/phone.ts';
import { optionalHttpUrl } from '../../src/domain/values/web-url.ts';
import { type ValueRow, valueTables } from '../kit/value-tables.ts';

const context = (form: BindingForm) => ({
  form,
  timeZone: 'Asia/Shanghai',
  now: () => Date.UTC(2024, 2, 15, 3, 4, 5),
  notGiven: NO_DATES,
});
const instant = (value: number | undefined) =>
  value === undefined ? undefined : formatInstant(value);
const text = {
  name: 'caption',
  type: 'string',
  documentation: '',
  sample: '',
  maxLength: 12,
  singleLine: true,
} as const;
const rules = {
  baseUrl: () => 'https://short.example',
  shortBaseUrl: () => 'https://short.example/s',
};
const anybody: CallContext = {
  caller: { kind: 'anonymous', tokenId: undefined, userId: undefined },
  address: '192.0.2.1',
  requestId: 'r',
};

/** What the service makes of a written value, by the section of the page: the value, or `undefined` for "not given". */
type Reader = (written: string) => string | undefined | Promise<string | undefined>;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['Keys', (written) => optionalKey(written, 'guid')],
  ['Whole numbers', (written) => String(parseInt32(written))],
  ['Booleans in SOAP', (written) => String(parseBoolean(written, 'element'))],
  ['Booleans in GET, POST and JSON', (written) => String(parseBoolean(written, 'text'))],
  [
    'Dates and times',
    (written) => {
      const [inSoap, inText] = (['element', 'text'] as const).map((form) =>
        parseDateTime(written, context(form)),
      );
      assert.equal(inSoap, inText);
      return instant(inSoap);
    },
  ],
  ['Dates as text', (written) => instant(parseDateText(written, context('text')))],
  [
    'Text',
    (written) => {
      checkText(written, text);
      return written;
    },
  ],
  ['Phone numbers', (written) => normalizePhone(written, 'cellphone')],
  ['Phone numbers of a country', (written) => normalizePhone(written, 'cellphone', 'CN')],
  ['E-mail addresses', readAddress],
  ['Internet addresses', (written) => parseNamedAddress(written)],
  [
    'Pages',
    (written) => {
      const [index, size] = written.split('/').map((part) => part.trim());
      const page = pageOf(index, size);
      return `${page.index} / ${page.size}`;
    },
  ],
  ['Web addresses', (written) => optionalHttpUrl(written, 'linkUrl')],
  [
    'Targets of short links',
    (written) => readTarget(written, '_orgUrl', rules, anybody, { find: async () => undefined }),
  ],
]);

function readAddress(written: string): string {
  const parsed = parseAddress(written);
  if (parsed.kind === 'several')
    throw new Ws01Error('MassMailNotAllowed', 'More than one address.');
  if (parsed.kind === 'invalid') throw new Ws01Error('InvalidParameter', parsed.reason);
  return parsed.address;
}

const REFUSALS = new Map([
  ['InvalidParameter', 'refused'],
  ['MassMailNotAllowed', 'several'],
  ['DestinationBlocked', 'blocked'],
]);

/** The outcome in the page's words. */
async function outcome(read: Reader, row: ValueRow): Promise<ValueRow['meaning']> {
  try {
    const value = await read(row.written);
    return value === undefined ? { verdict: 'not given' } : { value };
  } catch (error) {
    if (error instanceof LexicalError) return { verdict: 'refused' };
    if (error instanceof Ws01Error) return { verdict: REFUSALS.get(error.code) ?? error.code };
    throw error;
  }
}

describe('docs/values.md says what the service does', () => {
  const tables = valueTables(
    readFileSync(new URL('../../../../docs/values.md', import.meta.url), 'utf8'),
  );

  it('has a table for every kind of value, and no other', () => {
    assert.deepEqual(new Set(tables.keys()), new Set(READERS.keys()));
  });

  for (const [section, rows] of tables) {
    describe(section, () => {
      for (const row of rows) {
        it(`line ${row.line}: ${JSON.stringify(row.written)}`, async () => {
          assert.deepEqual(await outcome(READERS.get(section)!, row), row.meaning);
        });
      }
    });
  }
});
