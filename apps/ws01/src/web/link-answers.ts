import type { Logger } from 'pino';
import { isLive } from '../domain/links/links.ts';
import { CODE_LENGTH, isShortCode } from '../domain/links/short-code.ts';
import {
  acceptsHtml,
  createDirectFailures,
  type DirectAnswer,
  type DirectAnswers,
  type DirectRequest,
  isUsual,
  QUERY,
  queryOf,
} from './direct-answers.ts';
import { type RedirectDeps, redirectTo } from './link-redirect.ts';

/**
 * Creates the answers to visitors who follow a live short link (semantics 5.11). Links that lead
 * nowhere, codes of another service and other forms of a URL are left to the pages.
 * @param paths where short links are, without trailing slashes; may be empty.
 */
export function createLinkAnswers(
  deps: RedirectDeps,
  paths: readonly string[],
  log: Logger,
): DirectAnswers {
  const failed = createDirectFailures(log);
  const targets = paths.map(
    (path) => new RegExp(`^${RegExp.escape(path)}/(\\w{${CODE_LENGTH}})${QUERY}$`),
  );
  const answer = async (
    code: string,
    request: DirectRequest,
  ): Promise<DirectAnswer | undefined> => {
    try {
      const link = await deps.links.find(code);
      if (link === undefined || !isLive(link, deps.clock())) return undefined;
      const headers = redirectTo(link, request, queryOf(request.target), deps);
      return { status: 302, headers, length: 0, body: '' };
    } catch (error) {
      // Browsers get a page that says it, in their language.
      if (acceptsHtml(request.headers.accept)) return undefined;
      return failed(error, request);
    }
  };
  return (request) => {
    const code = codeIn(targets, request.target);
    return code !== undefined && isShortCode(code) && isUsual(request)
      ? answer(code, request)
      : undefined;
  };
}

function codeIn(targets: readonly RegExp[], target: string): string | undefined {
  for (const pattern of targets) {
    const code = pattern.exec(target)?.[1];
    if (code !== undefined) return code;
  }
  return undefined;
}
