import { Readable } from 'node:stream';
import { streamOf } from '../adapters/files/hot-files.ts';
import type { ReceivedFile, Spool } from '../adapters/files/spool.ts';
import { Ws01Error } from '../contract/errors.ts';
import { LENGTHS } from '../contract/parameters.ts';
import { say } from '../contract/sentence.ts';
import type { Media } from '../domain/images/serving/media.ts';
import { receiveImage, type UploadDeps } from '../domain/images/upload.ts';
import { ImageRefusal } from '../domain/images/validation/refusal.ts';
import { mediaName, type Rendition } from '../domain/values/image-url.ts';
import { newKey, optionalKey } from '../domain/values/keys.ts';
import { contextOf } from './content-routes.ts';
import { findRow, itemOf, notFound, readRow } from './kind.ts';
import { itemSchema } from './kind-routes.ts';
import { IMAGES } from './kinds.ts';
import { invalid } from './problem.ts';
import { type ApiCall, Raw, type Route } from './route.ts';
import { flag, object, text, word } from './schema.ts';
import type { VerbDeps } from './verbs.ts';

/** Dependencies of the image routes. */
export interface ImageRouteDeps extends Pick<VerbDeps, 'store'> {
  readonly media: Pick<Media, 'find'>;
}

/** Dependencies of the route that takes pictures. */
export interface UploadRouteDeps extends UploadDeps, Pick<VerbDeps, 'shown'> {
  /** Maximum length of a picture; bytes. */
  readonly maxImageBytes: number;
}

/**
 * Serves the file of an image to callers who may read its record, even while it is hidden from the
 * public.
 */
export function imageFileRoute({ store, media }: ImageRouteDeps): Route {
  return {
    method: 'get',
    path: '/images/{fileGuid}/file',
    id: 'getImageFile',
    tag: 'images',
    summary: 'The picture itself, also of one that is held or removed',
    role: 'reader',
    query: { size: { ...word('All of it, or small.', 'full', 'icon'), default: 'full' } },
    result: text('The bytes of the picture, in its own format.'),
    contentType: 'image/*',
    errors: ['NotFound', 'StorageUnavailable'],
    async run({ path, query }) {
      const row = await readRow(store, IMAGES, path.fileGuid!);
      const found = await media.find(mediaName(row.hash, row, query.size as Rendition), {
        isFor: 'admins',
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

/** Takes a picture: a new one, or another file for the key of one. */
export function uploadRoute(deps: UploadRouteDeps): Route {
  return {
    method: 'post',
    path: '/images',
    id: 'putImage',
    tag: 'images',
    summary:
      'Store a picture; with the key of one, it gets another file, and keeps what is not given',
    role: 'owner',
    query: {
      fileGuid: text('Its key; one is made where none is given.', { maxLength: LENGTHS.key }),
      linkGuid: text('The record that it belongs to.', { maxLength: LENGTHS.key }),
      category: text('Its category.', { maxLength: LENGTHS.category }),
      isIcon: flag('Whether it is an icon of that record.'),
    },
    bytes: 'image/*',
    result: { ...object({ item: itemSchema(IMAGES) }), title: 'NewImage' },
    status: 201,
    errors: ['TooLarge', 'Busy'],
    async run(call) {
      const { fileGuid, linkGuid, category, isIcon } = call.query as Readonly<
        Record<'fileGuid' | 'linkGuid' | 'category', string | undefined>
      > & { readonly isIcon?: boolean };
      const guid = optionalKey(fileGuid, 'fileGuid') ?? newKey();
      const present = await deps.store.read((db) => findRow(db, IMAGES, guid));
      const put = {
        ...{ context: contextOf(call), guid, at: deps.clock() },
        origin: { address: call.address, claimed: undefined },
        linkGuid: optionalKey(linkGuid, 'linkGuid') ?? present?.link_guid ?? undefined,
        category: category ?? present?.category ?? '',
        isIcon: isIcon ?? present?.is_icon === 1,
      };
      await receiving(deps, call, (file) => receiveImage(deps, put, file));
      const row = await readRow(deps.store, IMAGES, guid);
      return { item: itemOf(IMAGES.fields, row, deps.shown(call), call.principal, true) };
    },
  };
}

/** @throws {Ws01Error} `TooLarge`; `InvalidParameter` for what is no acceptable picture. */
async function receiving(
  {
    files,
    maxImageBytes,
  }: Pick<UploadRouteDeps, 'maxImageBytes'> & {
    readonly files: { readonly spool: Pick<Spool, 'receive'> };
  },
  { bytes: body }: ApiCall,
  work: (file: ReceivedFile) => Promise<void>,
): Promise<void> {
  const upload = files.spool.receive();
  try {
    let bytes = 0;
    for await (const piece of body ?? []) {
      bytes += piece.byteLength;
      if (bytes > maxImageBytes)
        throw new Ws01Error(
          'TooLarge',
          say`The body must have at most ${{ most: maxImageBytes }} bytes.`,
        );
      await upload.write(piece);
    }
    if (bytes === 0)
      throw new Ws01Error('MissingParameter', 'file is required; send a picture as the body.', {
        parameter: 'file',
      });
    await work(await upload.finish());
  } catch (error) {
    if (error instanceof ImageRefusal) throw invalid('file', error.message);
    throw error;
  } finally {
    await upload.release();
  }
}
