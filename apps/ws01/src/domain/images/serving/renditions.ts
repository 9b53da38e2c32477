import type { StoredFile } from '../../../adapters/files/file-store.ts';
import type { Files } from '../../../adapters/files/open.ts';
import type { ImageDecoders } from '../../../adapters/images/decoders.ts';
import { DependencyError, isFailureOf } from '../../../failure/dependency-error.ts';
import { ShortMemory } from '../../../turns/memory.ts';
import {
  ICON_SIDE,
  type ImageFormats,
  type Rendition,
  renditionFormat,
} from '../../values/image-url.ts';
import { NO_BOUNDS } from '../validation/inspect.ts';
import { ImageRefusal } from '../validation/refusal.ts';
import { inspectInTurn, MAX_FRAMES } from '../validation/validate.ts';

/** A stored image. */
interface KeptImage extends ImageFormats {
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

/** Why an image cannot be shown: it is over the bounds, or cannot be decoded. */
export type RenditionRefusal = 'tooLarge' | 'unreadable';

/** A rendition, or why there is none. */
export type FoundRendition =
  | { readonly kind: 'found'; readonly file: StoredFile }
  | { readonly kind: RenditionRefusal };

/** Number of remembered failures, so that requests cannot make us retry again and again. */
const REMEMBERED_FAILURES = 10_000;
const REMEMBERED_MS = 60 * 60 * 1000;

/**
 * Creates and finds the renditions of images. Renditions are re-encoded from pixels, so that nothing else in a file is
 * served: orientation is applied, colours are sRGB; metadata, profiles and trailing data are left out. They are made at
 * the upload and stored beside the original. If they are missing, after an import or a loss, the first request makes
 * them in the same way, within the same bounds.
 */
export class Renditions {
  readonly #deps: RenditionDeps;
  /** Why images cannot be shown; asking makes renditions once for all concurrent requests. */
  readonly #refusals = new ShortMemory<RenditionRefusal>({
    ageMs: REMEMBERED_MS,
    most: REMEMBERED_FAILURES,
  });

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
    const refused = await this.#refusals.find(image.storedAs, () => this.#tryToMake(image));
    if (refused !== undefined) return { kind: refused };
    const file = await store.find(name, signal);
    if (file === undefined)
      throw new DependencyError('files', 'unavailable', `${name} has just been made and is gone.`);
    return { kind: 'found', file };
  }

  /** Makes both renditions. @returns the reason if they cannot be made. */
  async #tryToMake(image: KeptImage): Promise<RenditionRefusal | undefined> {
    try {
      await this.#make(image);
      return undefined;
    } catch (error) {
      const refused = refusalOf(error);
      if (refused === undefined) throw error;
      return refused;
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

/** Returns the names of a stored file's renditions, which are deleted with it. */
export function renditionNames(storedAs: string): readonly string[] {
  return [renditionName(storedAs, 'full'), renditionName(storedAs, 'icon')];
}

/** Returns the name of the original file for a stored file or rendition. */
export function originalName(name: string): string {
  return name.replace(/\.(full|icon)$/, '');
}

/** Returns the name of a rendition in the store. */
export function renditionName(storedAs: string, rendition: Rendition): string {
  return `${storedAs}.${rendition}`;
}
