/** `npm run fuzz`: fuzzes readers, see {@link USAGE}. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MINUTE_MS } from '@ws01/asmx/time';
import { Finding, fileName, fuzz, keep } from './kit/fuzzer.ts';
import { TARGETS } from './targets/index.ts';

const USAGE = `npm run fuzz -- <name> --minutes <n>   fuzzes a reader, or all of them one after another
npm run fuzz -- --list                 what there is
npm run fuzz -- <name> --file <path>   runs one input, such as one that was found

--minutes <n>   how long, 1 when absent; fractions are fine
--seed <n>      the same inputs again; otherwise others each time
--keep          adds inputs that ran something new to fuzz/corpus, to be committed while they are few and small
--json          prints figures as JSON
Names: all, ${TARGETS.map(({ name }) => name).join(', ')}.
The exit code is 1 when something was found; the input is then in fuzz/found.
`;

const FOUND = fileURLToPath(new URL('found/', import.meta.url));
const PROGRESS_MS = 5_000;

const { values, positionals } = readArguments();
const [name] = positionals;
if (values.help) console.log(USAGE);
else if (values.list)
  for (const target of TARGETS) console.log(`${target.name.padEnd(12)} ${target.summary}`);
else await run();

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        minutes: { type: 'string', default: '1' },
        seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
        file: { type: 'string' },
        keep: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function refuse(message: string): never {
  console.error(`fuzz: ${message}\n\n${USAGE}`);
  process.exit(2);
}

async function run(): Promise<void> {
  const targets = TARGETS.filter((target) => name === 'all' || target.name === name);
  const minutes = Number(values.minutes);
  if (targets.length === 0) refuse(`there is no reader called ${name ?? 'nothing'}.`);
  if (!(minutes > 0)) refuse(`--minutes must be a number above 0, not ${values.minutes}.`);
  for (const target of targets) {
    try {
      if (values.file !== undefined) {
        await target.run(await readFile(values.file));
        console.log(`${target.name}: nothing found.`);
      } else await fuzzOne(target, minutes);
    } catch (error) {
      await tell(target.name, error);
    }
  }
  // A reader that was found wanting may leave something behind that would keep the process.
  process.exit();
}

async function fuzzOne(target: (typeof TARGETS)[number], minutes: number): Promise<void> {
  const started = performance.now();
  let told = started;
  const { executions, covered, corpus, added } = await fuzz(target, {
    durationMs: minutes * MINUTE_MS,
    seed: Number(values.seed),
    judgeTime: true,
    onProgress(progress) {
      if (performance.now() - told < PROGRESS_MS) return;
      told = performance.now();
      process.stderr.write(
        `${target.name}: ${progress.executions} executions, corpus ${progress.corpus}\n`,
      );
    },
  });
  if (values.keep) await keep(target.name, added);
  const seconds = Math.round((performance.now() - started) / 1000);
  if (values.json)
    console.log(
      JSON.stringify({
        name: target.name,
        seconds,
        executions,
        covered,
        corpus,
        added: added.length,
        seed: values.seed,
      }),
    );
  else
    console.log(
      `${target.name}: nothing found. ${executions} executions in ${seconds} s, ${covered} characters of source covered, corpus ${corpus}, ${added.length} of them new.`,
    );
}

async function tell(target: string, error: unknown): Promise<void> {
  process.exitCode = 1;
  if (!(error instanceof Finding)) {
    console.error(`${target}: ${(error as Error).stack}`);
    return;
  }
  await mkdir(FOUND, { recursive: true });
  const path = join(FOUND, `${target}-${fileName(error.input)}`);
  await writeFile(path, error.input);
  const { stack } = error.cause instanceof Error ? error.cause : error;
  console.error(
    `${target}: ${stack}\n\nThe input is ${path}; run it with: npm run fuzz -- ${target} --file ${path}`,
  );
}
