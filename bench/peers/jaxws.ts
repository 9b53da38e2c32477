import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSide } from '../kit/sides/side.ts';
import { hasProgram, type Peer } from './peer.ts';

const run = promisify(execFile);

/** Where Debian puts libraries of Java. */
const JARS = '/usr/share/java';
const CLASS_PATH = [
  'jaxws-rt',
  'jaxws-api',
  'jws-api',
  'jaxb-api',
  'jaxb-runtime',
  'saaj',
  'javax.activation',
];

/** JAX-WS RI 2.3 on the HTTP server of the JDK; Debian: openjdk-17-jdk-headless, libjaxws-java. */
export const jaxws: Peer = {
  name: 'JAX-WS RI, JDK HTTP server',
  async start() {
    if (!hasProgram('javac') || !existsSync(`${JARS}/jaxws-rt.jar`)) return undefined;
    const folder = mkdtempSync(join(tmpdir(), 'ws01-jaxws-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    const path = [folder, ...CLASS_PATH.map((name) => `${JARS}/${name}.jar`)].join(':');
    await run('javac', [
      '-proc:none',
      '-cp',
      path,
      '-d',
      folder,
      `${import.meta.dirname}/jaxws/Server.java`,
    ]);
    const settings = ['-XX:+UseSerialGC', '-Dsun.net.httpserver.nodelay=true'];
    return startSide(this.name, ['java', ...settings, '-cp', path, 'Server']);
  },
};
