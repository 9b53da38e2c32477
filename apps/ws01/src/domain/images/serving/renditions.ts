import { HOUR_MS } from '@ws01/asmx/time';
import type { StoredFile } from '../../../adapters/files/file-store.ts';
import type { Files } from '../../../adapters/files/open.ts';
import type { ImageDecoders } from '../../../adapters/images/decoders.ts';
import { pixelWorkBytes } from '../../../adapters/images/memory.ts';
import { servedFormat } from '../../../adapters/images/served-format.ts';
import { DependencyError, isFailureOf } from '../../../failure/dependency-error.ts';
import type { ImageFormat } from '../../../store/tables/tables.ts';
import { ShortMemory } from '../../../turns/memory.ts';
import {
  CONTENT_TYPES,
  ICON_SIDE,
  type ImageFormats,
  type Rendition,
  renditionFormat,
} from '../../values/image-url.ts';
import { NO_BOUNDS } from '../validation/inspect.ts';
import { ImageRefusal } from '../validation/refusal.ts';
import { inspectInTurn, MAX_FRAMES, MAX_SIDE } from '../validation/validate.ts';

/** A stored image. */
export interface KeptImage extends ImageFormats {
  /** The name of the original file in the store. */
  readonly storedAs: string;
  /** The size of one frame; pixels. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

export interface RenditionDeps {
  readonly files: Pick<Files, 'store' | 'spool' | 'turns'>;
  readonly decoders: ImageDecoders;
}

/** A rendition narrower than the picture, for visitors. */
export interface SizedRendition {
  /** Pixels; one of `WIDTHS`. */
  readonly width: number;
  readonly format: ImageFormat;
}

/** Why an image cannot be shown: it is over the bounds, or cannot be decoded. */
export type RenditionRefusal = 'tooLarge' | 'unreadable';

/** A rendition, or why there is none. */
export type FoundRendition =
  | { readonly kind: 'found'; readonly file: StoredFile }
  | { readonly kind: RenditionRefusal };

/** Number of remembered failures, so that requests cannot make us retry again and again. */
const REMEMBERED_FAILURES = 10_000;
const REMEMBERED_MS = HOUR_MS;

/** Narrower renditions made at once in a process; one request more gets the picture in full. */
const MOST_SIZED = 16;

/** What is smaller, and not known to every browser: the smallest first. */
const SMALLER_FORMATS = ['avif', 'webp'] as const satisfies readonly ImageFormat[];

/**
 * Creates and finds the renditions of images. Renditions are re-encoded from pixels, so that
 * nothing else in a file is served: orientation is applied, colours are sRGB; metadata, profiles
 * and trailing data are left out. They are made at the upload and stored beside the original. If
 * they are missing, after an import or a loss, the first request makes them in the same way, within
 * the same bounds.
 */
export class Renditions {
  readonly #deps: RenditionDeps;
  /** Why images cannot be shown; asking makes renditions once for all concurrent requests. */
  readonly #refusals = new ShortMemory<RenditionRefusal>({
    ageMs: REMEMBERED_MS,
    most: REMEMBERED_FAILURES,
  });

  /** How many narrower renditions are being made. */
  #sized = 0;

  constructor(deps: RenditionDeps) {
    this.#deps = deps;
  }

  /**
   * Finds a rendition, or makes it.
   * @param signal ends the wait for a busy disk.
   * @throws {DependencyError} of the files or the decoders.
   */
  async find(
    image: KeptImage,
    rendition: Rendition,
    signal?: AbortSignal,
  ): Promise<FoundRendition> {
    const { store } = this.#deps.files;
    const name = renditionName(image.storedAs, rendition);
    const present = await store.find(name, signal);
    if (present !== undefined) return { kind: 'found', file: present };
    const make = () => this.#make(image);
    const refused = await this.#refusals.find(image.storedAs, () => this.#tryToMake(make));
    if (refused !== undefined) return { kind: refused };
    const file = await store.find(name, signal);
    if (file === undefined)
      throw new DependencyError('files', 'unavailable', `${name} has just been made and is gone.`);
    return { kind: 'found', file };
  }

  /**
   * Finds a narrower rendition, or makes it of the full one.
   * @param signal ends the wait for a busy disk.
   * @returns `undefined` when it is not to be had now: the full one stands in.
   * @throws {DependencyError} of the files.
   */
  async findSized(
    image: KeptImage,
    sized: SizedRendition,
    signal?: AbortSignal,
  ): Promise<StoredFile | undefined> {
    const { store } = this.#deps.files;
    const name = sizedName(image.storedAs, sized);
    const present = await store.find(name, signal);
    if (present !== undefined) return present;
    const make = () => this.#makeSized(image, sized);
    try {
      await this.#refusals.find(name, () => this.#tryToMake(make));
    } catch (error) {
      if (isFailureOf('decoders', error, 'busy')) return undefined;
      throw error;
    }
    return store.find(name, signal);
  }

  /**
   * Returns the format to serve a narrower rendition in: the smallest that the reader takes, and
   * the encoder can write.
   * @param accept the header `Accept`.
   */
  formatFor(image: KeptImage, width: number, accept: string): ImageFormat {
    const part = Math.min(1, width / image.width);
    const longest = Math.max(image.width, image.height) * part;
    const isPhotograph = renditionFormat(image, 'full') === 'jpeg';
    const wanted = SMALLER_FORMATS.find((format) => takes(accept, format));
    if (wanted === undefined || longest > (MAX_SIDE[wanted] ?? 0))
      return isPhotograph ? 'jpeg' : 'png';
    const pixels = Math.ceil(image.width * image.height * part ** 2);
    // The other half is for reading the full rendition.
    const room = pixelWorkBytes(this.#deps.decoders.bounds.memory) / 2;
    return servedFormat({ format: wanted, frames: 1, pixels, hasAlpha: !isPhotograph }, room);
  }

  /** Makes renditions. @returns the reason if they cannot be made. */
  async #tryToMake(make: () => Promise<void>): Promise<RenditionRefusal | undefined> {
    try {
      await make();
      return undefined;
    } catch (error) {
      const refused = refusalOf(error);
      if (refused === undefined) throw error;
      return refused;
    }
  }

  async #makeSized(image: KeptImage, sized: SizedRendition): Promise<void> {
    const { files, decoders } = this.#deps;
    if (this.#sized >= MOST_SIZED) return;
    this.#sized++;
    try {
      const full = await this.find(image, 'full');
      if (full.kind !== 'found') return;
      await files.spool.withTemporaries(1, ([target]) =>
        files.store.withPath(full.file.name, async (source) => {
          const { format, decodeBytes } = await inspectInTurn(
            files.turns,
            'read',
            source,
            NO_BOUNDS,
          );
          const pixels = image.width * image.height + 1;
          const order = { target: target!, ...sized };
          await decoders.resize(
            { source, format, pixels, frames: 1, decodeBytes, sized: order },
            OWNER,
          );
          await files.store.keep(target!, sizedName(image.storedAs, sized));
        }),
      );
    } finally {
      this.#sized--;
    }
  }

  #make(image: KeptImage): Promise<void> {
    const { files, decoders } = this.#deps;
    const { format, storedAs } = image;
    // Images that were accepted under earlier bounds are still served.
    const pixels = Math.max(image.width * image.height * image.frames + 1, MIN_PIXELS);
    const keepMissing = async (path: string, rendition: Rendition) => {
      const name = renditionName(storedAs, rendition);
      if ((await files.store.find(name)) === undefined) await files.store.keep(path, name);
    };
    const make = async (source: string, full: string, icon: string) => {
      const found = await inspectInTurn(files.turns, 'read', source, NO_BOUNDS);
      const { decodeBytes, ending, profile } = found;
      const pictures = {
        full: { target: full, format: renditionFormat(image, 'full') },
        icon: { target: icon, format: renditionFormat(image, 'icon'), side: ICON_SIDE },
      };
      await decoders.accept(
        { source, format, pixels, frames: MAX_FRAMES, decodeBytes, ending, profile, ...pictures },
        OWNER,
      );
      await Promise.all([keepMissing(full, 'full'), keepMissing(icon, 'icon')]);
    };
    return files.spool.withTemporaries(2, ([full, icon]) =>
      files.store.withPath(storedAs, (source) => make(source, full!, icon!)),
    );
  }
}

/** Returns why an image cannot be shown; `undefined` if the error is not the image's fault. */
function refusalOf(error: unknown): RenditionRefusal | undefined {
  if (error instanceof ImageRefusal)
    return error.code === 'ImageTooLarge' ? 'tooLarge' : 'unreadable';
  if (!isFailureOf('decoders', error, 'refused')) return undefined;
  return error.reason === 'tooLarge' ? 'tooLarge' : 'unreadable';
}

/** All requests for images share one place in the queue, next to each uploading user. */
const OWNER = '';

/** A GIF frame may be smaller than its screen size says; lower bounds would be meaningless. */
const MIN_PIXELS = 1_000_000;

/**
 * Returns the names of a stored file's two renditions, which are deleted with it, as those of other
 * widths are.
 */
export function renditionNames(storedAs: string): readonly string[] {
  return [renditionName(storedAs, 'full'), renditionName(storedAs, 'icon')];
}

/** Whether a stored file is a narrower rendition, which is made again when it is gone. */
export function isSized(name: string): boolean {
  return /\.w\d+-[a-z]+$/.test(name);
}

/** Returns the name of a narrower rendition in the store. */
export function sizedName(storedAs: string, { width, format }: SizedRendition): string {
  return `${storedAs}.w${width}-${format}`;
}

/**
 * Whether a header `Accept` names a format; `image/*` says nothing of formats that the reader may
 * not know.
 */
function takes(accept: string, format: ImageFormat): boolean {
  return accept.split(',').some((one) => {
    const [type, ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
    return (
      type === CONTENT_TYPES[format] && !parameters.some((part) => /^q=0(?:\.0*)?$/.test(part))
    );
  });
}

/** Returns the name of the original file for a stored file or rendition. */
export function originalName(name: string): string {
  return name.replace(/\.(full|icon|w\d+-[a-z]+)$/, '');
}

/** Returns the name of a rendition in the store. */
export function renditionName(storedAs: string, rendition: Rendition): string {
  return `${storedAs}.${rendition}`;
}
