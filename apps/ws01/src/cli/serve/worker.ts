import type { Logger } from 'pino';
import type { PeerMessage } from '../../app/peer-messages.ts';
import type { WorkerProcess } from '../../cluster/worker-process.ts';
import type { Config } from '../../config/config.ts';
import { serviceManager } from '../../config/environment.ts';
import { tell } from '../failure.ts';
import { startApp } from './start-app.ts';
import { stopInTime } from './stop.ts';

/**
 * Serves as one of several workers until the primary process or a signal wants it to stop. At a terminal Ctrl-C reaches
 * every process, and a manager of services may signal all of them: whoever is first is obeyed.
 * @param signalled resolves at the first signal.
 */
export async function serveAsWorker(
  worker: WorkerProcess<PeerMessage>,
  config: Config,
  parentLog: Logger,
  signalled: Promise<unknown>,
): Promise<void> {
  const log = parentLog.child({ worker: worker.id });
  // The primary process hears of it, too, and says what is to be done.
  process.on('SIGHUP', () => {});
  const told = Promise.race([signalled.then(() => ({ replaced: false })), worker.stopRequested]);
  const stopRequested = told.then(() => 'stop' as const);
  try {
    const app = await Promise.race([
      startApp(config, log, worker, serviceManager(process.ppid).listenFd),
      stopRequested,
    ]);
    if (app === 'stop') process.exit(0);
    const { url, host, port, firstToken } = app;
    worker.onReport(() => app.report());
    worker.listening({ url, host, port, firstToken });
    const { replaced } = await told;
    log.info('stopping');
    await stopInTime(app, config, log, !replaced);
    await worker.report();
    worker.leave();
  } catch (error) {
    await worker.failed(tell(error).text);
    process.exit(1);
  }
}
