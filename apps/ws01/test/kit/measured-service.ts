import { fork } from 'node:child_process';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { heard } from '../../../../packages/asmx/test/kit/heard.ts';
import { COMPILED, SOURCE_ARGUMENTS } from '../../../../packages/asmx/test/kit/source-process.ts';
import type { TestDatabase } from './database.ts';
import { TOKEN } from './names.ts';

/** The service in a process of its own, whose memory can be asked for. */
export interface MeasuredService {
  readonly port: number;
  readonly pid: number;
  /** What the process holds, garbage collected; bytes. */
  memory(): Promise<{ readonly rss: number; readonly held: number }>;
  /** Answered calls so far, by the log. */
  answered(): Promise<number>;
}

/** Starts the service on a free port; it is killed after the test. */
export async function measuredService(
  test: TestContext,
  database: TestDatabase,
): Promise<MeasuredService> {
  const child = fork(fileURLToPath(new URL('measured-service-process.ts', import.meta.url)), {
    execArgv: ['--expose-gc', ...SOURCE_ARGUMENTS],
    env: {
      PATH: process.env.PATH ?? '',
      ...COMPILED,
      PORT: '0',
      DATA_DIR: database.dataDir,
      BOOTSTRAP_TOKEN: TOKEN,
      RATE_LIMITS: 'off',
      ...(database.databaseUrl === undefined ? {} : { DATABASE_URL: database.databaseUrl }),
    },
  });
  test.after(() => child.kill('SIGKILL'));
  const ask = async <Answer>(question: string): Promise<Answer> => {
    child.send(question);
    const [answer] = await heard(child, 'message');
    return answer as Answer;
  };
  return {
    port: await ask('port'),
    pid: child.pid!,
    memory: () => ask('memory'),
    answered: () => ask('answered'),
  };
}
