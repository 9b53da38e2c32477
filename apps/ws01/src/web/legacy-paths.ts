import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import type { Media } from '../domain/images/serving/media.ts';
import { canonicalKey } from '../domain/values/keys.ts';
import { type KeyInPath, keyInPath, type PathPattern } from '../domain/values/path-pattern.ts';
import type { PictureAnswers } from './image-answers.ts';
import { answerImage } from './media-pages.ts';
import { answerLink, type ShortLinkDeps } from './short-links.ts';

/** The paths of images and short links of an old service. */
export interface LegacyPaths {
  readonly images: readonly PathPattern[];
  readonly links: readonly PathPattern[];
}

interface LegacyDeps {
  readonly media: Pick<Media, 'findByKey'>;
  readonly shortLinks: ShortLinkDeps;
  readonly pictures: PictureAnswers;
}

/** The image of a key may change, so clients must revalidate. */
const REVALIDATED = 'no-cache';

/** Serves the paths of an old service like the new ones; passes on other paths. */
export function legacyPages(
  { images, links }: LegacyPaths,
  { media, shortLinks, pictures }: LegacyDeps,
): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (c, next) => {
    const { url = '', originalUrl = url } = c.env.incoming as Arrived;
    const targets = [url, originalUrl];
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') return next();
    const image = found(images, targets);
    if (image !== undefined) {
      const key = canonicalKey(image.key);
      const find = (gone?: () => AbortSignal) => media.findByKey(key, { gone });
      return answerImage(c, pictures, find, REVALIDATED);
    }
    const link = found(links, targets);
    return link === undefined
      ? next()
      : answerLink(c, link.key, 'redirect', shortLinks, link.query);
  };
}

/** A request whose target may have lost the path of `BASE_URL`. */
type Arrived = HttpBindings['incoming'] & { readonly originalUrl?: string };

function found(
  patterns: readonly PathPattern[],
  targets: readonly string[],
): KeyInPath | undefined {
  for (const pattern of patterns) {
    for (const target of targets) {
      const key = keyInPath(pattern, target);
      if (key !== undefined) return key;
    }
  }
  return undefined;
}
