import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { escapeAttribute } from '../../../asmx/src/xml/writer.ts';
import { compile } from '../../../asmx/test/kit/compile.ts';
import { BY_NIGHT } from '../../../asmx/test/kit/lane.ts';
import { type Ended, installEngine, runNode, startNode } from '../../../asmx/test/kit/programs.ts';
import { SOURCE_ARGUMENTS } from '../../../asmx/test/kit/source-process.ts';
import { asmx, place } from './kit/command.ts';
import { type Shape, wsdlOf } from './kit/documents.ts';

/** Words that mean something in JavaScript, in TypeScript or to every object. */
const WORDS = [
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'then',
    'length',
    'name',
    'prototype',
  ],
  ...[
    'class',
    'await',
    'default',
    'import',
    'enum',
    'eval',
    'arguments',
    'yield',
    'let',
    'static',
    'async',
    'interface',
  ],
  ...[
    'type',
    'keyof',
    'infer',
    'unique',
    'readonly',
    'asserts',
    'is',
    'this',
    'typeof',
    'undefined',
    'null',
    'never',
  ],
  ...[
    'Object',
    'Function',
    'Error',
    'Promise',
    'Array',
    'Partial',
    'Readonly',
    'NaN',
    'Operations',
    'CallError',
    'ClientOptions',
    'contract',
  ],
];

/** Texts that would end a string, a comment or a line, or be shown as something else. */
const TEXTS = [
  ...[
    "a'b",
    'a"b',
    'a`b',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in a WSDL
    '${1}',
    '\\',
    '\\u0027',
    'a*/b',
    '//',
    '</script>',
    'a|b',
    'a\u2028b',
    '\u202eb',
    '\u0085',
  ],
  "';process.exit(1)//",
];

/** For each word an operation, types, members, an attribute, a header and a fault that have it for a name. */
function named(words: readonly string[]): string {
  const each = (write: (word: string) => string) => words.map(write).join('\n');
  const bound = (word: string) =>
    `<wsdl:operation name="${word}"><soap:operation soapAction="urn:old/${word}"/><wsdl:input><soap:body use="literal"/>
      <soap:header message="t:${word}Header" part="${word}" use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output></wsdl:operation>`;
  const shape: Shape = {
    schema: each(
      (
        word,
      ) => `<s:element name="${word}"><s:complexType><s:sequence><s:element minOccurs="0" name="${word}" type="t:${word}"/>
        <s:element name="count" type="s:int"/></s:sequence></s:complexType></s:element>
      <s:element name="${word}Response"><s:complexType><s:sequence><s:element minOccurs="0" name="${word}" type="t:${word}"/>
        <s:element minOccurs="0" name="${word}Out" type="s:string"/></s:sequence></s:complexType></s:element>
      <s:complexType name="${word}"><s:sequence><s:element minOccurs="0" name="${word}" type="s:string"/>
        <s:element minOccurs="0" maxOccurs="unbounded" name="next" type="t:${word}"/></s:sequence></s:complexType>
      <s:complexType name="${word}More"><s:complexContent><s:extension base="t:${word}"><s:attribute name="${word}" type="s:int"/></s:extension></s:complexContent></s:complexType>
      <s:element name="${word}Header" type="t:${word}"/><s:element name="${word}Fault" type="t:${word}"/>`,
    ),
    messages: each(
      (
        word,
      ) => `<wsdl:message name="${word}In"><wsdl:part name="p" element="t:${word}"/></wsdl:message>
      <wsdl:message name="${word}Out"><wsdl:part name="p" element="t:${word}Response"/></wsdl:message>
      <wsdl:message name="${word}Header"><wsdl:part name="${word}" element="t:${word}Header"/></wsdl:message>
      <wsdl:message name="${word}Fault"><wsdl:part name="${word}" element="t:${word}Fault"/></wsdl:message>`,
    ),
    portOperation: each(
      (
        word,
      ) => `<wsdl:operation name="${word}"><wsdl:input message="t:${word}In"/><wsdl:output message="t:${word}Out"/>
      <wsdl:fault name="${word}" message="t:${word}Fault"/></wsdl:operation>`,
    ),
  };
  return wsdlOf(shape).replace(
    /<wsdl:operation name="Ask"><soap:operation[\s\S]*?<\/wsdl:operation>/,
    () => each(bound),
  );
}

/** Generates a project for each WSDL, in one folder where their dependencies are. */
async function made(
  t: TestContext,
  wsdls: Readonly<Record<string, string>>,
  ...options: readonly string[]
) {
  const folder = await place(t);
  await installEngine(folder);
  for (const [name, wsdl] of Object.entries(wsdls)) {
    await writeFile(join(folder, `${name}.wsdl`), wsdl);
    const { code, stderr } = await asmx(
      'from',
      join(folder, `${name}.wsdl`),
      join(folder, name),
      ...options,
    );
    assert.equal(code, 0, `${name}: ${stderr}`);
  }
  return folder;
}

/** What the compiler says of all projects in a folder, under their own strict settings. */
async function compiled(folder: string, [first = '']: readonly string[]): Promise<string> {
  const { compilerOptions } = JSON.parse(
    await readFile(join(folder, first, 'tsconfig.json'), 'utf8'),
  );
  assert.equal(compilerOptions.strict, true);
  const options = { compilerOptions, include: ['*/src', '*/test'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options));
  return (await compile(folder)).stdout;
}

/** Runs the tests of all projects in a folder, in one process. */
const tested = (folder: string): Promise<Ended> => {
  const test = ['--test', '--test-isolation=none', '--test-reporter=tap', '*/test/**/*.test.ts'];
  return runNode(folder, ...SOURCE_ARGUMENTS, ...test);
};

const started = (t: TestContext, project: string): Promise<string> =>
  startNode(t, project, [...SOURCE_ARGUMENTS, 'src/server.ts'], { PORT: '0' }).line(0);

describe('a project from names that mean something', () => {
  test('compiles, passes its tests and starts, whatever they mean in JavaScript', async (t) => {
    const folder = await made(t, { words: named(WORDS) });
    const alone = await asmx(
      'client',
      join(folder, 'words.wsdl'),
      join(folder, 'words', 'src', 'alone.ts'),
    );
    assert.equal(alone.code, 0, alone.stderr);
    assert.equal(await compiled(folder, ['words']), '');
    const contract = await readFile(join(folder, 'words/src/contract.ts'), 'utf8');
    assert.match(contract, /name: 'constructor', property: 'constructor2'/);
    const { stdout, code } = await tested(folder);
    assert.equal(code, 0, stdout);
    const url = await started(t, join(folder, 'words'));
    const { code: compared, stdout: differences } = await asmx(
      'compare',
      join(folder, 'words.wsdl'),
      `${url}?WSDL`,
    );
    assert.equal(compared, 0, differences);
  });

  test('compiles with every name that its own sources use', async (t) => {
    const folder = await made(t, { plain: wsdlOf() }, '--proxy', 'http://old.example');
    const sources = await Promise.all(
      globSync('plain/{src,test}/**/*.ts', { cwd: folder }).map((path) =>
        readFile(join(folder, path), 'utf8'),
      ),
    );
    const words = (text: string) =>
      [...new Set(text.match(/\b[A-Za-z_]\w*\b/g))].filter((word) => word !== 'Old');
    const used = words(sources.join('\n'));
    assert.ok(used.length > 150, String(used.length));
    // By day those with a capital, as a contract's name has one: all of them take the compiler thirteen seconds.
    const code = sources.join('\n').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'.*?'|`[\s\S]*?`/g, '');
    const inCode = words(code).filter((word) => /^[A-Z]/.test(word));
    assert.ok(inCode.length > 20, String(inCode.length));
    const services = (BY_NIGHT ? used : inCode).map(
      (word) =>
        `<wsdl:service name="${word}"><wsdl:port name="P" binding="t:OldSoap"><soap:address location="http://old.example/${word}.asmx"/></wsdl:port></wsdl:service>`,
    );
    const all = await made(
      t,
      { all: wsdlOf({ more: services.join('') }) },
      '--proxy',
      'http://old.example',
    );
    assert.equal(await compiled(all, ['all']), '');
  });

  test('and texts that end strings, comments and lines: it compiles, starts, and serves them as they are', async (t) => {
    const documentation = `${TEXTS.join(' ')}*`;
    const elements = TEXTS.map((text) => `<s:enumeration value="${escapeAttribute(text)}"/>`).join(
      '',
    );
    const about = `<s:annotation><s:documentation>${escapeAttribute(documentation)}</s:documentation></s:annotation>`;
    const wsdls = Object.fromEntries(
      TEXTS.map((text, index) => [
        `p${index}`,
        wsdlOf({
          asks: `<s:element name="e" type="t:E">${about}</s:element>`,
          answers: '<s:element name="AskResult" type="t:E"/>',
          schema: `<s:simpleType name="E">${about}<s:restriction base="s:string">${elements}</s:restriction></s:simpleType>`,
          ports: `<wsdl:port name="OldSoap" binding="t:OldSoap"><soap:address location="http://old.example/${escapeAttribute(text)}/x"/></wsdl:port>`,
        })
          .replaceAll('"urn:old"', `"urn:${escapeAttribute(text)}"`)
          .replace('soapAction="urn:old/Ask"', `soapAction="${escapeAttribute(text)}"`)
          .replace(
            '<wsdl:operation name="Ask">',
            `$&<wsdl:documentation>${escapeAttribute(documentation).replaceAll('$', '$$$$')}</wsdl:documentation>`,
          ),
      ]),
    );
    const folder = await made(t, wsdls);
    assert.equal(await compiled(folder, Object.keys(wsdls)), '');
    const { stdout, code } = await tested(folder);
    assert.equal(code, 0, stdout);
    for (const path of globSync('*/{src,test}/**/*.ts', { cwd: folder })) {
      assert.doesNotMatch(
        await readFile(join(folder, path), 'utf8'),
        /[\u0080-\u009f\u2028\u2029\u202a-\u202e]/,
        path,
      );
    }
    const url = await started(t, join(folder, 'p0'));
    assert.equal((await asmx('compare', join(folder, 'p0.wsdl'), `${url}?WSDL`)).code, 0);
  });

  test('serves at paths that are no plain ASCII, as clients send them', async (t) => {
    const paths = [
      'My Service.asmx',
      '\u00e9.asmx',
      'a%2Fb',
      '%2e%2e%2fx',
      'a%3Fb',
      '{id}',
      '%E2%80%AE',
      "o'brien",
      '%zz',
    ];
    const ports = paths.map(
      (path, index) =>
        `<wsdl:port name="P${index}" binding="t:OldSoap"><soap:address location="http://old.example/${path}"/></wsdl:port>`,
    );
    const folder = await made(t, { paths: wsdlOf({ ports: ports.join('') }) });
    const url = new URL(await started(t, join(folder, 'paths')));
    for (const path of paths) {
      const { status } = await fetch(`${url.origin}/${path}?WSDL`);
      assert.equal(status, 200, path);
    }
  });
});

describe('names that are none of XML', () => {
  const refusals: Readonly<Record<string, (name: string) => string>> = {
    'a service': (name) =>
      wsdlOf().replace('<wsdl:service name="Old">', `<wsdl:service name="${name}">`),
    'an operation': (name) =>
      wsdlOf().replaceAll('<wsdl:operation name="Ask">', `<wsdl:operation name="${name}">`),
    'a parameter of Ask': (name) => wsdlOf({ asks: `<s:element name="${name}" type="s:string"/>` }),
    'an element of types.T': (name) =>
      wsdlOf(typed(`<s:sequence><s:element name="${name}" type="s:int"/></s:sequence>`)),
    'an attribute of types.T': (name) =>
      wsdlOf(typed(`<s:attribute name="${name}" type="s:int"/>`)),
    'a type (types.aX)': (name) =>
      wsdlOf({
        asks: `<s:element name="x" type="t:${name}"/>`,
        schema: `<s:complexType name="${name}"><s:attribute name="b"/></s:complexType>`,
      }),
  };
  const typed = (content: string): Shape => ({
    asks: '<s:element name="x" type="t:T"/>',
    schema: `<s:complexType name="T">${content}</s:complexType>`,
  });
  for (const [what, wsdl] of Object.entries(refusals)) {
    test(`${what}: refused in one line that commands no terminal`, async (t) => {
      const folder = await place(t);
      for (const name of [
        "a'x",
        'a&quot;x',
        'a&lt;x',
        'a*/x',
        'a&#10;x',
        'a&#x9b;x',
        'a&#x202e;x',
      ]) {
        await writeFile(join(folder, 'old.wsdl'), wsdl(name));
        const { code, stderr } = await asmx('from', join(folder, 'old.wsdl'), join(folder, 'new'));
        assert.equal(code, 2, name);
        assert.ok(stderr.endsWith(` cannot be the name of ${what}.\n`), stderr);
        assert.doesNotMatch(stderr.slice(0, -1), /[\p{Cc}\u202e]/u);
      }
    });
  }
});
