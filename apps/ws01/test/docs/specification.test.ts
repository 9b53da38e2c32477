import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { clausesOf } from '../../../../scripts/spec/clauses.ts';
import { withTables } from '../../../../scripts/spec/contract-page.ts';
import { PAGES, pageText, referencesIn, sectionsOf } from '../../../../scripts/spec/references.ts';
import { citingFiles, goldenFiles, ROOT, SPEC } from '../../../../scripts/spec/tree.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import { SCOPES } from '../../src/contract/parameters.ts';

const faultsOf = (text: string) =>
  referencesIn(text).map(({ text, fault }) => (fault === undefined ? text : fault));

/** The text of a section of the semantics. */
function section(number: string): string {
  const page = pageText('semantics');
  const [found] =
    new RegExp(`^## ${number}\\. [\\s\\S]*?(?=^## )`, 'm').exec(page) ??
    assert.fail(`no section ${number}`);
  return found;
}

/** Files that have citations of nothing, to test what reads citations. */
const WITH_SAMPLES = [
  'docs/specification.test.ts',
  'docs/clauses.test.ts',
  'scripts/spec/references.ts',
];

describe('the contract page', () => {
  it('is what npm run spec makes of the contract', () => {
    assert.equal(pageText('contract'), withTables(pageText('contract')));
  });

  it('cannot lose a table, nor have one that nothing makes', () => {
    const page = pageText('contract');
    assert.throws(
      () => withTables(page.replace('<!-- table: errors -->', '')),
      /no place for: errors/,
    );
    assert.throws(
      () => withTables(page.replace('table: errors', 'table: codes')),
      /no table codes/,
    );
  });
});

describe('the semantics', () => {
  it('name every code, with its side and status', () => {
    const rows = [
      ...section('4').matchAll(/^\| (`.+`) \| (client|server) \| ([0-9, ]+) \|/gm),
    ].flatMap(([, codes, side, statuses]) => {
      const [names, numbers] = [
        [...codes!.matchAll(/`(\w+)`/g)],
        statuses!.split(', ').map(Number),
      ];
      return names.map(
        ([, name], index) => [name, { side, status: numbers[index] ?? numbers[0] }] as const,
      );
    });
    const served = Object.entries(ERRORS).map(
      ([name, { side, status }]) => [name, { side, status }] as const,
    );
    assert.deepEqual(Object.fromEntries(rows), Object.fromEntries(served));
    assert.equal(rows.length, served.length);
  });

  it('name every scope', () => {
    const [, scopes] =
      /Scopes ((?:`\w+`(?:, )?)+)\./.exec(section('3').replaceAll('\n', ' ')) ?? assert.fail();
    assert.deepEqual(new Set(scopes!.match(/\w+/g)), new Set(SCOPES));
  });
});

describe('citations of the specification', () => {
  const sections = new Map(PAGES.map((page) => [page, sectionsOf(pageText(page))]));
  const clauses = new Set(PAGES.flatMap((page) => clausesOf(pageText(page))).map(({ id }) => id));

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
      WITH_SAMPLES.some((name) => path.endsWith(name))
        ? []
        : referencesIn(readFileSync(join(ROOT, path), 'utf8')).flatMap(
            ({ text, line, fault, target }) => {
              if (!path.startsWith(SPEC)) count += 1;
              const found =
                target !== undefined &&
                ('clause' in target
                  ? clauses.has(target.clause)
                  : sections.get(target.page)!.has(target.section));
              return found
                ? []
                : [`${path}:${line}: ${text}: ${fault ?? 'there is no such section or clause'}`];
            },
          ),
    );
    assert.deepEqual(faults, []);
    assert.ok(count > 100, `only ${count} citations found outside the specification`);
  });

  it('within a page lead to a section of that page', () => {
    for (const page of PAGES) {
      const cited = [...pageText(page).matchAll(/\bsection (\d+(?:\.\d+)?)\b/g)].map(
        ([, section]) => section!,
      );
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
