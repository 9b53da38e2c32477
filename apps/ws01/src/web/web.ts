import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DirectAnswers } from './direct-answers.ts';
import { directListener } from './direct-listener.ts';
import type { PageDeps } from './pages.ts';
import { createProbes, type ProbeDeps } from './probes.ts';

/** Dependencies of everything outside of the endpoint. */
export interface WebDeps extends PageDeps {
  readonly probes: ProbeDeps;
  /** Answers while the service is closed, and returns whether it did. */
  readonly closed: (req: IncomingMessage, res: ServerResponse) => boolean;
  readonly direct: DirectAnswers;
  /**
   * Has a page made in a later turn of the event loop, one in each: what it may cost nobody else is
   * to wait for at a stretch.
   */
  readonly later: (work: () => void) => void;
}

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * Everything a browser or a probe meets outside the endpoint, as one listener of `node:http`.
 * Probes and direct answers are given here; the pages are loaded with the first request for one,
 * since Hono and the `Request` and `Response` of the web, which it is written for, take 20 MB and a
 * third of the time of a start, and many services are only ever called.
 */
export function createWeb(deps: WebDeps): Listener {
  const probes = createProbes(deps.probes);
  const direct = directListener(deps.direct);
  let pages: Listener | undefined;
  const load = async () => {
    const { createPages } = await import('./pages.ts');
    pages ??= createPages(deps);
    return pages;
  };
  const serve: Listener = (req, res) => {
    if (pages !== undefined) return pages(req, res);
    load().then(
      (loaded) => loaded(req, res),
      (error) => {
        deps.log.error({ err: error }, 'the pages cannot be loaded');
        res
          .writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' })
          .end('The server failed.\n');
      },
    );
  };
  return (req, res) => {
    if (!probes(req, res) && !deps.closed(req, res))
      direct(req, res, () => deps.later(() => res.destroyed || serve(req, res)));
  };
}
