import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { NextPiece } from '../domain/events/live-streams.ts';
import { pageBelow } from '../web/base-path.ts';
import { receivedRequestOf } from '../web/received-request.ts';
import type { Content, Html } from './layout.ts';
import { reauthorize } from './reauthorize.ts';
import type { ConsoleDeps, ConsoleEnv } from './visit.ts';

type C = Context<ConsoleEnv>;

/**
 * The parameter by which the script of a page asks for the part that it keeps up to date. Its value is the mark of
 * what the page shows already.
 */
export const LIVE = 'live';

/** How often a watched part is looked at; ms. */
const EVERY_MS = 2_000;

/** After a look, so many times as long passes before the next: looks at slow lists cost little. */
const REST = 20;

/** How often a stream without news shows that it lives: a browser counts it as lost after 10 s; ms. */
const HEARTBEAT_MS = 5_000;

/** For how many ms a browser waits before it connects again. */
const RETRY_MS = 2_000;

/** A part of a page that is kept up to date. */
export interface Watched {
  /** Reads what the part is made of; when it is another value than before, there is news. */
  readonly look: () => Promise<unknown>;
  readonly part: () => Promise<Content> | Content;
}

/** How a part stands in its page. */
interface Box {
  /** What {@link Watched.look} would read of what is shown. */
  readonly seen: unknown;
  /** Default: `live`. */
  readonly id?: string;
  /** The page to ask for the part; default: this one. */
  readonly path?: string;
  /** Whether its rows are records: they stay where they are until the reader asks for new ones. */
  readonly hasRecords?: boolean;
}

/** Shows a part that is kept up to date while the page is looked at. */
export function liveBox(c: C, content: Content, box: Box): Html {
  const { translate, path } = c.get('visit');
  const { seen, id = 'live', hasRecords = false } = box;
  const stream = new URL(box.path ?? path, 'http://console');
  stream.searchParams.set(LIVE, markOf(seen));
  const news = hasRecords ? html` data-news="${translate('live.news')}"` : '';
  return html`<div id="${id}" data-stream="${stream.pathname}${stream.search}"
data-lost="${translate('live.lost')}" data-ended="${translate('live.ended')}"
data-changed="${translate('live.changed')}"${news}>${content}</div>`;
}

/**
 * Answers the script of a page that asks for its part: with server-sent events, one whenever the
 * part has changed, until the session ends; with the part alone where no stream gets through. To
 * watch a page does not keep the session alive.
 * @returns `undefined` when the page is asked for.
 * @throws {Ws01Error} `RateLimited` and `Busy` when there are too many streams.
 */
export function livePart(
  deps: ConsoleDeps,
  c: C,
  { look, part }: Watched,
): Response | Promise<Response> | undefined {
  const seen = c.req.query(LIVE);
  if (seen === undefined) return undefined;
  const render = async () => html`${await part()}`;
  if (c.req.header('accept') !== 'text/event-stream') return c.html(render());
  const basePath = deps.basePath(receivedRequestOf(c.env.incoming));
  const piece = async () =>
    `data: ${JSON.stringify(pageBelow(basePath, String(await render())))}\n\n`;
  const body = deps.streams.open({
    first: `retry: ${RETRY_MS}\n\n`,
    next: newsOf(look, seen, piece),
    judge: () => reauthorize(deps, c),
    person: `admin ${c.get('admin').id}`,
  });
  return c.body(body, 200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
}

/** Returns what waits until there is news, and says meanwhile that the stream lives. */
function newsOf(look: Watched['look'], shown: string, piece: () => Promise<string>): NextPiece {
  let seen = shown;
  let lookAt = 0;
  return async (signal, isOver) => {
    const beatAt = performance.now() + HEARTBEAT_MS;
    for (;;) {
      const began = performance.now();
      if (began >= lookAt) {
        const mark = markOf(await look());
        const took = performance.now() - began;
        lookAt = began + Math.max(EVERY_MS, took * REST);
        if (mark !== seen) {
          seen = mark;
          return piece();
        }
      }
      if (performance.now() >= beatAt) return 'event: alive\ndata:\n\n';
      await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted || isOver()) return undefined;
    }
  };
}

const markOf = (seen: unknown) =>
  hash('sha256', JSON.stringify(seen) ?? '', 'base64url').slice(0, 12);
