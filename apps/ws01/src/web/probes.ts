import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';

const HEADERS = {
  'Content-Type': 'text/plain; charset=UTF-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * Answers `/healthz`, that the process serves, and `/readyz`, whether calls can be served. The reason why not stays in
 * the log: a probe needs the status alone. It is told once when it begins and once when it is over, since probes come
 * every few seconds.
 * @param check rejects with the reason when calls cannot be served.
 * @returns a listener that says whether a request was a probe's, and leaves it alone when it was not.
 */
export function createProbes(
  check: () => Promise<void>,
  log: Logger,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  let ready = true;
  const answerReadiness = async (res: ServerResponse) => {
    try {
      await check();
      if (!ready) log.info('ready again');
      ready = true;
      answer(res, 200, 'ready');
    } catch (error) {
      if (ready) log.warn({ err: error }, NOT_READY);
      ready = false;
      answer(res, 503, NOT_READY, { 'Retry-After': '5' });
    }
  };
  return (req, res) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return false;
    switch (req.url?.split('?', 1)[0]) {
      case '/healthz':
        answer(res, 200, 'ok');
        return true;
      case '/readyz':
        answerReadiness(res);
        return true;
      default:
        return false;
    }
  };
}

const NOT_READY = 'not ready: the database, the disk or a library cannot be used';

function answer(res: ServerResponse, status: number, line: string, headers: Readonly<Record<string, string>> = {}) {
  const body = `${line}\n`;
  // Node leaves the body out where the method is HEAD.
  res.writeHead(status, { ...HEADERS, ...headers, 'Content-Length': body.length }).end(body);
}
