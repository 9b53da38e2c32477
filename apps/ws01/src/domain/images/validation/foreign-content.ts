import { ImageRefusal } from './refusal.ts';

/**
 * Texts that photographs do not contain outside of their pixels: the beginnings of pages, scripts,
 * documents and programs.
 */
const MARKUP = ['<script', '<!doctype html', '<iframe', 'javascript:'];

/**
 * Beginnings so short that the videos and pictures behind a phone's photograph hold them by chance,
 * one of a hundred of 5 MB. They count within a text.
 */
const SHORT_MARKUP = ['<html', '<body', '<?php', '<svg'];

/**
 * Printable ASCII characters in a row that are a text; by chance, so many stand around a beginning
 * once in 10^6 files.
 */
const TEXT_LENGTH = 16;
const BINARY = [
  '%PDF-',
  'Rar!\x1a\x07',
  '7z\xbc\xaf\x27\x1c',
  '\x7fELF\x01',
  '\x7fELF\x02',
  'This program cannot be run',
];

/**
 * A ZIP archive (also a Java program or an office document) has an entry and a directory at its
 * end.
 */
const ZIP_ENTRY = 'PK\x03\x04';
const ZIP_END = 'PK\x05\x06';

/**
 * Length of the longest search text, less one: the bytes that are searched again with the next
 * ones.
 */
const CARRIED = Math.max(TEXT_LENGTH, ...[...MARKUP, ...BINARY].map(({ length }) => length)) - 1;

/** Small parts are collected and searched together, because a search costs more than they do. */
const GATHERED_BYTES = 16 * 1024;

/** A byte that no search text contains. */
const SEPARATOR = Buffer.from([0]);

/**
 * Finds files that are both an image and something else (polyglots): a page, a script, a PDF
 * document, an archive. Such content is hidden in comments, in metadata or after the image's end.
 * Pixels are not searched, because they contain any text by chance.
 */
export class ForeignContent {
  /** Bytes that are not searched yet, after the last searched ones. */
  readonly #gathered = Buffer.allocUnsafe(GATHERED_BYTES);
  #length = 0;
  #zipEntry = false;
  #zipEnd = false;

  /**
   * Searches the next bytes, at once or together with later ones.
   * @throws {ImageRefusal} `ImageTypeRefused`
   */
  look(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#length === GATHERED_BYTES) this.#search();
      const step = Math.min(bytes.length - at, GATHERED_BYTES - this.#length);
      if (step === 1) this.#gathered[this.#length] = bytes[at]!;
      else
        this.#gathered.set(
          at === 0 && step === bytes.length ? bytes : bytes.subarray(at, at + step),
          this.#length,
        );
      this.#length += step;
      at += step;
    }
  }

  /**
   * Notes that the next bytes do not follow directly.
   * @throws {ImageRefusal} `ImageTypeRefused`
   */
  interrupt(): void {
    if (this.#gathered[this.#length - 1] !== SEPARATOR[0]) this.look(SEPARATOR);
  }

  /**
   * Ends the search.
   * @throws {ImageRefusal} `ImageTypeRefused`
   */
  end(): void {
    this.#search();
    if (this.#zipEntry && this.#zipEnd) throw foreign('a ZIP archive');
  }

  #search(): void {
    const text = this.#gathered.toString('latin1', 0, this.#length);
    const lower = text.toLowerCase();
    const found =
      MARKUP.find((sign) => lower.includes(sign)) ??
      SHORT_MARKUP.find((sign) => isInText(lower, sign)) ??
      BINARY.find((sign) => text.includes(sign));
    if (found !== undefined) throw foreign(JSON.stringify(found));
    this.#zipEntry ||= text.includes(ZIP_ENTRY);
    this.#zipEnd ||= text.includes(ZIP_END);
    const kept = Math.min(CARRIED, this.#length);
    this.#gathered.copyWithin(0, this.#length - kept, this.#length);
    this.#length = kept;
  }
}

/** Whether a sign is anywhere part of {@link TEXT_LENGTH} printable characters. */
function isInText(bytes: string, sign: string): boolean {
  for (let at = bytes.indexOf(sign); at >= 0; at = bytes.indexOf(sign, at + 1)) {
    let begin = at;
    let end = at + sign.length;
    while (begin > 0 && end - begin < TEXT_LENGTH && isPrintable(bytes, begin - 1)) begin--;
    while (end < bytes.length && end - begin < TEXT_LENGTH && isPrintable(bytes, end)) end++;
    if (end - begin >= TEXT_LENGTH) return true;
  }
  return false;
}

function isPrintable(bytes: string, at: number): boolean {
  const byte = bytes.charCodeAt(at);
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function foreign(what: string): ImageRefusal {
  return new ImageRefusal(
    'ImageTypeRefused',
    `The file is an image and something else too: it holds ${what}.`,
  );
}
