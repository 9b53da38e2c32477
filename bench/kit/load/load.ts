import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { LOAD_CORE, leaveServerCore } from '../sides/cores.ts';
import type { LoadFindings, LoadSettings } from './settings.ts';

const PROCESS = `${import.meta.dirname}/load-process.ts`;

/** A process that sends requests and times answers. */
export interface Load {
  /** @throws {Error} when a connection breaks. */
  drive(settings: LoadSettings): Promise<LoadFindings>;
  stop(): Promise<void>;
}

/**
 * Starts the load on its core, where this process and what it starts move too. It stays for many drives, so that its
 * code is warm when it counts.
 */
export function startLoad(): Load {
  leaveServerCore();
  const child = spawn('taskset', ['-c', LOAD_CORE, process.execPath, PROCESS], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const lastResort = () => child.kill();
  process.on('exit', lastResort);
  return {
    async drive(settings) {
      const answered = once(child, 'message');
      child.send(settings);
      const [answer] = (await Promise.race([
        answered,
        ended.then(() => [{ error: 'The load ended.' }]),
      ])) as [{ findings: LoadFindings } | { error: string }];
      if ('error' in answer) throw new Error(answer.error);
      return answer.findings;
    },
    async stop() {
      child.disconnect();
      child.kill();
      await ended;
      process.off('exit', lastResort);
    },
  };
}
