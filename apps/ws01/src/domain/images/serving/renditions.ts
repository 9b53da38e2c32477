import type { Sharp } from 'sharp';
import type { FileStore, StoredFile } from '../../../adapters/files/file-store.ts';
import type { Spool } from '../../../adapters/files/spool.ts';
import type { ImageFormat } from '../../../store/tables/tables.ts';
import { decode } from '../judging/decoder.ts';
import { type Rendition, renditionFormat } from './urls.ts';

/** Longest side of an icon, in pixels. */
const ICON_SIDE = 256;

/** An image in the store. */
interface KeptImage {
  /** What the store knows the file as it was sent by. */
  readonly storedAs: string;
  readonly format: ImageFormat;
  /** Of one frame; pixels. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

/**
 * What is served of images: made anew from the pixels, so that nothing else that the file holds is served with them.
 * Orientation is applied and colours are sRGB; metadata, profile and whatever stands behind the image are left out. A
 * rendition is made when it is first asked for, once however many ask, and kept beside the file that it is made from.
 */
export class Renditions {
  readonly #store: FileStore;
  readonly #spool: Spool;
  readonly #underWay = new Map<string, Promise<StoredFile>>();
  /** How many were made, for tests. */
  made = 0;

  constructor(store: FileStore, spool: Spool) {
    this.#store = store;
    this.#spool = spool;
  }

  /**
   * Finds a rendition, or makes it.
   * @throws {Ws01Error} `StorageUnavailable`, `Busy`.
   */
  async find(image: KeptImage, rendition: Rendition): Promise<StoredFile> {
    const name = renditionName(image.storedAs, rendition);
    return (await this.#store.find(name)) ?? this.#makeOnce(name, image, rendition);
  }

  #makeOnce(name: string, image: KeptImage, rendition: Rendition): Promise<StoredFile> {
    let making = this.#underWay.get(name);
    if (making === undefined) {
      making = this.#make(name, image, rendition).finally(() => this.#underWay.delete(name));
      this.#underWay.set(name, making);
    }
    return making;
  }

  async #make(name: string, image: KeptImage, rendition: Rendition): Promise<StoredFile> {
    const present = await this.#store.find(name);
    if (present !== undefined) return present;
    this.made++;
    const animated = rendition === 'full' && image.frames > 1;
    // What was accepted under an earlier bound is served still.
    const pixels = image.width * image.height * image.frames + 1;
    return this.#spool.withTemporary((target) =>
      this.#store.withPath(image.storedAs, async (source) => {
        const { size } = await decode(source, { pixels: Math.max(pixels, MIN_PIXELS), animated }, (decoded) =>
          shape(decoded, image, rendition).toFile(target),
        );
        await this.#store.keep(target, name);
        return { name, bytes: size, storedAt: Date.now() };
      }),
    );
  }
}

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

function renditionName(storedAs: string, rendition: Rendition): string {
  return `${storedAs}.${rendition}`;
}

function shape(decoded: Sharp, { format, frames }: KeptImage, rendition: Rendition): Sharp {
  const upright = frames > 1 ? decoded : decoded.autoOrient();
  const sized =
    rendition === 'full' ? upright : upright.resize(ICON_SIDE, ICON_SIDE, { fit: 'inside', withoutEnlargement: true });
  switch (renditionFormat(format, rendition)) {
    case 'jpeg':
      return sized.jpeg({ quality: 88 });
    case 'png':
      return sized.png();
    case 'gif':
      return sized.gif();
    case 'webp':
      return sized.webp({ quality: 88 });
    case 'avif':
      return sized.avif({ quality: 65, effort: 2 });
  }
}
