import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { JSON_BINDING, TEST_BINDINGS } from '../kit/bindings.ts';
import { startEcho } from '../kit/echo.ts';
import { NAMESPACE } from '../kit/service.ts';
import { type ValueRow, valueTables } from '../kit/value-tables.ts';

const TABLES = valueTables(
  readFileSync(new URL('../../../../docs/values.md', import.meta.url), 'utf8'),
);
const SOAP = ['soap11', 'soap12'];
const TEXT = ['get', 'post', 'json'];

/** Today, on the page of values. */
const NOW = () => Date.UTC(2024, 2, 15, 3, 4, 5);

/** A section of the page of values, and a parameter of its type to try it with. */
const PARAMETERS = [
  {
    section: 'Whole numbers',
    bindings: [...SOAP, ...TEXT],
    operation: 'QueryAdvert',
    parameter: 'pageindex',
  },
  { section: 'Booleans in SOAP', bindings: SOAP, operation: 'addNewAdvert', parameter: 'isImage' },
  {
    section: 'Booleans in GET, POST and JSON',
    bindings: TEXT,
    operation: 'addNewAdvert',
    parameter: 'isImage',
  },
  {
    section: 'Dates and times',
    bindings: [...SOAP, ...TEXT],
    operation: 'UpdatePinnedTopDueDateByGuid',
    parameter: 'pinnedTopDueDate',
  },
] as const;

describe('the page of values holds through a real listener', () => {
  for (const { section, bindings, operation, parameter } of PARAMETERS) {
    for (const binding of [...TEST_BINDINGS, JSON_BINDING].filter(({ name }) =>
      (bindings as readonly string[]).includes(name),
    )) {
      it(`${section}, ${binding.name}`, async (test) => {
        const echo = await startEcho(test, {
          namespace: NAMESPACE,
          timeZone: 'Asia/Shanghai',
          now: NOW,
        });
        const rows = TABLES.get(section)!;
        const answers = await Promise.all(
          rows.map(async (row) => {
            const { result, code } = await binding.call(echo.url, operation, {
              [parameter]: row.written,
            });
            return { ...row, meaning: meaningOf(result, code, parameter) };
          }),
        );
        assert.deepEqual(answers, rows);
      });
    }
  }
});

/** An answer in the page's words. */
function meaningOf(
  result: string | undefined,
  code: string | undefined,
  parameter: string,
): ValueRow['meaning'] {
  if (code !== undefined) return { verdict: code === 'InvalidParameter' ? 'refused' : code };
  const value: unknown = JSON.parse(result!)[parameter];
  if (value === null) return { verdict: 'not given' };
  // The echo shows instants as the recorded server did, without the milliseconds when there are none.
  const text = String(value);
  return { value: /T.*Z$/.test(text) ? new Date(text).toISOString() : text };
}
