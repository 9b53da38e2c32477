import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

const ROOT = join(import.meta.dirname, '../../../..');
const SOURCES = ['packages/*/src/**/*.ts', 'apps/ws01/src/**/*.ts'];

/** An exported type: what a reader takes for a word of the whole house. */
const EXPORTED_TYPE = /^export (?:abstract )?(?:type|interface|class|enum) (\w+)(?!.* from )/gm;

const NORMAL_FORM = 'the normal form of an old WSDL has the things of a contract, one for one';
const OF_THE_API = 'the console reads what the API describes of itself';

/** Types that several files define, and why that is one meaning, or two that nobody takes for each other. */
const TWICE: Readonly<Record<string, string>> = {
  Any: NORMAL_FORM,
  ArrayType: NORMAL_FORM,
  Attribute: NORMAL_FORM,
  BodyName: NORMAL_FORM,
  Element: NORMAL_FORM,
  EnumerationType: NORMAL_FORM,
  Fault: NORMAL_FORM,
  Group: NORMAL_FORM,
  Header: NORMAL_FORM,
  NamedType: NORMAL_FORM,
  ObjectType: NORMAL_FORM,
  Operation: NORMAL_FORM,
  Particle: NORMAL_FORM,
  Service: NORMAL_FORM,
  SimpleType: NORMAL_FORM,
  Kind: `a kind of record, in the API and in the portable format; ${OF_THE_API}`,
  Verb: OF_THE_API,
  Field:
    'a field of a kind of record, in the API and in the portable format; a member of a complex type',
  Fields: 'the fields of a record in the API, and of an object in a contract, by name',
  Content: 'what stands in an element of XML; what stands in a page of HTML',
  Input: 'the parameters of a call: as they are read, and as its handler gets them',
  Result: 'what a handler returns; what a check of `ws01 doctor` found',
  Mailbox: 'a name with an address: the settings may import nothing of mail',
  UnreadableMessage: 'what node:http could not read, on either side of the package’s entry',
};

it('one word for one thing: no two files export types of one name, but where a reason is given', () => {
  const places = new Map<string, string[]>();
  for (const file of globSync(SOURCES, { cwd: ROOT }).sort()) {
    for (const [, name] of readFileSync(join(ROOT, file), 'utf8').matchAll(EXPORTED_TYPE)) {
      places.set(name!, [...new Set([...(places.get(name!) ?? []), file])]);
    }
  }
  const twice = [...places].filter(([, files]) => files.length > 1);
  assert.deepEqual(
    twice.filter(([name]) => TWICE[name] === undefined),
    [],
    'Give one of them another name.',
  );
  const stale = Object.keys(TWICE).filter((name) => !twice.some(([each]) => each === name));
  assert.deepEqual(stale, [], 'These are defined once by now.');
});

/** A type that a file keeps to itself. */
const LOCAL_TYPE = /^(?:abstract )?(?:type|interface|class|enum) (\w+)/gm;

it('within a room, no file has a type of its own with the name of a type that another one exports', () => {
  const roomOf = (file: string) => file.split('/').slice(0, 4).join('/');
  const files = globSync(SOURCES, { cwd: ROOT }).sort();
  const read = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
  const exported = new Map<string, string>();
  for (const [file, text] of read) {
    for (const [, name] of text.matchAll(EXPORTED_TYPE))
      exported.set(`${roomOf(file)} ${name}`, file);
  }
  const taken: string[] = [];
  for (const [file, text] of read) {
    for (const [, name] of text.matchAll(LOCAL_TYPE)) {
      const other = exported.get(`${roomOf(file)} ${name}`);
      if (other !== undefined) taken.push(`${name} in ${file}, and in ${other}`);
    }
  }
  assert.deepEqual(taken, [], 'Give the type of the file another name.');
});

/** What users and maintainers read: pages, and the sources with their texts. Migrations are never changed. */
const READ = [
  'README.md',
  'CONTRIBUTING.md',
  '{apps,packages}/*/README.md',
  'docs/*.md',
  'docs/{decisions,security}/**/*.md',
  ...SOURCES,
];

/** Phrases that readers stumbled over, with what to write instead. */
const STUMBLED_OVER: readonly (readonly [RegExp, string])[] = [
  [/\b(is|are|was|were) told\b/, 'gets, is answered, is reported, is logged'],
  [
    /\bwhat (has had its time|there is not|became of)\b/,
    'expired data; what is missing; the state or result of',
  ],
  [/\bc[ao]mes? into being\b/, 'is created'],
  [/\b(anew|brought along|brings along|made good)\b/, 'again; included; fixed'],
  [/\bfor (good|want of)\b/, 'permanently; for lack of'],
  [/\b(is|are) judged\b/, 'is checked'],
  [/\bunder way\b/, 'in progress'],
  [/\bthe other side\b/, 'the server, the client, the gateway'],
  [/\b(bringing-in|worth something|the like of)\b/, 'import; valid; such as'],
  [
    /\b(its|no) like\b|\bby itself alone\b|\bin one look\b|\bput wrongly\b|\bas it stands\b/,
    'plain words',
  ],
];

it('users read plain English: phrases that readers stumbled over do not come back', () => {
  const found = globSync(READ, { cwd: ROOT }).flatMap((file) => {
    // Without code, but with its comments, and without names of tests behind the file that has them.
    const text = readFileSync(join(ROOT, file), 'utf8')
      .replaceAll(/^ *```.*?^ *```/gms, (block) =>
        (block.match(/(?:^|\s)(?:#|\/\/|--) .*$/gm) ?? []).join('\n'),
      )
      .replaceAll(/`[^`\n]*`|› [^\n|]*/g, '');
    return STUMBLED_OVER.filter(([phrase]) => phrase.test(text)).map(([phrase, instead]) => ({
      file,
      phrase,
      instead,
    }));
  });
  assert.deepEqual(found, []);
});

it('no file has the name of a folder beside it', () => {
  const folders = globSync(['packages/*/src/**/', 'apps/ws01/src/**/'], { cwd: ROOT });
  assert.ok(folders.length > 50);
  assert.deepEqual(
    folders.filter((folder) => existsSync(join(ROOT, `${folder.replace(/[\\/]$/, '')}.ts`))),
    [],
  );
});
