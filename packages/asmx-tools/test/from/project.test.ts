import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { compile } from '../../../asmx/test/kit/compile.ts';
import { exchange } from '../../../asmx/test/kit/http.ts';
import { listen } from '../../../asmx/test/kit/listen.ts';
import { installEngine, runNode, runProgram, startNode } from '../../../asmx/test/kit/programs.ts';
import { SOURCE_ARGUMENTS } from '../../../asmx/test/kit/source-process.ts';
import { asmx, FLAT, place } from './kit/command.ts';
import { type Shape, wsdlOf } from './kit/documents.ts';

const BIN = resolve('packages/asmx-tools/bin/asmx.js');
/** The files of a project's tests in one process: each for itself reads the engine anew. */
const TEST = ['--test', '--test-isolation=none', '--test-reporter=tap', 'test/**/*.test.ts'];

/** What .NET's classes come to: objects, lists, values that may be null, headers, out parameters, files, data sets. */
const RICH: Shape = {
  schema: `
    <s:element name="Auth"><s:complexType><s:sequence><s:element minOccurs="0" name="user" type="s:string"/></s:sequence></s:complexType></s:element>
    <s:simpleType name="Sky"><s:restriction base="s:string"><s:enumeration value="Sunny"/><s:enumeration value="Rain"/></s:restriction></s:simpleType>
    <s:simpleType name="Zip"><s:restriction base="s:string"><s:pattern value="[0-9]{5}(-[0-9]{4})?"/></s:restriction></s:simpleType>
    <s:complexType name="Forecast" abstract="true"><s:sequence>
      <s:element name="day" type="s:dateTime"/><s:element name="sky" type="t:Sky"/><s:element name="low" nillable="true" type="s:int"/>
      <s:element minOccurs="0" name="hours" type="t:ArrayOfInt"/><s:element minOccurs="0" maxOccurs="unbounded" name="tags" type="s:string"/>
      <s:choice><s:element name="rain" type="s:double"/><s:element name="snow" type="s:decimal"/></s:choice>
      <s:element minOccurs="0" name="next" type="t:Forecast"/></s:sequence><s:attribute name="station" type="s:string" use="required"/></s:complexType>
    <s:complexType name="LocalForecast"><s:complexContent><s:extension base="t:Forecast"><s:sequence>
      <s:element minOccurs="0" name="zip" type="t:Zip"/><s:element minOccurs="0" name="area"><s:complexType><s:simpleContent>
        <s:extension base="s:float"><s:attribute name="unit" type="s:string"/></s:extension></s:simpleContent></s:complexType></s:element>
      </s:sequence></s:extension></s:complexContent></s:complexType>
    <s:complexType name="ArrayOfInt"><s:sequence><s:element minOccurs="0" maxOccurs="unbounded" name="int" type="s:int"/></s:sequence></s:complexType>
    <s:complexType name="ArrayOfForecast"><s:sequence><s:element minOccurs="0" maxOccurs="unbounded" name="Forecast" nillable="true" type="t:Forecast"/></s:sequence></s:complexType>`,
  asks: `<s:element minOccurs="0" name="city" type="s:string"/><s:element minOccurs="0" name="known" type="t:ArrayOfForecast"/>
    <s:element name="since" type="s:date"/><s:element name="id" type="m:guid"/><s:element minOccurs="0" name="photo" type="s:base64Binary"/>
    <s:element minOccurs="0" name="data"><s:complexType><s:sequence><s:element ref="s:schema"/><s:any/></s:sequence></s:complexType></s:element>`,
  answers: `<s:element minOccurs="0" name="AskResult" type="t:ArrayOfForecast"/><s:element name="count" type="s:unsignedLong"/>`,
  more: '<wsdl:message name="AskAuth"><wsdl:part name="Auth" element="t:Auth"/></wsdl:message>',
  bound: `<wsdl:input><soap:body use="literal"/><soap:header message="t:AskAuth" part="Auth" use="literal"/></wsdl:input>
    <wsdl:output><soap:body use="literal"/></wsdl:output>`,
};

/** Beside `Old`: one at two addresses, one at the address of that one, and one that is not served over HTTP. */
const OTHER_SERVICES = `
  <wsdl:service name="Other">
    <wsdl:port name="OtherSoap" binding="t:OldSoap"><soap:address location="http://old.example/other/"/></wsdl:port>
    <wsdl:port name="OtherSoap2" binding="t:OldSoap"><soap:address location="http://old.example/Other.asmx"/></wsdl:port>
    <wsdl:port name="OtherJms" binding="t:OldSoap"><soap:address location="jms:queue"/></wsdl:port>
  </wsdl:service>
  <wsdl:service name="Twin"><wsdl:port name="TwinSoap" binding="t:OldSoap"><soap:address location="http://old.example/other"/></wsdl:port></wsdl:service>
  <wsdl:service name="Queue"><wsdl:port name="Queue" binding="t:Queue"/></wsdl:service>
  <wsdl:binding name="Queue" type="t:OldSoap"><soap:binding transport="urn:jms"/></wsdl:binding>`;

/** What a package does with the client of another one. */
const USE = `
import { CallError, createOldClient, createOtherClient, type Old } from 'old/client';

const [, , url = '', other = ''] = process.argv;
const client = createOldClient({ url });
const known: Old.LocalForecast = {
  $type: 'LocalForecast', day: new Date(0), sky: 'Rain', low: null, hours: [1], rain: 1.5, station: 's', zip: '12345',
};
const since = '2024-02-29';
const id = '6f9619ff-8b86-d011-b42d-00cf4fc964ff';
const { value, out } = await client.Ask({ city: 'Rome', known: [known], since, id });
const code = await createOtherClient({ url: other }).Ask({ since, id }).then(
  () => 'answered',
  (error: unknown) => (error instanceof CallError ? error.code : String(error)),
);
console.log(value?.[0]?.sky, out.count, code);
export async function wrong(): Promise<void> {
  // @ts-expect-error a date is a text
  await client.Ask({ since: new Date(0) });
  // @ts-expect-error the enumeration has no such value
  await client.Ask({ since, id, known: [{ ...known, sky: 'Snow' }] });
  // @ts-expect-error there is no such operation
  await client.Tell({});
  // @ts-expect-error the count is a bigint
  const count: number = out.count;
  console.log(count);
}
`;

/** As a person calls it, in a process of its own. */
const spawned = (cwd: string, ...args: readonly string[]) => runNode(cwd, BIN, ...args);

describe('asmx from', () => {
  test('writes a project that compiles, passes its tests, and serves at the old path', async (t) => {
    const folder = await place(t, { 'old.wsdl': wsdlOf(FLAT) });
    const { code, stdout, stderr } = await spawned(folder, 'from', 'old.wsdl', 'made', '--json');
    assert.equal(code, 0, stderr);
    const { services } = JSON.parse(stdout);
    assert.deepEqual(services, [{ service: 'Old', operations: 1, types: 0, paths: ['/Old.asmx'] }]);
    const project = join(folder, 'made');
    const { dependencies, devDependencies } = JSON.parse(
      await readFile(join(project, 'package.json'), 'utf8'),
    );
    assert.match(dependencies['@ws01/asmx'], /^file:.*packages\/asmx$/);
    assert.ok(devDependencies.node);
    await installEngine(project);

    const types = await compile(project);
    assert.equal(types.code, 0, types.stdout);
    const tests = await runNode(project, ...TEST);
    assert.equal(tests.code, 0, tests.stdout);
    assert.match(tests.stdout, /# pass 3\n/);

    const server = startNode(t, project, ['src/server.ts'], { PORT: '0' });
    const url = await server.line(0);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/Old\.asmx$/);
    const compared = await spawned(folder, 'compare', 'old.wsdl', `${url}?WSDL`);
    assert.match(
      compared.stdout,
      /^No difference that an old client would notice, in 1 operation\.\n/,
    );
    assert.equal(compared.code, 0);
    const body =
      '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Ask xmlns="urn:old"><days>1</days></Ask></s:Body></s:Envelope>';
    const headers = { 'content-type': 'text/xml; charset=utf-8', soapaction: '"urn:old/Ask"' };
    const answer = await fetch(url, { method: 'POST', headers, body });
    assert.equal(answer.status, 500);
    assert.match(
      await answer.text(),
      /Ask is not implemented yet: write it in src\/handlers\.ts\./,
    );
    assert.equal(answer.headers.get('keep-alive'), 'timeout=120');
    // The old service had SOAP alone.
    assert.equal((await fetch(`${url}/Ask?days=1`)).status, 404);
    assert.equal((await fetch(new URL('/', url))).status, 404);

    // The WSDL says the address that the client used, or the one that it is given.
    const addressOf = async (place: string, host?: string) => {
      const wsdl = await exchange(`${place}?WSDL`, host === undefined ? {} : { headers: { host } });
      return /address location="([^"]*)"/.exec(wsdl.body)?.[1];
    };
    assert.equal(await addressOf(url), url);
    assert.equal(await addressOf(url, 'shop.example.com'), 'http://shop.example.com/Old.asmx');
    const reached = { PORT: '0', HOST: '0.0.0.0', BASE_URL: 'https://shop.example.com/v1/' };
    const everywhere = await startNode(t, project, ['src/server.ts'], reached).line(0);
    assert.match(everywhere, /^http:\/\/0\.0\.0\.0:\d+\/Old\.asmx$/);
    const there = everywhere.replace('0.0.0.0', '127.0.0.2');
    assert.equal(await addressOf(there), 'https://shop.example.com/v1/Old.asmx');
    const wrong = await runProgram(project, [process.execPath, 'src/server.ts'], {
      BASE_URL: 'shop',
    });
    assert.match(
      wrong.stderr,
      /^BASE_URL must be a URL such as https:\/\/shop\.example\.com, not shop\.$/m,
    );

    assert.equal(await (await fetch(new URL('/healthz', url))).text(), 'ok\n');
    // A stop waits for no connection without a call, such as those above.
    assert.deepEqual(await server.end(), [0, null]);
    const calls = server.lines.slice(1).map((line) => JSON.parse(line));
    assert.deepEqual(
      calls.filter((call) => call.operation === 'Ask').map(({ status, error }) => [status, error]),
      [[500, 'NotImplemented']],
    );

    // The tests stay green when an operation is written that throws, and when nobody may call it.
    const edit = async (name: string, from: RegExp, to: string) => {
      const file = join(project, 'src', name);
      const text = await readFile(file, 'utf8');
      assert.match(text, from);
      await writeFile(file, text.replace(from, to));
    };
    const written = "Ask: ({ password }) => { throw new Error('no database for ' + password); },";
    await edit('handlers.ts', /Ask: \(input\) => .*,/, written);
    await edit('service.ts', /authorize: \(\) => undefined/, 'authorize: () => false');
    const again = await runNode(project, ...TEST);
    assert.equal(again.code, 0, again.stdout);

    // They are red when the contract that is served is another one.
    await edit('contract.ts', /name: 'days'/, "name: 'day'");
    const broken = await runNode(project, ...TEST);
    assert.match(broken.stdout, /^not ok .* no old client would notice a difference in the WSDL/m);
    assert.match(broken.stdout, /Ask: parameter days: int, ours none/);
    assert.match(broken.stdout, /^not ok .* Ask$/m);
    assert.match(broken.stdout, /^# fail 2$/m);
  });

  test('does so for several services, objects, lists and headers, with a typed client that other packages import', async (t) => {
    const folder = await place(t);
    const old = join(folder, 'old.wsdl');
    await writeFile(old, wsdlOf({ ...RICH, more: `${RICH.more}${OTHER_SERVICES}` }));
    const project = join(folder, 'made');
    const { code, stdout, stderr } = await asmx('from', old, project);
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /made: 3 services:\n {2}Old, 1 operation, 8 types, at \/Old\.asmx\.\n {2}Other, .*at \/other, \/Other\.asmx\.\n {2}Twin, /,
    );
    assert.match(
      stderr,
      /Twin: The address http:\/\/old\.example\/other is that of another service; .* at \/Twin\.asmx\./,
    );
    assert.match(stderr, /The service Queue is passed over: None of its ports can be served/);
    await installEngine(project);
    const file = join(project, 'src', 'old', 'handlers.ts');
    const handlers = await readFile(file, 'utf8');
    const written = (enumeration: string) =>
      handlers.replace(
        /Ask: \(input\) => .*/,
        `Ask: ({ known }) => ({ value: known, out: { count: known?.[0]?.sky === '${enumeration}' ? 1n : 0n } }),`,
      );
    await writeFile(file, written('Snow'));
    const wrong = await compile(project);
    assert.notEqual(wrong.code, 0, 'A value that the enumeration has not must not compile.');
    assert.match(wrong.stdout, /no overlap/);
    await writeFile(file, handlers);
    const tests = await runNode(project, ...SOURCE_ARGUMENTS, ...TEST);
    assert.equal(tests.code, 0, tests.stdout);
    assert.match(tests.stdout, /# pass 9\n/);
    await writeFile(file, written('Rain'));

    // As another package has it: compiled, with its declarations alone.
    const built = await compile(project, '-p', 'tsconfig.client.json');
    assert.equal(built.code, 0, built.stdout);
    const user = join(folder, 'user');
    await installEngine(user);
    await symlink(project, join(user, 'node_modules', 'old'));
    await writeFile(join(user, 'package.json'), '{"type":"module"}');
    await writeFile(
      join(user, 'tsconfig.json'),
      await readFile(join(project, 'tsconfig.json'), 'utf8'),
    );
    await mkdir(join(user, 'src'));
    await mkdir(join(user, 'test'));
    await writeFile(join(user, 'src', 'use.ts'), USE);
    const used = await compile(user);
    assert.equal(used.code, 0, used.stdout);

    const serving = [...SOURCE_ARGUMENTS, 'src/server.ts'];
    const server = startNode(t, project, serving, { PORT: '0', JSON_API: '1' });
    await server.line(3);
    const [first = '', other = '', , twin = ''] = server.lines;
    const answered = await runNode(user, ...SOURCE_ARGUMENTS, 'src/use.ts', first, other);
    assert.deepEqual([answered.stdout, answered.stderr], ['Rain 1n NotImplemented\n', '']);
    const described = (await (await fetch(`${first}/openapi.json`)).json()) as {
      readonly openapi: string;
    };
    assert.equal(described.openapi, '3.1.1');

    const same = await asmx('compare', old, ...[first, other, twin].map((url) => `${url}?WSDL`));
    assert.equal(same.code, 0, same.stdout);
    assert.match(
      same.stdout,
      /^Old: No difference that an old client would notice, in 1 operation\.$/m,
    );
    const part = await asmx('compare', old, `${first}?WSDL`);
    assert.equal(part.code, 1);
    assert.match(
      part.stdout,
      /The service Other is in none of the new WSDLs: name the WSDL that has it\./,
    );
    const chosen = await asmx(
      'from',
      old,
      join(folder, 'two'),
      '--service',
      'Old',
      '--service',
      'Twin',
      '--json',
    );
    assert.deepEqual(
      JSON.parse(chosen.stdout).services.map((each: { readonly service: string }) => each.service),
      ['Old', 'Twin'],
    );
    const proxied = await asmx(
      'from',
      old,
      join(folder, 'proxied'),
      '--proxy',
      'http://old.example/Old.asmx',
    );
    assert.match(
      proxied.stderr,
      /--proxy must name the server alone, such as http:\/\/old\.example: the 3 services/,
    );
  });

  test('with --proxy passes on what is not written yet, and records it', async (t) => {
    const folder = await place(t);
    const asked: string[] = [];
    const old = createServer((req, res) => {
      asked.push(req.url!);
      req
        .resume()
        .on('end', () =>
          res.writeHead(200, { 'content-type': 'text/xml; charset=utf-8' }).end('<old/>'),
        );
    });
    const port = await listen(t, old);
    await writeFile(join(folder, 'old.wsdl'), wsdlOf(FLAT));
    const project = join(folder, 'made');
    const address = `http://127.0.0.1:${port}/there/Old.asmx`;
    const made = await asmx(
      'from',
      join(folder, 'old.wsdl'),
      project,
      '--proxy',
      address,
      '--network',
      '127.0.0.0/8',
    );
    assert.equal(made.code, 0, made.stderr);
    await installEngine(project);
    const compiled = await compile(project);
    assert.equal(compiled.code, 0, compiled.stdout);
    const tests = await runNode(project, ...SOURCE_ARGUMENTS, ...TEST);
    assert.equal(tests.code, 0, tests.stdout);

    const serve = async () => {
      const serving = [...SOURCE_ARGUMENTS, 'src/server.ts'];
      const { line, lines, end } = startNode(t, project, serving, { PORT: '0' });
      const url = await line(0);
      const call = async () => {
        const body =
          '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Ask xmlns="urn:old"><password>geheim-1</password></Ask></s:Body></s:Envelope>';
        const headers = {
          'content-type': 'text/xml; charset=utf-8',
          soapaction: '"urn:old/Ask"',
          connection: 'close',
        };
        return (await fetch(url, { method: 'POST', headers, body })).text();
      };
      /** The paths that the old server is asked for by targets that lead elsewhere. */
      const tryOthers = async () => {
        const { port, pathname } = new URL(url);
        for (const target of [
          '/%2e%2e/secret',
          '/../secret',
          '/Gone%2f..%2f..%2fsecret',
          '/..%5csecret',
          '/Gone;x',
        ]) {
          const socket = connect(Number(port), '127.0.0.1');
          socket.end(`GET ${pathname}${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
          await text(socket);
        }
      };
      /** Bodies that do not go on, until one of them is told that there are too many. */
      const stall = async () => {
        const { port, pathname } = new URL(url);
        const head = `POST ${pathname}/Gone HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n`;
        const sockets = Array.from({ length: 20 }, () => {
          const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
          socket.write(head);
          socket.write('x'.repeat(1_000_000));
          return socket;
        });
        const told = await Promise.any(
          sockets.map(async (socket) => String((await once(socket, 'data'))[0])),
        );
        for (const socket of sockets) socket.destroy();
        return told;
      };
      return { call, tryOthers, stall, end, lines };
    };
    const before = await serve();
    assert.equal(await before.call(), '<old/>');
    await before.tryOthers();
    assert.match(await before.stall(), /^HTTP\/1\.1 503 /);
    // A call that is cut off by the stop is not told to a recording that is closed.
    assert.deepEqual(await before.end(), [0, null]);
    assert.deepEqual(asked, ['/there/Old.asmx']);
    const { time: _, ms, ...line } = JSON.parse(before.lines[1] ?? '{}');
    const ask = { address: '127.0.0.1', operation: 'Ask', forwarded: true, status: 200 };
    assert.deepEqual(line, ask);
    assert.ok(ms >= 0);
    const [file = ''] = await readdir(join(project, 'recordings'));
    const recording = await readFile(join(project, 'recordings', file), 'utf8');
    assert.match(recording, /"operation":"Ask"/);
    assert.doesNotMatch(recording, /geheim/);

    const handlers = join(project, 'src', 'handlers.ts');
    const unwritten = await readFile(handlers, 'utf8');
    const written = unwritten.replace(/ {2}\/\/ Ask: .*/, "  Ask: () => 'new',");
    await writeFile(handlers, written);
    const after = await serve();
    assert.match(await after.call(), />new</);
    await after.end();
    assert.equal(asked.length, 1);

    // The end of the move, as the README says it.
    const said = await readFile(join(project, 'README.md'), 'utf8');
    const changes = /```diff\n([\s\S]*?)\n```/.exec(said)?.[1]?.split('\n') ?? [];
    const server = join(project, 'src', 'server.ts');
    const kept = (await readFile(server, 'utf8')).split('\n');
    let at = 0;
    for (const change of changes) {
      const line = change.slice(1);
      if (change.startsWith('+')) kept.splice(at++, 0, line);
      else {
        at = kept.indexOf(line);
        assert.ok(at >= 0, `${line} is not in server.ts`);
        kept.splice(at, 1);
      }
    }
    assert.ok(changes.length > 0 && !kept.join().includes('OldServer'), kept.join('\n'));
    await writeFile(server, kept.join('\n'));
    await rm(join(project, 'src', 'upstream.ts'));
    await writeFile(handlers, unwritten.replace(/Partial<(.*)>(?= = \{)/, '$1'));
    const missing = await compile(project);
    assert.match(missing.stdout, /^src\/handlers\.ts.*missing.*\n/);
    assert.doesNotMatch(missing.stdout, /server\.ts/);
    await writeFile(handlers, written);
    const alone = await serve();
    assert.match(await alone.call(), />new</);
  });
});
