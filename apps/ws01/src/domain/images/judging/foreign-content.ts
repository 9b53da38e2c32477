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

/**
 * Finds files that are an image and something else as well, so that another program takes them for that: a page, a
 * script, a PDF document, an archive. They hide it where images have room for anything: in comments, in metadata and
 * behind the image's end. Pixels are not looked at, where chance makes any text.
 */
export class ForeignContent {
  #carried = '';
  #zipEntry = false;
  #zipEnd = false;

  /** Looks at the next bytes. @throws {ImageRefusal} `ImageTypeRefused` */
  look(bytes: Buffer): void {
    const text = this.#carried + bytes.toString('latin1');
    const lower = text.toLowerCase();
    const found = MARKUP.find((sign) => lower.includes(sign)) ?? BINARY.find((sign) => text.includes(sign));
    if (found !== undefined) throw foreign(JSON.stringify(found));
    this.#zipEntry ||= text.includes(ZIP_ENTRY);
    this.#zipEnd ||= text.includes(ZIP_END);
    this.#carried = text.slice(-CARRIED);
  }

  /** What comes next does not follow what was looked at. */
  interrupt(): void {
    this.#carried = '';
  }

  /** Everything was looked at. @throws {ImageRefusal} `ImageTypeRefused` */
  end(): void {
    if (this.#zipEntry && this.#zipEnd) throw foreign('a ZIP archive');
  }
}

function foreign(what: string): ImageRefusal {
  return new ImageRefusal('ImageTypeRefused', `The file is an image and something else too: it holds ${what}.`);
}
