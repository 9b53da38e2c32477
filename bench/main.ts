/** `npm run bench -- <name> [arguments]` runs `bench/<name>.ts`; without a name it lists what there is. */
import { readdir } from 'node:fs/promises';

interface Bench {
  /** One line for the list. */
  readonly summary: string;
  run(args: readonly string[]): Promise<void>;
}

const files = (await readdir(import.meta.dirname)).filter((file) => file.endsWith('.ts') && file !== 'main.ts');
const benches = new Map(files.map((file) => [file.slice(0, -'.ts'.length), file]));
const [name, ...args] = process.argv.slice(2);
const file = benches.get(name ?? '');

if (file !== undefined) {
  const bench = (await import(`./${file}`)) as Bench;
  await bench.run(args);
} else {
  for (const [known, path] of benches) {
    const { summary } = (await import(`./${path}`)) as Bench;
    console.log(`npm run bench -- ${known.padEnd(12)} ${summary}`);
  }
  if (name !== undefined) {
    console.error(`There is no bench called ${name}.`);
    process.exitCode = 2;
  }
}
