/**
 * A process of its own that uses a store: `node child.ts <task> <options as JSON>`. It says `ready` when its modules
 * are loaded and waits for a line before it begins, so that several can begin at once.
 */
import { once } from 'node:events';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { insertBoth, insertCategory } from './rows.ts';

export interface ChildOptions {
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  /** Beginning of the keys it writes. */
  readonly prefix?: string;
  /** Writes it makes; without end when absent. */
  readonly count?: number;
  /** How many it makes at once; 20 when absent. */
  readonly clients?: number;
  /** Rows that each inserts; 1 when absent. */
  readonly rows?: number;
  /** Whether it is a command beside a service. */
  readonly guest?: boolean;
}

const [task = '', json = '{}'] = process.argv.slice(2);
const options: ChildOptions = JSON.parse(json);

const tasks: Record<string, (store: Store) => Promise<void>> = {
  /** Only opens, which migrates. */
  open: async () => {},
  /** Makes parallel writes, and says each key when its write has been answered. */
  write: async (store) => {
    const { prefix = '', count = Number.POSITIVE_INFINITY, clients = 20, rows = 1 } = options;
    let next = 0;
    const client = async () => {
      while (next < count) {
        const key = `${prefix}${next++}`;
        await store.write(async (tx) => {
          await insertBoth(tx, key);
          for (let row = 1; row < rows; row++) await insertCategory(tx, `${key} ${row}`);
        });
        process.stdout.write(`${key}\n`);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
  },
  /** Writes large rows until the disk takes no more, then says why and whether reading still works. */
  fill: async (store) => {
    try {
      for (let n = 0; n < 10_000; n++) {
        await store.write((tx) => insertBoth(tx, `${n} ${'x'.repeat(10_000)}`));
        process.stdout.write(`${n}\n`);
      }
    } catch (error) {
      const { kind } = error as { kind?: string };
      const { n } = await store.read((db) =>
        db
          .selectFrom('articles')
          .select((eb) => eb.fn.countAll<number>().as('n'))
          .executeTakeFirstOrThrow(),
      );
      process.stdout.write(`failed ${kind} with ${n}\n`);
    }
  },
};

process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
const store = await openStore(options);
await tasks[task]!(store);
await store.close();
