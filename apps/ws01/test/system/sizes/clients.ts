import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { ECHO_NAMESPACE } from '../../kit/echo.ts';
import type { ClientCall } from './hashing-echo.ts';
import type { Line } from './lines.ts';

const SOURCES = fileURLToPath(new URL('./clients/', import.meta.url));
const ENVELOPE = 'http://schemas.xmlsoap.org/soap/envelope/';

/** @returns what a program printed, and what went wrong behind it. */
export function run(program: string, args: readonly string[], cwd?: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, [...args], { maxBuffer: 1 << 29, cwd }, (_, stdout, stderr) =>
      resolve(stderr === '' ? stdout : `${stdout}\n${stderr}`),
    );
  });
}

/** Jars of Debian, without those that have their version in the name. */
const jars = (...names: readonly string[]) =>
  globSync(names.map((name) => `/usr/share/java/${name}.jar`))
    .filter((path) => !/-\d/.test(path))
    .join(':');
const AXIS = jars(
  'axis*',
  'commons-{logging,discovery,httpclient,codec}',
  'javax.activation',
  'wsdl4j',
);
const JAXWS = jars(
  ...['jaxws*', 'jaxb*', 'saaj-impl', 'javax.xml.soap-api', 'javax.activation', 'jws-api', 'stax*'],
  ...['FastInfoset', 'metro-policy', 'ha-api', 'gmbal*', 'mimepull', 'streambuffer'],
  ...['javax.annotation*', 'istack*', 'txw2', '*pfl-*'],
);

/** Compiles the clients that are compiled, into a folder. */
export async function buildClients(folder: string): Promise<void> {
  const java = (name: string) => join(SOURCES, `${name}.java`);
  const compile = (into: string, path: string, ...names: readonly string[]) =>
    run('javac', ['-nowarn', '-d', join(folder, into), '-cp', path, ...names.map(java)]);
  await copyFile(join(SOURCES, 'client.go'), join(folder, 'client.go'));
  const said = [
    await compile('http', '.', 'Http'),
    await compile('axis', AXIS, 'Axis', 'Soap'),
    await compile('jaxws', JAXWS, 'Jaxws', 'Soap'),
    await run('go', ['build', '-o', 'client', 'client.go'], folder),
  ];
  const made = ['http/Http.class', 'axis/Axis.class', 'jaxws/Jaxws.class', 'client'];
  const missing = made.filter((file) => !existsSync(join(folder, file)));
  if (missing.length > 0) throw new Error(`${missing.join(', ')}: ${said.join('\n')}`);
}

/** Clients by their command line, to which URL and calls are added. */
export const CLIENTS: Readonly<Record<string, (folder: string) => readonly [string, ...string[]]>> =
  {
    PHP: () => ['php', join(SOURCES, 'php.php')],
    Python: () => ['/usr/bin/python3', join(SOURCES, 'python.py')],
    Perl: () => ['perl', join(SOURCES, 'perl.pl')],
    Go: (folder) => [join(folder, 'client')],
    Java: (folder) => ['java', '-cp', join(folder, 'http'), 'Http'],
    'JAX-WS': (folder) => ['java', '-cp', `${join(folder, 'jaxws')}:${JAXWS}`, 'Jaxws'],
    Axis: (folder) => ['java', '-cp', `${join(folder, 'axis')}:${AXIS}`, 'Axis'],
    'npm soap': () => [process.execPath, join(SOURCES, 'npm-soap.ts')],
  };

/** Writes calls for clients: a line with name, operation, file of the SOAP 1.1 message, and `parameter=file`s. @returns its path. */
export async function writeCalls(folder: string, calls: readonly ClientCall[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const lines = calls.map(async ({ name, operation, values }, at) => {
    const body = join(folder, `${at}.xml`);
    const inner = Object.entries(values).map(([key, value]) => `<${key}>${value}</${key}>`);
    const call = `<${operation} xmlns="${ECHO_NAMESPACE}">${inner.join('')}</${operation}>`;
    const message = `<s:Envelope xmlns:s="${ENVELOPE}"><s:Body>${call}</s:Body></s:Envelope>`;
    await writeFile(body, message);
    await writeFile(`${body}.gz`, gzipSync(message));
    const files = Object.entries(values).map(async ([key, value]) => {
      await writeFile(join(folder, `${at}.${key}`), value);
      return `${key}=${join(folder, `${at}.${key}`)}`;
    });
    return [name, operation, body, ...(await Promise.all(files))].join('\t');
  });
  const path = join(folder, 'calls');
  await writeFile(path, `${(await Promise.all(lines)).join('\n')}\n`);
  return path;
}

/** A line that a client printed: way, name, `ok`, `error` or the status of HTTP, and a result, a message or a body. */
export function lineOf(printed: string): Line {
  const [way = '', name = '', kind = '', ...rest] = printed.split('\t');
  const text = rest.join('\t');
  if (kind === 'ok') return { way, name, answer: text.trim(), error: null };
  if (kind === '200') return { way, name, answer: partOf(text, '\\w+Result'), error: null };
  return { way, name, answer: null, error: kind === 'error' ? text : partOf(text, 'faultstring') };
}

function partOf(body: string, element: string): string {
  return new RegExp(`<(${element})>(.*?)</\\1>`, 's').exec(body)?.[2] ?? body.slice(0, 300);
}

/** curl's ways to send. */
const CURL: Readonly<Record<string, readonly string[]>> = {
  curl: ['-H', 'Expect:'],
  'curl chunked': ['-H', 'Expect:', '-H', 'Transfer-Encoding: chunked'],
  'curl Expect': ['-H', 'Expect: 100-continue'],
  'curl chunked Expect': ['-H', 'Expect: 100-continue', '-H', 'Transfer-Encoding: chunked'],
  'curl gzip': ['-H', 'Content-Encoding: gzip'],
  'curl chunked gzip': ['-H', 'Content-Encoding: gzip', '-H', 'Transfer-Encoding: chunked'],
  'curl HTTP/1.0': ['--http1.0', '-H', 'Expect:'],
  'curl read slowly': ['-H', 'Expect:', '--limit-rate', '2M'],
};

/** Calls by curl, a process each. @param more options for all; with HTTP/2 there are no chunks and no HTTP/1.0. */
export async function curl(url: string, calls: string, more: readonly string[]): Promise<Line[]> {
  const lines = (await readFile(calls, 'utf8')).trim().split('\n');
  const all: Line[] = [];
  for (const [way, options] of Object.entries(CURL)) {
    if (more.length > 0 && /chunked|1\.0/.test(way)) continue;
    for (const line of lines) {
      const [name = '', operation, body = ''] = line.split('\t');
      const file = way.includes('gzip') ? `${body}.gz` : body;
      const said = await run('curl', [
        ...['-s', '-w', '\t%{http_code}', ...more, ...options],
        ...['-H', 'Content-Type: text/xml; charset=utf-8'],
        ...['-H', `SOAPAction: "${ECHO_NAMESPACE}/${operation}"`, '--data-binary', `@${file}`, url],
      ]);
      const at = said.lastIndexOf('\t');
      all.push(lineOf([way, name, said.slice(at + 1), said.slice(0, at)].join('\t')));
    }
  }
  return all;
}
