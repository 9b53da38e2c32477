import { ImageRefusal } from './refusal.ts';

/** What no photograph holds outside its pixels: the beginnings of pages, scripts, documents and programs. */
const MARKUP = ['<script', '<html', '<!doctype html', '<body', '<iframe', '<?php', '<svg', 'javascript:'];
const BINARY = [
  '%PDF-',
  'Rar!\x1a\x07',
  '7z\xbc\xaf\x27\x1c',
  '\x7fELF\x01',
  '\x7fELF\x02',
  'This program cannot be run',
];

/** A ZIP archive (also a program in Java, an office document) has an entry and a directory at its end. */
const ZIP_ENTRY = 'PK\x03\x04';
const ZIP_END = 'PK\x05\x06';

/** Longest text looked for, less one: what is looked at again with the next bytes. */
const CARRIED = Math.max(...[...MARKUP, ...BINARY].map(({ length }) => length)) - 1;

/** Parts of a few bytes are searched together: a search costs more than they do. */
const GATHERED_BYTES = 16 * 1024;

/** Stands in nothing that is looked for. */
const SEPARATOR = Buffer.from([0]);

/**
 * Finds files that are an image and something else as well, so that another program takes them for that: a page, a
 * script, a PDF document, an archive. They hide it where images have room for anything: in comments, in metadata and
 * behind the image's end. Pixels are not looked at, where chance makes any text.
 */
export class ForeignContent {
  /** What has not been searched yet, behind the last bytes of what has. */
  readonly #gathered = Buffer.allocUnsafe(GATHERED_BYTES);
  #length = 0;
  #zipEntry = false;
  #zipEnd = false;

  /** Looks at the next bytes, now or with those that follow. @throws {ImageRefusal} `ImageTypeRefused` */
  look(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#length === GATHERED_BYTES) this.#search();
      const step = Math.min(bytes.length - at, GATHERED_BYTES - this.#length);
      if (step === 1) this.#gathered[this.#length] = bytes[at]!;
      else this.#gathered.set(at === 0 && step === bytes.length ? bytes : bytes.subarray(at, at + step), this.#length);
      this.#length += step;
      at += step;
    }
  }

  /** What comes next does not follow what was looked at. @throws {ImageRefusal} `ImageTypeRefused` */
  interrupt(): void {
    if (this.#gathered[this.#length - 1] !== SEPARATOR[0]) this.look(SEPARATOR);
  }

  /** Everything was looked at. @throws {ImageRefusal} `ImageTypeRefused` */
  end(): void {
    this.#search();
    if (this.#zipEntry && this.#zipEnd) throw foreign('a ZIP archive');
  }

  #search(): void {
    const text = this.#gathered.toString('latin1', 0, this.#length);
    const lower = text.toLowerCase();
    const found = MARKUP.find((sign) => lower.includes(sign)) ?? BINARY.find((sign) => text.includes(sign));
    if (found !== undefined) throw foreign(JSON.stringify(found));
    this.#zipEntry ||= text.includes(ZIP_ENTRY);
    this.#zipEnd ||= text.includes(ZIP_END);
    const kept = Math.min(CARRIED, this.#length);
    this.#gathered.copyWithin(0, this.#length - kept, this.#length);
    this.#length = kept;
  }
}

function foreign(what: string): ImageRefusal {
  return new ImageRefusal('ImageTypeRefused', `The file is an image and something else too: it holds ${what}.`);
}
