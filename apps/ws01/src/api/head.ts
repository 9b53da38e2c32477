import type { MiddlewareHandler } from 'hono';

/**
 * For HEAD, Hono has the route of GET answer, and drops the body. Ends what would have written it:
 * a live stream, which counts as open, a file, a query.
 */
export const endBodyOfHead: MiddlewareHandler = async (c, next) => {
  await next();
  if (c.req.method === 'HEAD') await c.res.body?.cancel();
};
