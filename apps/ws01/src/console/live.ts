import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import { pageBelow } from '../web/base-path.ts';
import { receivedRequestOf } from '../web/received-request.ts';
import { reauthorize } from './reauthorize.ts';
import type { ConsoleDeps, ConsoleEnv } from './visit.ts';

/** How often a watched page is renewed; ms. */
const EVERY_MS = 2_000;

/** How often a stream without news shows that it lives: a browser counts it as lost after 10 s; ms. */
const HEARTBEAT_MS = 5_000;

/** For how many ms a browser waits before it connects again. */
const RETRY_MS = 2_000;

/**
 * Answers with a stream of a part of a page: as server-sent events, at once and whenever it has changed, until the
 * session ends. A page that is only watched does not keep its session alive.
 * @throws {Ws01Error} `RateLimited` and `Busy` when there are too many streams.
 */
export function liveStream(
  deps: ConsoleDeps,
  c: Context<ConsoleEnv>,
  render: () => Promise<string>,
): Response {
  const basePath = deps.basePath(receivedRequestOf(c.env.incoming));
  let shown: string | undefined;
  const next = async (signal: AbortSignal, isOver: () => boolean) => {
    const until = performance.now() + HEARTBEAT_MS;
    for (;;) {
      if (shown !== undefined)
        await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted || isOver()) return undefined;
      const part = pageBelow(basePath, await render());
      if (part !== shown) {
        shown = part;
        return `data: ${JSON.stringify(part)}\n\n`;
      }
      if (performance.now() >= until) return 'event: alive\ndata:\n\n';
    }
  };
  const body = deps.streams.open({
    first: `retry: ${RETRY_MS}\n\n`,
    next,
    judge: () => reauthorize(deps, c),
    person: `admin ${c.get('admin').id}`,
  });
  return c.body(body, 200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
}
