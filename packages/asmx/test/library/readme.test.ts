import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { fetchHandler } from '@ws01/asmx/fetch';
import { compile } from '../kit/compile.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { startHost } from '../kit/hosts/start.ts';
import { exchange, jsonRequest, postTo } from '../kit/http.ts';
import { freePort } from '../kit/listen.ts';
import { installEngine, linkModules, writeStrictProject } from '../kit/programs.ts';
import { SOAP12 } from '../kit/soap.ts';
import { SOURCE_ARGUMENTS } from '../kit/source-process.ts';

/** The example of files on a disk. */
async function filesExample(): Promise<string> {
  const readme = await readFile('packages/asmx/README.md', 'utf8');
  return /```ts\n([^`]*function toDisk[\s\S]*?)```/.exec(readme)![1]!;
}

/** The calculator of the README, which the next test starts. */
async function isServedInEveryBinding(url: string): Promise<void> {
  const get = async (path: string) => (await exchange(url + path)).body;
  assert.match(await get(''), /<title>Calculator/);
  assert.match(await get('?WSDL'), /targetNamespace="urn:calculator"/);
  assert.match(
    await get('/Divide?dividend=-7&divisor=2'),
    /<string xmlns="urn:calculator">-3<\/string>$/,
  );
  assert.match(
    await get('/Divide?dividend=1&divisor=0'),
    /<code>InvalidParameter<\/code>.*<parameter>divisor</,
  );
  assert.match(await get('/IsLeapYear?date=2000-01-01'), />true<\/boolean>$/);
  assert.match(await get('/IsLeapYear?date=1900-01-02'), />false<\/boolean>$/);

  const post = async (path: string, type: string, body: string) =>
    (await postTo(url + path, body, type)).body;
  assert.equal(
    await post('/Divide', 'application/json', '{"dividend":7,"divisor":2}'),
    '{"d":"3"}',
  );
  assert.match(
    await post('/Divide', 'application/x-www-form-urlencoded', 'dividend=7&divisor=2'),
    />3<\/string>$/,
  );
  const call = '<Divide xmlns="urn:calculator"><dividend>7</dividend><divisor>2</divisor></Divide>';
  const envelope = `<e:Envelope xmlns:e="${SOAP12.envelope}"><e:Body>${call}</e:Body></e:Envelope>`;
  assert.match(await post('', SOAP12.contentType, envelope), /<DivideResult>3<\/DivideResult>/);
  assert.equal((await exchange(url.replace('Calculator', 'Other'))).status, 404);
}

it('every program of the README compiles in an empty folder, starts and answers, the calculator in every binding', async (test) => {
  const folder = await temporaryFolder(test, 'asmx-example-');
  await installEngine(folder);
  await writeStrictProject(folder);
  await writeFile(join(folder, 'files.ts'), await filesExample());
  const readme = await readFile('packages/asmx/README.md', 'utf8');
  const programs = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, program]) => program!);
  const calls = [
    '/Hello.asmx/Greet?name=Ann',
    '/Calculator.asmx',
    '/Weather.asmx/GetForecast?city=a&days=1',
    '/Hello.asmx/Greet?name=Ann',
  ];
  const served = programs.filter((program) => program.includes('listen(8080'));
  assert.equal(served.length, calls.length);
  assert.equal(served.length, programs.length - 1, 'the one of files only exports');
  for (const [index, program] of served.entries())
    await writeFile(join(folder, `program${index}.ts`), program);
  assert.equal((await compile(folder)).stdout, '');
  for (const [index, path] of calls.entries()) {
    const port = await freePort();
    const file = `program${index}.ts`;
    await writeFile(join(folder, file), served[index]!.replace('listen(8080', `listen(${port}`));
    const node = [process.execPath, ...SOURCE_ARGUMENTS, file] as const;
    const origin = await startHost(test, folder, node, port);
    assert.equal((await fetch(origin + path)).status, 200, path);
    if (path === '/Calculator.asmx') await isServedInEveryBinding(origin + path);
  }
});

it('hello world is five lines, the same in the README and on the site, and greets', async (test) => {
  const pages = ['packages/asmx/README.md', 'site/index.md'].map((page) => readFile(page, 'utf8'));
  const [first, second] = (await Promise.all(pages)).map(
    (page) => /```ts\n([\s\S]*?)```/.exec(page)![1]!,
  );
  assert.equal(first, second);
  const lines = first!.split('\n').filter((line) => line !== '' && !line.startsWith('import'));
  assert.ok(lines.length <= 5, String(lines.length));
  const folder = await temporaryFolder(test, 'asmx-hello-');
  await linkModules(folder);
  const program = first!.replace(/^createServer\(.*$/m, 'export { endpoint };');
  await writeFile(join(folder, 'hello.ts'), program);
  const { endpoint } = await import(join(folder, 'hello.ts'));
  const answer = await fetchHandler(endpoint)(
    new Request('http://x/Hello.asmx/Greet', jsonRequest({ name: 'Ann' })),
  );
  assert.deepEqual(await answer!.json(), { d: 'Hello Ann' });
});

it('the example of files writes them to disk, and removes what nobody kept', async (test) => {
  const folder = await temporaryFolder(test, 'asmx-files-');
  await linkModules(folder);
  const there = (await filesExample())
    .replace('`upload-', `\`${folder}/upload-`)
    .replaceAll("'kept'", `'${folder}/kept'`);
  await writeFile(join(folder, 'files.ts'), there);
  const { files } = await import(join(folder, 'files.ts'));
  const upload = async (body: string) => {
    const headers = { 'Content-Type': 'application/json' };
    const request = new Request('http://x/Files.asmx/Upload', { method: 'POST', headers, body });
    return (await fetchHandler(files)(request))!;
  };
  const bytes = Buffer.alloc(100_000, 'x');
  const answer = await upload(JSON.stringify({ file: bytes.toString('base64') }));
  assert.deepEqual(await answer.json(), { d: 100_000 });
  assert.ok(bytes.equals(await readFile(join(folder, 'kept'))));
  assert.equal((await upload('{"file":"eHh4!"}')).status, 400);
  assert.deepEqual((await readdir(folder)).sort(), ['files.ts', 'kept', 'node_modules']);
});
