// needs: dotnet=dotnet-sdk-10.0
/**
 * Programs of .NET: WCF over its bindings, HttpClient and HttpWebRequest call all operations, with values of 1 kB to the
 * limits, and show a person the sentence of a refusal. A service on SoapCore is moved to the engine, and the same
 * client sees the same. It needs the registry of NuGet, once.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, suite, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { ECHO_NAMESPACE, startEcho } from '../kit/echo.ts';
import { OPERATION_CALLS } from '../kit/operation-calls.ts';
import { startService } from '../kit/service.ts';
import { buildLane, QUIET } from './dotnet/build.ts';
import { MOVED_KNOWN, serveMoved } from './dotnet/moved.ts';
import {
  answerCall,
  type ClientCall,
  fileCall,
  RAISED,
  refusedCall,
  startHashingEcho,
  textCall,
} from './sizes/hashing-echo.ts';
import { check, type Line } from './sizes/lines.ts';

const run = promisify(execFile);
const MOST_OUTPUT = 1 << 28;

let folder = '';
let program = '';

before(async (context) => {
  folder = await mkdtemp(join(tmpdir(), 'ws01-dotnet-'));
  const { url } = await startEcho(context as TestContext);
  program = await buildLane(folder, `${url}/WS01.asmx?WSDL`);
});
after(() => rm(folder, { recursive: true, force: true }));

async function lane(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('dotnet', [program, ...args], {
    maxBuffer: MOST_OUTPUT,
    env: QUIET,
  });
  return stdout;
}

/** What the program prints of a call; beside the message the class of the exception. */
type DotnetLine = Line & { readonly type: string | null };

const linesOf = (printed: string): DotnetLine[] =>
  printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

async function callAll(
  url: string,
  namespace: string,
  calls: readonly ClientCall[],
  command: 'calls' | 'at-once' = 'calls',
) {
  const file = join(folder, 'calls.json');
  await writeFile(file, JSON.stringify(calls));
  const lines = linesOf(await lane(command, `${url}/WS01.asmx`, namespace, file));
  assert.ok(lines.length >= calls.length, 'each call prints a line');
  return lines;
}

/** Without a body a value is as long as a URL may be. */
const FITS_A_URL = (line: Line, calls: ReadonlyMap<string, ClientCall>) =>
  line.way !== 'HttpClient GET' ||
  Object.values(calls.get(line.name)!.values).join('').length < 60_000;

/** Keys, codes and times are new with each call. */
const withoutChance = (answer: string | null) =>
  answer?.replace(/^\d{6}$|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-[\d-]+T[\d:.]+Z/g, '*');

/** What the program of the client knows of a call. */
const told = ({ answer, error, type }: DotnetLine) =>
  JSON.stringify({ answer, error, type }).slice(0, 600);

suite('programs of .NET', () => {
  test('Microsoft’s reader takes our WSDL without a warning', async (context) => {
    const { url } = await startEcho(context as TestContext);
    const said = (await lane('describe', `${url}/WS01.asmx?WSDL`)).trim().split('\n');
    assert.deepEqual(
      said,
      ['Soap', 'HttpGet', 'HttpPost'].map((port) => `WS01${port}: 20`),
    );
  });

  test('all operations are understood alike in every way', async (context) => {
    const { url } = await startEcho(context as TestContext);
    const calls = Object.entries(OPERATION_CALLS).map(([operation, valuesOf]) => ({
      name: operation,
      operation,
      values: valuesOf(1) as Readonly<Record<string, string>>,
    }));
    const lines = await callAll(url, ECHO_NAMESPACE, calls);
    check(lines, ({ answer, name }) => {
      const { values } = calls.find((call) => call.name === name)!;
      if (name === 'InsertArticleImageFile') return answer === 'true';
      const understood = JSON.parse(answer ?? '{}');
      return Object.entries(values).every(
        ([parameter, value]) =>
          String(understood[parameter]).replace('.000Z', 'Z') === value.replace('.000Z', 'Z'),
      );
    });
  });

  test('all operations of the service answer alike in every way', async (context) => {
    const { url } = await startService(context as TestContext, undefined, {
      RATE_LIMITS: 'off',
      SOAP_NAMESPACE: ECHO_NAMESPACE,
    });
    const calls = Object.entries(OPERATION_CALLS).map(([operation, valuesOf]) => ({
      name: operation,
      operation,
      values: valuesOf(1) as Readonly<Record<string, string>>,
    }));
    const lines = await callAll(url, ECHO_NAMESPACE, calls);
    const first = new Map(
      lines.slice(0, calls.length).map(({ name, answer }) => [name, withoutChance(answer)]),
    );
    check(lines, ({ name, answer }) => withoutChance(answer) === first.get(name));
  });

  test('fifty calls at once by Begin and End each get their own answer', async (context) => {
    const { url } = await startEcho(context as TestContext);
    const calls = Array.from({ length: 50 }, (_, index) => ({
      name: `${index}`,
      operation: 'InsertArticle',
      values: { guid: `article-${index}`, content: '说'.repeat(index * 200) },
    }));
    const lines = await callAll(url, ECHO_NAMESPACE, calls, 'at-once');
    check(lines, ({ name, answer }) => {
      const { guid, content } = JSON.parse(answer?.startsWith('{') ? answer : '{}');
      const { values } = calls[Number(name)]!;
      return guid === values.guid && (content ?? '') === values.content;
    });
  });

  test('texts, files and answers of 1 kB to the limits come whole', async (context) => {
    const { url } = await startHashingEcho(context as TestContext);
    const calls = [
      ...[1_000, 20_000, 200_000, 2_000_000].map(textCall),
      ...[1_000, 200_000, 10_485_760].map(fileCall),
      ...[1_000, 200_000, 4_000_000].map(answerCall),
    ];
    const byName = new Map(calls.map((call) => [call.name, call]));
    const lines = (await callAll(url, ECHO_NAMESPACE, calls)).filter((line) =>
      FITS_A_URL(line, byName),
    );
    check(lines, ({ name, answer }) => answer === byName.get(name)!.answer);
  });

  test('a person sees the sentence of each refusal', async (context) => {
    const { url } = await startHashingEcho(context as TestContext);
    const calls = [
      ...RAISED.map(refusedCall),
      { ...textCall(2_000_001), error: 'content: The text is longer than 2000000 characters' },
      { ...fileCall(10_485_761), error: '10485760 bytes' },
    ];
    const byName = new Map(calls.map((call) => [call.name, call]));
    const lines = (await callAll(url, ECHO_NAMESPACE, calls)).filter((line) =>
      FITS_A_URL(line, byName),
    );
    check(lines, ({ name, error }) => error?.includes(byName.get(name)!.error!) === true);
  });
});

suite('a service on SoapCore that is moved', () => {
  test('the same client sees the same', async (context) => {
    const child = spawn('dotnet', [program, 'serve'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: QUIET,
    });
    context.after(() => child.kill());
    const [origin] = (await once(createInterface(child.stdout), 'line')) as [string];
    const theirs = `${origin}/Moved.asmx`;
    const ours = await serveMoved(context as TestContext, `${theirs}?wsdl`);
    const before = new Map(
      linesOf(await lane('moved', theirs)).map((line) => [line.name, told(line)]),
    );
    const lines = linesOf(await lane('moved', ours));
    const differs = (line: DotnetLine) => told(line) !== before.get(line.name);
    const known = (line: Line) => MOVED_KNOWN.find(({ on }) => on.test(line.name));
    const same = lines.filter((line) => !differs(line)).length;
    process.stdout.write(`| SoapCore, then the engine | ${same} of ${before.size} the same |\n`);
    for (const { on, why } of MOVED_KNOWN) process.stdout.write(`| not: ${on.source} | ${why} |\n`);
    assert.deepEqual(
      lines
        .filter((line) => differs(line) !== (known(line) !== undefined))
        .map((line) => `${line.name}: ${before.get(line.name)}, now ${told(line)}`),
      [],
    );
  });
});
