import { Readable } from 'node:stream';
import { streamOf } from '../adapters/files/hot-files.ts';
import { Ws01Error } from '../contract/errors.ts';
import type { Media } from '../domain/images/serving/media.ts';
import { mediaName, type Rendition } from '../domain/values/image-url.ts';
import { notFound, readRow } from './kind.ts';
import { IMAGES } from './kinds.ts';
import { Raw, type Route } from './route.ts';
import { text, word } from './schema.ts';
import type { VerbDeps } from './verbs.ts';

/** Dependencies of the image routes. */
export interface ImageRouteDeps extends Pick<VerbDeps, 'store'> {
  readonly media: Pick<Media, 'find'>;
}

/** Serves an image file; moderators also get images that are hidden from the public. */
export function imageFileRoute({ store, media }: ImageRouteDeps): Route {
  return {
    method: 'get',
    path: '/images/{fileGuid}/file',
    id: 'getImageFile',
    tag: 'images',
    summary: 'The picture itself, also of one that is held or removed',
    role: 'moderator',
    query: { size: { ...word('All of it, or small.', 'full', 'icon'), default: 'full' } },
    result: text('The bytes of the picture, in its own format.'),
    contentType: 'image/*',
    errors: ['NotFound', 'StorageUnavailable'],
    async run({ path, query }) {
      const row = await readRow(store, IMAGES, path.fileGuid!);
      const found = await media.find(mediaName(row.hash, row, query.size as Rendition), {
        isFor: 'moderators',
      });
      if (found.kind === 'tooLarge')
        throw new Ws01Error('TooLarge', 'Showing it takes more than this service allows.');
      if (found.kind === 'unreadable')
        throw new Ws01Error('NotFound', 'The image is damaged and cannot be shown.');
      if (found.kind !== 'found') throw notFound(IMAGES, path.fileGuid!);
      const bytes = streamOf(await found.medium.pieces());
      return new Raw(Readable.toWeb(bytes) as ReadableStream, found.medium.contentType);
    },
  };
}
