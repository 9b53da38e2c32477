import type { IncomingMessage, ServerResponse } from 'node:http';
import { retryHeader, UNCACHED } from '../failure/answer-headers.ts';
import type { Health } from './health.ts';
import type { TransportCounts } from './transports.ts';

/** Dependencies of the probes. */
export interface ProbeDeps {
  /** Returns the health of the parts; never rejects. */
  readonly health: () => Promise<Health>;
  /** How calls reached the proxy, since the start. */
  readonly transports: () => Promise<TransportCounts>;
  /**
   * Whether the service is draining: it still serves, but a load balancer must send nothing new.
   */
  readonly draining: () => boolean;
  /** Whether the process can continue; if not, it is about to exit. */
  readonly healthy: () => boolean;
}

/**
 * Answers `/healthz`: 200 while the process serves, 503 when it must be replaced; and `/readyz`:
 * 200 if calls can be served, even if a part is degraded, 503 if one is down or the service drains.
 * `/readyz?verbose` returns the state of each part as JSON, since when, and why if anybody may
 * know. The other reasons are only in the log.
 * @returns a listener that returns whether it answered the request.
 */
export function createProbes({
  health,
  transports,
  draining,
  healthy,
}: ProbeDeps): (req: IncomingMessage, res: ServerResponse) => boolean {
  const answerReadiness = async (req: IncomingMessage, res: ServerResponse, verbose: boolean) => {
    const { state, parts } = await health();
    const ready = state !== 'down' && !draining();
    const failing = Object.keys(parts).filter((name) => parts[name]!.state !== 'ok');
    const served = state === 'ok' ? 'ready' : state;
    const word = draining() ? 'draining' : served;
    const told = verbose && isOfThisMachine(req) ? { transports: await transports() } : {};
    const body = verbose ? verboseBody(word, parts, told) : lineOf(word, failing);
    answer(res, ready ? 200 : 503, body, verbose ? 'application/json' : 'text/plain');
  };
  return (req, res) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return false;
    const [path, query] = (req.url ?? '').split('?', 2);
    switch (path) {
      case '/healthz':
        answer(res, healthy() ? 200 : 503, healthy() ? 'ok\n' : 'failed\n', 'text/plain');
        return true;
      case '/readyz':
        answerReadiness(req, res, query?.split('&').includes('verbose') === true);
        return true;
      default:
        return false;
    }
  };
}

const lineOf = (word: string, failing: readonly string[]): string =>
  failing.length === 0 ? `${word}\n` : `${word}: ${failing.join(', ')}\n`;

/** How many calls there are is nobody's business but the operator's. */
function isOfThisMachine({ socket: { remoteAddress = '' }, headers }: IncomingMessage): boolean {
  const isLocal = /^(?:::ffff:)?127\.|^::1$|^$/.test(remoteAddress);
  return isLocal && headers['x-forwarded-for'] === undefined;
}

function verboseBody(
  status: string,
  parts: Health['parts'],
  told: { readonly transports?: TransportCounts },
): string {
  const shown = Object.entries(parts).map(([name, { since, ...health }]) => [
    name,
    { ...health, since: new Date(since).toISOString() },
  ]);
  return `${JSON.stringify({ status, parts: Object.fromEntries(shown), ...told })}\n`;
}

function answer(res: ServerResponse, status: number, body: string, type: string) {
  const headers = {
    'Content-Type': `${type}; charset=UTF-8`,
    'Content-Length': Buffer.byteLength(body),
  };
  // Node leaves out the body for HEAD.
  res.writeHead(status, { ...UNCACHED, ...headers, ...retryHeader(status) }).end(body);
}
