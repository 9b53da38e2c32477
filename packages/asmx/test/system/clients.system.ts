// needs: php=php-cli wsdl=mono-devel svcutil=mono-devel mcs=mono-devel mono=mono-devel wsimport=jaxws javac=default-jdk wsdl2h=gsoap soapcpp2=libgsoap-dev g++ /usr/lib/python3/dist-packages/zeep=python3-zeep /usr/share/java/axis.jar=libaxis-java
/**
 * Clients that other people's tools make of our WSDLs: each calls `Give` of every sample and gives what it got to `Take`, which
 * compares. The Debian packages are those above, with php-soap.
 */
import assert from 'node:assert/strict';
import { type ExecFileOptions, execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nodeListener } from '../../src/index.ts';
import { SAMPLES, sampleEndpoint } from './samples.ts';

const NAMES = Object.keys(SAMPLES);
const JUDGES = fileURLToPath(new URL('./judges/', import.meta.url));
const JAVA = '/usr/share/java';
const ENOUGH_MS = 600_000;

/** What a tool cannot hold, whoever wrote the WSDL: the reason, and what it then says. */
const KNOWN: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  // It reads a data set, but cannot write one.
  zeep: { Data: /has no attribute 'render'/ },
  // Numbers are doubles, and objects forget which class they came as.
  php: { Numbers: /too large or too small for a UInt64/, Zoo: /not the same/ },
  mono: {},
  // It makes data contracts alone: no attributes, no choices, no repeated elements, no data sets; it gives what is absent.
  svcutil: {
    Nullable: /"absent":0/,
    Priced: /error/,
    Flat: /error/,
    People: /error/,
    Either: /error/,
    Data: /no matching element/,
  },
  // It leaves out what is null, and makes two types of a data set.
  axis: { Nullable: /^not the same: \{"some":5,"text":"t"\}/, Data: /argument type mismatch/ },
  // It refuses the schema that ASMX refers to in data sets, unless a customisation is given.
  wsimport: { Data: /ClassNotFoundException/ },
  // Its dates have whole seconds, and it makes two types of a data set.
  gsoap: { Instant: /not the same/, Data: /cannot convert/ },
};

let origin = '';
let folder = '';
const server = createServer();

before(async () => {
  const listeners = NAMES.map((name) => nodeListener(sampleEndpoint(name)));
  server.on('request', (req, res) => {
    if (!listeners.some((listener) => listener(req, res))) res.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'asmx-clients-'));
});
after(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true, force: true });
});

const wsdlOf = (name: string, soapOnly = false) =>
  `${origin}/${name}.asmx?WSDL${soapOnly ? '&bindings=soap' : ''}`;

/** Runs a program. @returns what it printed, whether it went well or not. */
function run(
  program: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      program,
      [...args],
      { timeout: ENOUGH_MS, maxBuffer: 1 << 26, ...options },
      (_, stdout, stderr) => resolve(`${stdout}\n${stderr}`),
    );
  });
}

/** What a judge printed of each sample: its name, a tabulator, and `same` or what was wrong. */
function verdicts(printed: string): Record<string, string> {
  return Object.fromEntries(
    printed.split('\n').flatMap((line) => {
      const [name = '', ...said] = line.split('\t');
      return NAMES.includes(name) && said.length > 0 ? [[name, said.join(' ')]] : [];
    }),
  );
}

function check(tool: string, printed: string): void {
  const said = verdicts(printed);
  const wrong = NAMES.filter((name) => {
    const known = KNOWN[tool]![name];
    return known === undefined ? said[name] !== 'same' : !known.test(said[name] ?? '');
  });
  const same = NAMES.filter((name) => said[name] === 'same').length;
  process.stdout.write(`${tool}: ${same} of ${NAMES.length} same\n`);
  assert.deepEqual(
    wrong.map((name) => `${name}: ${said[name] ?? `nothing. ${printed.slice(-300)}`}`),
    [],
  );
}

/** Two at a time: each is a process of its own. */
async function each(work: (name: string) => Promise<unknown>): Promise<void> {
  const waiting = [...NAMES];
  const next = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await work(name);
  };
  await Promise.all([next(), next()]);
}

async function own(tool: string): Promise<string> {
  const path = join(folder, tool);
  await mkdir(path);
  return path;
}

const jars = (...patterns: readonly string[]) =>
  globSync(patterns.map((pattern) => join(JAVA, `${pattern}.jar`))).join(':');

/** Compiles the classes that were made, and calls with them. @returns what the compiler and the judge print. */
async function judged(side: string, path: string, cwd: string): Promise<string> {
  const made = globSync(join(cwd, 'made/*/*.java'));
  const options = ['-nowarn', '-cp', path, '-d', cwd];
  const compiled = await run('javac', [...options, ...made, join(JUDGES, 'Judge.java')], { cwd });
  const calls = ['-cp', `${path}:${cwd}`, 'Judge', side, origin, ...NAMES];
  return `${compiled}${await run('java', calls, { cwd })}`;
}

suite('clients that other tools make of our WSDLs', () => {
  test('zeep', async () => {
    const urls = NAMES.map((name) => wsdlOf(name));
    check('zeep', await run('/usr/bin/python3', [join(JUDGES, 'judge.py'), ...urls]));
  });

  test('PHP', async () => {
    check(
      'php',
      await run('php', [join(JUDGES, 'judge.php'), ...NAMES.map((name) => wsdlOf(name))]),
    );
  });

  test("Mono's wsdl, which makes the proxies of .NET 2", async () => {
    const cwd = await own('mono');
    await each((name) =>
      run('wsdl', ['-nologo', `-namespace:${name}`, `-out:${name}.cs`, wsdlOf(name)], { cwd }),
    );
    const sources = NAMES.map((name) => `${name}.cs`).filter((file) => existsSync(join(cwd, file)));
    const made = await run(
      'mcs',
      [
        '-nologo',
        '-r:System.Web.Services,System.Xml,System.Data',
        '-out:judge.exe',
        ...sources,
        join(JUDGES, 'Judge.cs'),
      ],
      { cwd },
    );
    check('mono', `${made}${await run('mono', ['judge.exe', origin, ...NAMES], { cwd })}`);
  });

  test("Mono's svcutil, which makes the proxies of WCF", async () => {
    const cwd = await own('svcutil');
    const printed: string[] = [];
    await each(async (name) => {
      await run('svcutil', [`-out:${name}.cs`, wsdlOf(name, true)], { cwd });
      const assemblies =
        '-r:System.ServiceModel,System.Runtime.Serialization,System.Xml,System.Data,System.Web.Services';
      const compiled = await run(
        'mcs',
        ['-nologo', assemblies, `-out:${name}.exe`, `${name}.cs`, join(JUDGES, 'SvcJudge.cs')],
        { cwd },
      );
      const said = await run('mono', [`${name}.exe`, name, `${origin}/${name}.asmx`], { cwd });
      printed.push(
        said.includes(`${name}\t`)
          ? said
          : `${name}\t${compiled.split('\n').find((line) => line.includes('error')) ?? compiled}`,
      );
    });
    check('svcutil', printed.join('\n'));
  });

  test('Axis 1.4: WSDL2Java', async () => {
    const cwd = await own('axis');
    const path = jars(
      'axis',
      'axis-jaxrpc',
      'axis-saaj',
      'commons-logging',
      'commons-discovery',
      'wsdl4j',
      'javax.activation',
      'javax.mail',
    );
    await each((name) =>
      run(
        'java',
        [
          '-cp',
          path,
          'org.apache.axis.wsdl.WSDL2Java',
          '-p',
          `made.of${name.toLowerCase()}`,
          '-o',
          cwd,
          wsdlOf(name, true),
        ],
        { cwd },
      ),
    );
    check('axis', await judged('axis', path, cwd));
  });

  test('JAX-WS: wsimport', async () => {
    const cwd = await own('wsimport');
    const path = jars(
      'jaxws*',
      'jaxb*',
      'saaj*',
      'activation',
      'javax.activation',
      'jws',
      'stax*',
      'FastInfoset',
      'policy',
      'ha-api',
      'gmbal*',
      'mimepull',
      'streambuffer',
      'javax.annotation*',
      'istack*',
      'txw2',
    );
    await each((name) =>
      run(
        'wsimport',
        [
          '-quiet',
          '-Xnocompile',
          '-keep',
          '-p',
          `made.of${name.toLowerCase()}`,
          '-d',
          cwd,
          wsdlOf(name, true),
        ],
        { cwd },
      ),
    );
    check('wsimport', await judged('jaxws', path, cwd));
  });

  test('gSOAP: wsdl2h and soapcpp2', async () => {
    const home = await own('gsoap');
    const printed: string[] = [];
    await each(async (name) => {
      const cwd = join(home, name);
      await mkdir(cwd);
      await run('wsdl2h', ['-o', `${name}.h`, wsdlOf(name, true)], { cwd });
      await run(
        'soapcpp2',
        ['-j', '-C', '-L', '-x', '-I/usr/share/gsoap/import', '-I/usr/share/gsoap', `${name}.h`],
        {
          cwd,
        },
      );
      const proxy =
        /soap(\w+Proxy)\.h/.exec(globSync(join(cwd, 'soap*Proxy.h'))[0] ?? '')?.[1] ?? 'none';
      const maps = globSync(join(cwd, '*.nsmap'));
      const defines = [
        `-DPROXY=${proxy}`,
        `-DPROXY_HEADER="soap${proxy}.h"`,
        `-DNAMESPACES="${maps[0] ?? ''}"`,
      ];
      const sources = globSync(join(cwd, 'soap*.cpp'));
      const uses = await readFile(join(cwd, `${name}.h`), 'utf8').catch(() => '');
      const more = globSync('/usr/share/gsoap/custom/{duration,struct_timeval}.cpp').filter(
        (file) => uses.includes(`custom/${file.split('/').at(-1)!.replace('.cpp', '.h')}`),
      );
      const compiled = await run(
        'g++',
        [
          '-O0',
          '-w',
          `-I${cwd}`,
          '-I/usr/share/gsoap',
          '-I/usr/share/gsoap/custom',
          ...defines,
          '-o',
          'judge',
          join(JUDGES, 'judge.cpp'),
          ...sources,
          ...more,
          '-lgsoap++',
        ],
        { cwd },
      );
      const said = await run(join(cwd, 'judge'), [name, `${origin}/${name}.asmx`], { cwd });
      printed.push(
        said.includes(`${name}\t`)
          ? said
          : `${name}\t${compiled.split('\n').find((line) => line.includes('error')) ?? compiled}`,
      );
    });
    check('gsoap', printed.join('\n'));
  });
});
