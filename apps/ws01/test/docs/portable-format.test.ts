import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  PORTABLE_PAGE,
  PORTABLE_SCHEMA,
  schemaText,
  withKinds,
} from '../../../../scripts/spec/portable-page.ts';
import { KINDS, NOT_PORTABLE } from '../../src/domain/portable/kinds.ts';
import { portableSchema } from '../../src/domain/portable/schema.ts';
import { TABLE_NAMES } from '../../src/store/tables/tables.ts';
import { blackPng } from '../kit/images/containers.ts';
import { everyKind } from '../kit/portable-records.ts';

describe('the page and the schema of the portable format', () => {
  it('are what npm run spec makes of the definition', async () => {
    const page = await readFile(PORTABLE_PAGE, 'utf8');
    assert.equal(page, withKinds(page));
    assert.equal(await readFile(PORTABLE_SCHEMA, 'utf8'), schemaText());
  });

  it('tell of every table whether it travels', () => {
    const told = [...KINDS.map(({ table }) => table), ...Object.keys(NOT_PORTABLE)];
    assert.deepEqual(told.toSorted(), TABLE_NAMES.toSorted());
  });

  it('hold records as exports write them, and refuse what an import refuses', () => {
    const ajv = new Ajv2020({ allowUnionTypes: true });
    ajv.addSchema(portableSchema(), 'format');
    const isValid = (kind: string, value: unknown) => ajv.validate(`format#/$defs/${kind}`, value);
    for (const [kind, records] of Object.entries(everyKind(blackPng(8, 8)))) {
      for (const record of records)
        assert.ok(isValid(kind, record), `${kind}: ${ajv.errorsText()}`);
      assert.ok(!isValid(kind, { ...records[0], unknown: 1 }), `${kind} with a field that is none`);
    }
    assert.ok(!isValid('articles', { caption: 'c' }));
    assert.ok(isValid('manifest', { format: 'ws01-portable', version: 1 }));
    assert.ok(!isValid('manifest', { format: 'ws01-portable', version: 2 }));
  });
});
