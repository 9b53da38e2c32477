import { LRUCache } from 'lru-cache';
import type { FileStore, StoredFile } from '../../../adapters/files/file-store.ts';
import type { Spool } from '../../../adapters/files/spool.ts';
import type { ImageDecoders } from '../../../adapters/images/decoders.ts';
import { isFailureOf } from '../../../failure/dependency-error.ts';
import { ICON_SIDE, type ImageFormats, type Rendition, renditionFormat } from './urls.ts';

/** An image in the store. */
interface KeptImage extends ImageFormats {
  /** What the store knows the file as it was sent by. */
  readonly storedAs: string;
  /** Of one frame; pixels. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

export interface RenditionDeps {
  readonly files: { readonly store: FileStore; readonly spool: Spool };
  readonly decoders: ImageDecoders;
}

/** Renditions that could not be made, so that nobody makes us try again and again. */
const REMEMBERED_FAILURES = 10_000;
const REMEMBERED_MS = 60 * 60 * 1000;

/**
 * What is served of images: made anew from the pixels, so that nothing else that the file holds is served with them.
 * Orientation is applied and colours are sRGB; metadata, profile and whatever stands behind the image are left out. They
 * are made when the image arrives and kept beside the file that they are made from; those that are missing are made when
 * they are asked for, within the same bounds, once however many ask.
 */
export class Renditions {
  readonly #deps: RenditionDeps;
  readonly #underWay = new Map<string, Promise<StoredFile | undefined>>();
  readonly #failed = new LRUCache<string, true>({ max: REMEMBERED_FAILURES, ttl: REMEMBERED_MS });

  constructor(deps: RenditionDeps) {
    this.#deps = deps;
  }

  /**
   * Finds a rendition, or makes it.
   * @param signal ends the wait for a busy disk.
   * @returns `undefined` when that takes more than the bounds allow.
   * @throws {DependencyError} of the files or the decoders.
   */
  async find(image: KeptImage, rendition: Rendition, signal?: AbortSignal): Promise<StoredFile | undefined> {
    const name = renditionName(image.storedAs, rendition);
    const present = await this.#deps.files.store.find(name, signal);
    if (present !== undefined || this.#failed.has(name)) return present;
    return this.#makeOnce(name, image, rendition);
  }

  #makeOnce(name: string, image: KeptImage, rendition: Rendition): Promise<StoredFile | undefined> {
    let making = this.#underWay.get(name);
    if (making === undefined) {
      making = this.#make(name, image, rendition).finally(() => this.#underWay.delete(name));
      this.#underWay.set(name, making);
    }
    return making;
  }

  async #make(name: string, image: KeptImage, rendition: Rendition): Promise<StoredFile | undefined> {
    const { files, decoders } = this.#deps;
    const present = await files.store.find(name);
    if (present !== undefined) return present;
    const animated = rendition === 'full' && image.frames > 1;
    // What was accepted under an earlier bound is served still.
    const pixels = Math.max(image.width * image.height * image.frames + 1, MIN_PIXELS);
    const format = renditionFormat(image, rendition);
    try {
      return await files.spool.withTemporary((target) =>
        files.store.withPath(image.storedAs, async (source) => {
          const picture = { target, format, ...(rendition === 'icon' ? { side: ICON_SIDE } : {}) };
          const { bytes } = await decoders.render({ source, pixels, animated, picture }, OWNER);
          await files.store.keep(target, name);
          return { name, bytes, storedAt: Date.now() };
        }),
      );
    } catch (error) {
      if (!(isFailureOf('decoders', error, 'refused') && error.reason === 'tooLarge')) throw error;
      this.#failed.set(name, true);
      return undefined;
    }
  }
}

/** Those who look at images wait in one row, beside each of those who bring some. */
const OWNER = '';

/** A frame of a GIF may be smaller than what its screen says; bounds below this say nothing. */
const MIN_PIXELS = 1_000_000;

/** The names of the renditions of a stored file; they go when it goes. */
export function renditionNames(storedAs: string): readonly string[] {
  return [renditionName(storedAs, 'full'), renditionName(storedAs, 'icon')];
}

/** The name of the file as it was sent that a stored file is, or is a rendition of. */
export function originalName(name: string): string {
  return name.replace(/\.(full|icon)$/, '');
}

/** What the store knows a rendition by. */
export function renditionName(storedAs: string, rendition: Rendition): string {
  return `${storedAs}.${rendition}`;
}
