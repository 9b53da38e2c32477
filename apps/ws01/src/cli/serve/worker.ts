import type { Logger } from 'pino';
import type { PeerMessage } from '../../app/peer-messages.ts';
import type { WorkerProcess } from '../../cluster/worker-process.ts';
import type { Config } from '../../config/config.ts';
import { serviceManager } from '../../config/environment.ts';
import { describeError } from '../failure.ts';
import { startApp } from './start-app.ts';
import { stopInTime } from './stop.ts';

/**
 * Serves as a worker until the primary process or a signal stops it. Ctrl-C reaches every process,
 * and a service manager may signal all of them: the first signal counts.
 * @param signalled resolves at the first signal.
 */
export async function serveAsWorker(
  worker: WorkerProcess<PeerMessage>,
  config: Config,
  parentLog: Logger,
  signalled: Promise<unknown>,
): Promise<void> {
  const log = parentLog.child({ worker: worker.id });
  // The primary process gets the signal, too, and decides.
  process.on('SIGHUP', () => {});
  const stopRequested = Promise.race([signalled, worker.stopRequested]).then(() => 'stop' as const);
  try {
    const app = await Promise.race([
      startApp(config, log, worker, serviceManager(process.ppid).listenFd),
      stopRequested,
    ]);
    if (app === 'stop') process.exit(0);
    const { url, host, port, firstToken } = app;
    worker.onReport(() => app.report());
    worker.listening({ url, host, port, firstToken });
    signalled.then(() => worker.askToStop());
    worker.drainRequested.then(() => app.drain());
    const { drained } = await worker.stopRequested;
    log.info('stopping');
    await stopInTime(app, config, log, !drained);
    await worker.report();
    worker.leave();
  } catch (error) {
    await worker.failed(describeError(error).text);
    process.exit(1);
  }
}
