// slow: it reads documents at their limits
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { engineService } from '../../src/from/emit/engine-service.ts';
import { type OldCall, oldCalls, oldContract } from '../../src/from/index.ts';
import { loadLimits } from '../../src/from/load/limits.ts';
import { asmx, made, place } from './kit/command.ts';
import { wsdlOf } from './kit/documents.ts';

/** So many that what takes as many steps for each of them would not end within the time of a test. */
const MANY = 20_000;

const many = (write: (index: number) => string, count = MANY) =>
  Array.from({ length: count }, (_, at) => write(at)).join('');

/** A WSDL whose operation takes the type T of a schema. */
const typed = (schema: string) => wsdlOf({ asks: '<s:element name="x" type="t:T"/>', schema });

describe('a WSDL with many of one kind is generated', () => {
  const extending = (index: number) =>
    `<s:complexType name="D${index}"><s:complexContent><s:extension base="t:T"/></s:complexContent></s:complexType>`;
  const kinds: Readonly<Record<string, string>> = {
    'elements of one name': typed(
      `<s:complexType name="T"><s:choice>${many(() => '<s:element name="a" type="s:int"/>')}</s:choice></s:complexType>`,
    ),
    // Each has the members of the next twice: the first as many as no memory holds.
    'unions of the same unions': typed(
      `<s:simpleType name="T"><s:union memberTypes="t:U0 t:U0"/></s:simpleType>${many(
        (at) =>
          `<s:simpleType name="U${at}"><s:union memberTypes="s:date t:U${at + 1} t:U${at + 1}"/></s:simpleType>`,
        60,
      )}<s:simpleType name="U60"><s:restriction base="s:int"/></s:simpleType>`,
    ),
    'types that extend one': typed(`<s:complexType name="T"/>${many(extending, MANY / 4)}`),
  };
  for (const [kind, wsdl] of Object.entries(kinds)) {
    test(kind, async (t) => {
      const { code, stderr } = await made(t, wsdl);
      assert.equal(code, 0, stderr);
    });
  }
});

describe('types that refer to each other, however many in a line', () => {
  /** Several times as many as the stack holds where each takes a step of its own. */
  const LINE = 5_000;
  const name = (at: number) => (at === 0 ? 'T' : `T${at}`);
  const member = (at: number, type: string) =>
    `<s:complexType name="${name(at)}"><s:sequence><s:element minOccurs="0" name="n" type="${type}"/></s:sequence></s:complexType>`;

  test('members of members are generated', async (t) => {
    const circle = many((at) => member(at, `t:${name((at + 1) % LINE)}`), LINE);
    const { code, stderr } = await made(t, typed(circle));
    assert.equal(code, 0, stderr);
  });

  /** Types in a line from T, each derived from the next. */
  const derived: Readonly<Record<string, (length: number) => string>> = {
    extensions: (length) =>
      many(
        (at) =>
          at === length - 1
            ? `<s:complexType name="${name(at)}"/>`
            : `<s:complexType name="${name(at)}"><s:complexContent><s:extension base="t:${name(at + 1)}"/></s:complexContent></s:complexType>`,
        length,
      ),
    restrictions: (length) =>
      many(
        (at) =>
          `<s:simpleType name="${name(at)}"><s:restriction base="${at === length - 1 ? 's:string' : `t:${name(at + 1)}`}"/></s:simpleType>`,
        length,
      ),
    unions: (length) =>
      many(
        (at) =>
          `<s:simpleType name="${name(at)}"><s:union memberTypes="${at === length - 1 ? 's:string' : `t:${name(at + 1)}`}"/></s:simpleType>`,
        length,
      ),
  };
  for (const [kind, line] of Object.entries(derived)) {
    test(`limit derivations: ${kind} up to it are generated, and one more is refused`, async (t) => {
      const folder = await place(t);
      const make = async (length: number, ...options: readonly string[]) => {
        const file = join(folder, `${length}.wsdl`);
        await writeFile(file, typed(line(length)));
        return asmx('from', file, join(folder, `made-${length}`), ...options);
      };
      const most = loadLimits().derivations;
      const within = await make(most);
      assert.equal(within.code, 0, within.stderr);
      const beyond = await make(most + 1);
      assert.equal(beyond.code, 2);
      assert.match(
        beyond.stderr,
        /^asmx: [^\n]*: type T: More than \d+ types are derived from each other in one line \(limit derivations\)\.\n$/,
      );
      assert.equal((await make(4, '--limit', 'derivations=3')).code, 2);
      assert.equal((await make(3, '--limit', 'derivations=3')).code, 0);
    });
  }

  test('a message that must nest more than 300 elements has no sample', async (t) => {
    const nested = (length: number) =>
      typed(
        many(
          (at) =>
            member(at, at === length - 1 ? 's:string' : `t:${name(at + 1)}`).replace(
              'minOccurs="0" ',
              '',
            ),
          length,
        ),
      );
    for (const [length, isSkipped] of [
      [2_000, true],
      [290, false],
    ] as const) {
      const { code, stdout } = await made(t, nested(length));
      assert.equal(code, 0);
      const folder = stdout.slice(0, stdout.indexOf(': '));
      const old = await oldContract(pathToFileURL(join(folder, 'old', 'contract.json.gz')));
      const [{ skip }] = oldCalls(old, engineService(old), '/Old.asmx') as [OldCall];
      const skipped = / cannot have fewer than 300 elements inside each other\.$/;
      assert.equal(skipped.test(String(skip)), isSkipped);
    }
  });
});

test('limit namespaces: declarations in scope up to it are read, and one more is refused', async (t) => {
  const folder = await place(t);
  const make = async (count: number, ...options: readonly string[]) => {
    const schema = (at: number) =>
      `<s:schema targetNamespace="urn:n${at}"><s:complexType name="C"><s:sequence><s:element name="v" type="s:int"/></s:sequence></s:complexType></s:schema>`;
    const file = join(folder, `${count}.wsdl`);
    const wsdl = wsdlOf({
      schemas: many(schema, count),
      asks: many((at) => `<s:element minOccurs="0" name="p${at}" type="n${at}:C"/>`, count),
    });
    await writeFile(
      file,
      wsdl.replace('targetNamespace=', `${many((at) => `xmlns:n${at}="urn:n${at}" `, count)}$&`),
    );
    return asmx('from', file, join(folder, `made-${count}-${options.length}`), ...options);
  };
  const several = await make(400);
  assert.equal(several.code, 0, several.stderr);
  const beyond = await make(2_048);
  assert.equal(beyond.code, 2);
  assert.match(beyond.stderr, /declarations? in scope.*2048/);
  assert.equal((await make(100, '--limit', 'namespaces=100')).code, 2);
  assert.equal((await make(100, '--limit', 'namespaces=120')).code, 0);
});
