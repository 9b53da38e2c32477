import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withTables } from '../../../../scripts/spec/contract-page.ts';
import { clauseIdsOf, PAGES, pageText, referencesIn, sectionsOf } from '../../../../scripts/spec/references.ts';
import { citingFiles, goldenFiles, ROOT, SPEC } from '../../../../scripts/spec/tree.ts';

const faultsOf = (text: string) => referencesIn(text).map(({ text, fault }) => (fault === undefined ? text : fault));

describe('the contract page', () => {
  it('is what npm run spec makes of the contract', () => {
    assert.equal(pageText('contract'), withTables(pageText('contract')));
  });

  it('cannot lose a table, nor have one that nothing makes', () => {
    const page = pageText('contract');
    assert.throws(() => withTables(page.replace('<!-- table: errors -->', '')), /no place for: errors/);
    assert.throws(() => withTables(page.replace('table: errors', 'table: codes')), /no table codes/);
  });
});

describe('citations of the specification', () => {
  const sections = new Map(PAGES.map((page) => [page, sectionsOf(pageText(page))]));
  const clauses = new Set(clauseIdsOf(pageText('semantics')));

  it('are found in code and prose, over the end of a line, too', () => {
    const text = 'semantics 5.11), (wire\n * 4.2; S5.11-3), contract 4.';
    assert.deepEqual(
      referencesIn(text).map(({ text, line }) => [text, line]),
      [
        ['semantics 5.11', 1],
        ['wire 4.2', 1],
        ['S5.11-3', 2],
        ['contract 4', 2],
      ],
    );
  });

  it('in any other form are refused', () => {
    assert.match(faultsOf('asmx-wire 4').join(), /write: wire 4\.2/);
    assert.match(faultsOf('semantics section 4').join(), /the number alone/);
    for (const list of ['semantics 3 and 5', 'semantics 5, 11', 'wire 3 to\n * 5']) {
      assert.match(faultsOf(list).join(), /name the page again/, list);
    }
  });

  it('each lead to a section or a clause', () => {
    let count = 0;
    const faults = citingFiles().flatMap((path) =>
      path.endsWith('specification.test.ts') || path.endsWith('scripts/spec/references.ts')
        ? []
        : referencesIn(readFileSync(join(ROOT, path), 'utf8')).flatMap(({ text, line, fault, target }) => {
            if (!path.startsWith(SPEC)) count += 1;
            const found =
              target !== undefined &&
              ('clause' in target ? clauses.has(target.clause) : sections.get(target.page)!.has(target.section));
            return found ? [] : [`${path}:${line}: ${text}: ${fault ?? 'there is no such section or clause'}`];
          }),
    );
    assert.deepEqual(faults, []);
    assert.ok(count > 100, `only ${count} citations found outside the specification`);
  });

  it('within a page lead to a section of that page', () => {
    for (const page of PAGES) {
      const cited = [...pageText(page).matchAll(/\bsection (\d+(?:\.\d+)?)\b/g)].map(([, section]) => section!);
      assert.deepEqual(
        cited.filter((section) => !sections.get(page)!.has(section)),
        [],
        page,
      );
    }
  });

  it('of recorded exchanges lead to files', () => {
    const cited = [...pageText('wire').matchAll(/`G:([^`]+)`/g)].map(([, pattern]) => pattern!);
    const recorded = cited.filter((pattern) => pattern !== 'x/y');
    assert.ok(recorded.length > 5);
    assert.deepEqual(
      recorded.filter((pattern) => goldenFiles(pattern).length === 0),
      [],
    );
  });
});
