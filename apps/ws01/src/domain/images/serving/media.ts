import type { ByteRange, FilePieces } from '../../../adapters/files/file-store.ts';
import type { HotFiles } from '../../../adapters/files/hot-files.ts';
import { prepare } from '../../../store/prepared.ts';
import type { Store } from '../../../store/store.ts';
import { type ImageFilesTable, type Instant, VISIBILITY } from '../../../store/tables/tables.ts';
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
  type KeptImage,
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
  /**
   * Returns its bytes, or a part of them, in one piece if they are small; `undefined`: ask for its
   * {@link pieces}.
   */
  piece(range?: ByteRange): Buffer | Promise<Buffer> | undefined;
  /**
   * Returns its bytes, or a part of them, in pieces.
   * @param signal ends the wait for a busy disk.
   */
  pieces(range?: ByteRange, signal?: AbortSignal): Promise<FilePieces>;
}

/**
 * The result of a lookup: a rendition; an image that is permanently gone; nothing; a width that is
 * not served; or an image that would take too many resources, or cannot be decoded.
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
  /** `admins` also get images that are hidden from the public; they may read the records. */
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
   * Returns a present rendition, the full one unless asked, of the image with a canonical key;
   * otherwise as {@link Media.find}.
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
  const { store } = deps;
  const renditions = new ServedRenditions(deps);
  return {
    async findByKey(guid, { rendition = 'full', ...asked } = {}) {
      const image = await store.read((db) => servedImage.first(db, { guid }));
      if (image === undefined) return { kind: 'unknown' };
      if (image.visibility === VISIBILITY.withdrawn && asked.isFor !== 'admins')
        return { kind: 'gone' };
      return this.find(mediaName(image.hash, image, rendition), asked);
    },

    async find(name, asked = {}) {
      const { hash, rendition } = parseMediaName(name) ?? {};
      if (hash === undefined || rendition === undefined) return { kind: 'unknown' };
      // Queried each time, so that an image that was just deleted or hidden on any node is not
      // served.
      const row = await store.read((db) => fileToShow.first(db, { hash }));
      if (row === undefined || name !== mediaName(hash, row, rendition)) return { kind: 'unknown' };
      const isSeen = row.visible_guid !== null || asked.isFor === 'admins';
      if (row.deleted_at !== null || !isSeen) return { kind: 'gone' };
      const file = { ...row, hash, storedAs: row.stored_as };

      const isSized = typeof asked.width === 'string' && rendition === 'full' && file.frames === 1;
      if (isSized) {
        const width = WIDTHS.find((one) => String(one) === asked.width);
        if (width === undefined) return { kind: 'unknownWidth' };
        const sized = await renditions.findSized(file, keptWidth(file, width), asked);
        if (sized !== undefined)
          return renditions.found(file, sized, { varies: true, standsIn: false });
      }
      const whole = await renditions.findWhole(file, rendition, asked);
      if (typeof whole === 'string') return { kind: whole };
      return renditions.found(file, whole, { varies: isSized, standsIn: isSized });
    },
  };
}

/** An image that may be shown. */
type ShownFile = KeptImage & Pick<ImageFilesTable, 'hash' | 'stored_at'>;

/** A rendition that is there. */
interface StoredRendition extends Pick<Medium, 'contentType' | 'bytes'> {
  /** Of its file. */
  readonly name: string;
  /** Which of the image's renditions it is. */
  readonly kept: string;
}

/** The renditions of images that may be shown, and what they are served as. */
class ServedRenditions {
  readonly #renditions: Renditions;
  readonly #hotFiles: HotFiles;

  constructor(deps: MediaDeps) {
    this.#renditions = new Renditions(deps);
    this.#hotFiles = deps.hotFiles;
  }

  /** Finds a narrower rendition; `undefined` when it is not to be had now. */
  async findSized(
    file: ShownFile,
    width: number,
    { gone, accept = '' }: AskedMedium,
  ): Promise<StoredRendition | undefined> {
    const sized = { width, format: this.#renditions.formatFor(file, width, accept) };
    const name = sizedName(file.storedAs, sized);
    const bytes =
      this.#hotFiles.knownBytes(name) ??
      (await this.#renditions.findSized(file, sized, gone?.()))?.bytes;
    if (bytes === undefined) return undefined;
    const contentType = CONTENT_TYPES[sized.format];
    return { name, bytes, kept: `${width}-${sized.format}`, contentType };
  }

  /** Finds a rendition in full, or why there is none. */
  async findWhole(
    file: ShownFile,
    rendition: Rendition,
    { gone }: AskedMedium,
  ): Promise<StoredRendition | RenditionRefusal> {
    const name = renditionName(file.storedAs, rendition);
    const contentType = CONTENT_TYPES[renditionFormat(file, rendition)];
    const known = this.#hotFiles.knownBytes(name);
    if (known !== undefined) return { name, bytes: known, kept: rendition, contentType };
    const found = await this.#renditions.find(file, rendition, gone?.());
    if (found.kind !== 'found') return found.kind;
    return { name, bytes: found.file.bytes, kept: rendition, contentType };
  }

  found(
    { hash, stored_at: storedAt }: ShownFile,
    { name, bytes, kept, contentType }: StoredRendition,
    chosen: Pick<Medium, 'varies' | 'standsIn'>,
  ): MediumLookup {
    return {
      kind: 'found',
      medium: {
        ...{ contentType, bytes, storedAt, ...chosen },
        tag: `${hash.slice(0, 32)}-${kept}-${bytes.toString(36)}`,
        piece: (range) => this.#hotFiles.piece(name, bytes, range),
        pieces: (range, signal) => this.#hotFiles.pieces(name, bytes, range, signal),
      },
    };
  }
}

const servedImage = prepare((db, { guid }: { guid: string }) =>
  db
    .selectFrom('images')
    .innerJoin('image_files', 'image_files.hash', 'images.hash')
    .select(['images.hash', 'visibility', 'format', 'served_format'])
    .where('guid', '=', guid),
);
