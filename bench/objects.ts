import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wsdl } from '../packages/asmx/src/describe/wsdl/wsdl.ts';
import type { BenchOptions } from './kit/bench.ts';
import { envelope, Objects, PATH } from './kit/objects/contract.ts';
import { fixed, printGoal, printTable, progress, withSpread } from './kit/report.ts';
import { ratios, spread } from './kit/statistics.ts';

export const summary =
  'an array of 1,000 objects in and out: CPU time of this engine, npm soap and gSOAP (if installed)';

const OBJECTS = 1_000;
/** The kernel counts CPU time in these; ms. */
const TICK_MS = 10;

interface Side {
  readonly name: string;
  readonly process: ChildProcess;
  readonly port: number;
  readonly agent: Agent;
  readonly cpuMs: number[];
}

/** `npm run bench -- objects` */
export async function run(_args: readonly string[], { quick }: BenchOptions): Promise<unknown> {
  const [rounds, perRound, before] = quick ? [1, 10, 10] : [7, 40, 300];
  const folder = mkdtempSync(join(tmpdir(), 'asmx-objects-'));
  const sides: Side[] = [];
  try {
    const place = { namespace: 'urn:objects', path: PATH, baseUrl: 'http://127.0.0.1' };
    const contract = wsdl(Objects, place);
    sides.push(await start('this engine', process.execPath, [script('ours')]));
    sides.push(await start('npm soap', process.execPath, [script('npm-soap')], contract));
    const native = compileGsoap(folder, contract);
    if (native !== undefined) sides.push(await start('gSOAP', native, []));
    const body = Buffer.from(envelope(OBJECTS));
    // Compilers take a while until they have seen enough.
    for (const side of sides) await calls(side, body, before);
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) {
        // A server that takes less than a tick a call is called more often.
        const asked = perRound * (side.name === 'gSOAP' ? 5 : 1);
        const ticks = cpuTicks(side.process.pid!);
        await calls(side, body, asked);
        side.cpuMs.push(((cpuTicks(side.process.pid!) - ticks) * TICK_MS) / asked);
      }
      progress(`round ${round + 1} of ${rounds}`);
    }
    return report(sides);
  } finally {
    for (const { process: child, agent } of sides) {
      agent.destroy();
      child.kill();
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

const script = (name: string) => join(import.meta.dirname, 'kit', 'objects', `${name}.ts`);

async function start(
  name: string,
  program: string,
  args: readonly string[],
  input = '',
): Promise<Side> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  const [line] = await once(child.stdout, 'data');
  return {
    name,
    process: child,
    port: Number(String(line)),
    agent: new Agent({ keepAlive: true, maxSockets: 1 }),
    cpuMs: [],
  };
}

/** So many calls, one after another: how many does not depend on what else the machine does. */
async function calls(side: Side, body: Buffer, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const answer = await call(side, body);
    const items = answer.split(/<(?:\w+:)?Item>/).length - 1;
    if (items !== OBJECTS)
      throw new Error(`${side.name} answered ${items} objects: ${answer.slice(0, 500)}`);
  }
}

function call({ port, agent }: Side, body: Buffer): Promise<string> {
  const headers = {
    'Content-Type': 'text/xml; charset=utf-8',
    SOAPAction: '"urn:objects/Echo"',
    'Content-Length': body.length,
  };
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path: PATH, method: 'POST', headers, agent },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => resolve(Buffer.concat(pieces).toString()));
        response.on('error', reject);
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

/** User and system time of a process with all its threads (proc(5)). */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** @returns the program; `undefined` where gSOAP is not installed. */
function compileGsoap(folder: string, contract: string): string | undefined {
  const options = { cwd: folder, stdio: 'ignore' } as const;
  try {
    execFileSync('wsdl2h', ['-v'], options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  }
  progress('compiling the server of gSOAP');
  writeFileSync(join(folder, 'objects.wsdl'), contract);
  execFileSync('wsdl2h', ['-o', 'objects.h', 'objects.wsdl'], options);
  execFileSync(
    'soapcpp2',
    ['-j', '-S', '-L', '-x', '-I/usr/share/gsoap/import', 'objects.h'],
    options,
  );
  const sources = [
    join(import.meta.dirname, 'kit/objects/gsoap.cpp'),
    ...globSync(join(folder, 'soap*.cpp')),
  ];
  execFileSync(
    'g++',
    ['-O2', '-w', `-I${folder}`, '-o', 'server', ...sources, '-lgsoap++'],
    options,
  );
  return join(folder, 'server');
}

function report([ours, ...others]: readonly Side[]): unknown {
  const digits = fixed(2);
  printTable(
    [`${OBJECTS} objects in and out`, 'CPU ms per call', 'this engine is so many times as fast'],
    [ours!, ...others].map((side) => [
      side.name,
      withSpread(spread(side.cpuMs), digits),
      side === ours
        ? ''
        : withSpread(
            ratios(side.cpuMs, ours!.cpuMs, (each) => each),
            digits,
          ),
    ]),
  );
  const goals: Readonly<Record<string, number>> = { 'npm soap': 5, gSOAP: 0.5 };
  for (const side of others) {
    const { median } = ratios(side.cpuMs, ours!.cpuMs, (each) => each);
    const goal = goals[side.name]!;
    printGoal(`at least ${goal} times as fast as ${side.name}`, digits(median), median >= goal);
  }
  return [ours!, ...others].map(({ name, cpuMs }) => ({ name, cpuMs }));
}
