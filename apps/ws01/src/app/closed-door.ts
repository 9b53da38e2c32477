import type { IncomingMessage, ServerResponse } from 'node:http';
import { Ws01Error } from '../contract/errors.ts';
import { retryHeader, UNCACHED } from '../failure/answer-headers.ts';
import { acceptsHtml, pathOf } from '../web/direct-answers.ts';
import { languageOf } from '../web/language.ts';
import type { ResourceDeps } from './resources.ts';

/** Answers a request by 503 while the service is closed, and returns whether it is. */
export interface ClosedDoor {
  (req: IncomingMessage, res: ServerResponse): boolean;
  readonly isClosed: () => boolean;
}

/** After how many seconds a browser loads the page again. */
const RELOAD_S = 2;

/** What callers get meanwhile. */
export const IN_RESTORE = 'A backup is being restored; try again in a moment.';

type Deps = Pick<ResourceDeps, 'config' | 'restores'>;

/** For what comes while the database is being exchanged. */
export function createClosedDoor(deps: Deps, isClosed: () => boolean): ClosedDoor {
  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    const { headers, body } = await answerTo(deps, req, res);
    const length = Buffer.byteLength(body);
    res.writeHead(503, { ...headers, ...retryHeader(503), 'Content-Length': length }).end(body);
  };
  const door = (req: IncomingMessage, res: ServerResponse) => {
    if (isClosed()) answer(req, res).catch(() => res.destroy());
    return isClosed();
  };
  return Object.assign(door, { isClosed });
}

async function answerTo(deps: Deps, req: IncomingMessage, res: ServerResponse) {
  if (pathOf(req.url ?? '').startsWith('/api/')) {
    const { problemOf } = await import('../api/problem.ts');
    const problem = problemOf(
      new Ws01Error('Busy', IN_RESTORE),
      String(res.getHeader('X-Request-Id')),
    );
    return { headers: Object.fromEntries(problem.headers), body: await problem.text() };
  }
  if (acceptsHtml(req.headers.accept)) return pageFor(deps, req);
  const headers = { ...UNCACHED, 'Content-Type': 'text/plain; charset=UTF-8' };
  return { headers, body: `${IN_RESTORE}\n` };
}

/** A page that is loaded again until the service is open. */
async function pageFor({ config, restores }: Deps, req: IncomingMessage) {
  const [{ sitePage, PAGE_HEADERS }, { siteText }, { html }] = await Promise.all([
    import('../web/site-page.ts'),
    import('../web/site-texts.ts'),
    import('hono/html'),
  ]);
  const language = languageOf(undefined, req.headers['accept-language']);
  const step = restores.progress?.step === 'saving' ? 'saving' : 'restoring';
  const content = html`<p>${siteText(language, `restore.${step}`)}</p>
    <p>${siteText(language, 'restore.wait')}</p>`;
  const visit = { language, site: config.serviceName };
  const page = await sitePage(visit, siteText(language, 'restore.title'), content);
  return {
    headers: {
      ...PAGE_HEADERS,
      'Content-Type': 'text/html; charset=UTF-8',
      Refresh: String(RELOAD_S),
    },
    body: String(page),
  };
}
