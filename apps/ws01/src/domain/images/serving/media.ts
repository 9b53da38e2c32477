import type { ByteRange, FilePieces } from '../../../adapters/files/file-store.ts';
import type { HotFiles } from '../../../adapters/files/hot-files.ts';
import { prepare } from '../../../store/prepared.ts';
import type { Store } from '../../../store/store.ts';
import { type Instant, VISIBILITY } from '../../../store/tables/tables.ts';
import {
  CONTENT_TYPES,
  keptWidth,
  mediaName,
  parseMediaName,
  type Rendition,
  renditionFormat,
  WIDTHS,
} from '../../values/image-url.ts';
import { fileToShow } from '../rows.ts';
import {
  type RenditionDeps,
  type RenditionRefusal,
  Renditions,
  renditionName,
  sizedName,
} from './renditions.ts';

/** A rendition to serve. */
export interface Medium {
  readonly contentType: string;
  readonly bytes: number;
  /** Identifies exactly these bytes. */
  readonly tag: string;
  /** When the original file was stored. */
  readonly storedAt: Instant;
  /** Whether it depends on the formats that the reader accepts. */
  readonly varies: boolean;
  /** Whether it stands in for one that cannot be had now. */
  readonly standsIn: boolean;
  /** Returns its bytes, or a part of them, in one piece if they are small; `undefined`: ask for its {@link pieces}. */
  piece(range?: ByteRange): Buffer | Promise<Buffer> | undefined;
  /**
   * Returns its bytes, or a part of them, in pieces.
   * @param signal ends the wait for a busy disk.
   */
  pieces(range?: ByteRange, signal?: AbortSignal): Promise<FilePieces>;
}

/**
 * The result of a lookup: a rendition; an image that is permanently gone; nothing; a width that is not served; or an
 * image that would take too many resources, or cannot be decoded.
 */
export type MediumLookup =
  | { readonly kind: 'found'; readonly medium: Medium }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unknownWidth' }
  | { readonly kind: RenditionRefusal };

/** How an image is asked for. */
export interface AskedMedium {
  /** Ends the wait for a busy disk; called if there is one. */
  readonly gone?: (() => AbortSignal) | undefined;
  /** `admins`, whoever may read the records: includes images that are hidden from the public. */
  readonly isFor?: 'public' | 'admins';
  /** The width as it was asked for; of an icon or an animation it is ignored. */
  readonly width?: string | null | undefined;
  /** The header `Accept`. */
  readonly accept?: string | undefined;
}

/** Images as the web serves them. */
export interface Media {
  /**
   * Returns the rendition with a name.
   * @param name the last segment of the URL.
   * @throws {DependencyError} of the database, the files or the decoders.
   */
  find(name: string, asked?: AskedMedium): Promise<MediumLookup>;
  /**
   * Returns a present rendition, the full one unless asked, of the image with a canonical key; otherwise as
   * {@link Media.find}.
   */
  findByKey(
    guid: string,
    asked?: AskedMedium & { readonly rendition?: Rendition },
  ): Promise<MediumLookup>;
}

interface MediaDeps extends RenditionDeps {
  readonly store: Store;
  readonly hotFiles: HotFiles;
}

export function createMedia(deps: MediaDeps): Media {
  const { store, hotFiles } = deps;
  const renditions = new Renditions(deps);
  return {
    async findByKey(guid, { rendition = 'full', ...asked } = {}) {
      const image = await store.read((db) => servedImage.first(db, { guid }));
      if (image === undefined) return { kind: 'unknown' };
      if (image.visibility === VISIBILITY.withdrawn && asked.isFor !== 'admins')
        return { kind: 'gone' };
      return this.find(mediaName(image.hash, image, rendition), asked);
    },

    async find(name, { gone, isFor = 'public', width, accept = '' } = {}) {
      const parsed = parseMediaName(name);
      if (parsed === undefined) return { kind: 'unknown' };
      const { hash, rendition } = parsed;
      // Queried each time, so that an image that was just deleted or hidden on any node is not served.
      const file = await store.read((db) => fileToShow.first(db, { hash }));
      if (file === undefined || name !== mediaName(hash, file, rendition))
        return { kind: 'unknown' };
      if (file.deleted_at !== null || !(file.visible_guid !== null || isFor === 'admins'))
        return { kind: 'gone' };
      const image = { storedAs: file.stored_as, ...file };
      const found = (storedName: string, size: number, rest: Described): MediumLookup => ({
        kind: 'found',
        medium: {
          bytes: size,
          tag: `${hash.slice(0, 32)}-${rest.kept}-${size.toString(36)}`,
          storedAt: file.stored_at,
          piece: (range) => hotFiles.piece(storedName, size, range),
          pieces: (range, signal) => hotFiles.pieces(storedName, size, range, signal),
          ...rest,
        },
      });
      const isSized = typeof width === 'string' && rendition === 'full' && file.frames === 1;
      if (isSized) {
        const asked = WIDTHS.find((one) => String(one) === width);
        if (asked === undefined) return { kind: 'unknownWidth' };
        const kept = keptWidth(file, asked);
        const sized = { width: kept, format: renditions.formatFor(image, kept, accept) };
        const storedName = sizedName(file.stored_as, sized);
        const bytes =
          hotFiles.knownBytes(storedName) ??
          (await renditions.findSized(image, sized, gone?.()))?.bytes;
        const contentType = CONTENT_TYPES[sized.format];
        const described = { varies: true, standsIn: false, contentType };
        if (bytes !== undefined)
          return found(storedName, bytes, { ...described, kept: `${kept}-${sized.format}` });
      }
      const storedName = renditionName(file.stored_as, rendition);
      let bytes = hotFiles.knownBytes(storedName);
      if (bytes === undefined) {
        const kept = await renditions.find(image, rendition, gone?.());
        if (kept.kind !== 'found') return kept;
        bytes = kept.file.bytes;
      }
      const contentType = CONTENT_TYPES[renditionFormat(file, rendition)];
      const described = { varies: isSized, standsIn: isSized, contentType };
      return found(storedName, bytes, { ...described, kept: rendition });
    },
  };
}

/** What a medium is, besides its bytes. @property kept which of the image's renditions it is. */
type Described = Pick<Medium, 'contentType' | 'varies' | 'standsIn'> & { readonly kept: string };

const servedImage = prepare((db, { guid }: { guid: string }) =>
  db
    .selectFrom('images')
    .innerJoin('image_files', 'image_files.hash', 'images.hash')
    .select(['images.hash', 'visibility', 'format', 'served_format'])
    .where('guid', '=', guid),
);
