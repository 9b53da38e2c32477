import { createRequire } from 'node:module';
import { XMLParser } from 'fast-xml-parser';
import { Parser } from 'htmlparser2';
import { ParseOption, XmlDocument, XmlElement } from 'libxml2-wasm';
import { SaxesParser } from 'saxes';
import { defineLimits } from '../../packages/asmx/src/engine/limits.ts';
import { Base64Decoder } from '../../packages/asmx/src/message/base64.ts';
import { createXmlReader } from '../../packages/asmx/src/xml/reader.ts';

export interface Reader {
  readonly name: string;
  /** Reads a document; the UTF-16 code units of its text, so that it is seen that all do the same work. */
  read(document: Buffer): number;
  /** Reads an upload that comes in chunks and decodes the base64 of its `FileImg`; the bytes decoded. */
  upload(chunks: Iterable<Buffer>): number;
}

const limits = defineLimits({ bodyBytes: 2 ** 40, textChars: 2 ** 40, elements: 1_000_000 });

const ours: Reader = {
  name: 'asmx/xml',
  read(document) {
    let length = 0;
    const text = (piece: string) => {
      length += piece.length;
    };
    const reader = createXmlReader({ open: () => 'text', text, close() {} }, { limits });
    reader.push(document);
    reader.end();
    return length;
  },
  upload(chunks) {
    const decoder = new Base64Decoder();
    let open = false;
    const reader = createXmlReader(
      {
        open({ local }) {
          open = local === 'FileImg';
          return open ? 'text' : 'elements';
        },
        text: (piece) => {
          decoder.push(piece);
        },
        close() {
          if (open) decoder.end();
          open = false;
        },
      },
      { limits },
    );
    for (const chunk of chunks) reader.push(chunk);
    reader.end();
    return decoder.bytes;
  },
};

interface Events {
  open(name: string): void;
  text(piece: string): void;
  close(): void;
}

/** A reader that reports strings. Of an upload it is given chunks too, but the text must be joined to be decoded. */
function reporting(name: string, parse: (chunks: Iterable<Buffer>, events: Events) => void): Reader {
  return {
    name,
    read(document) {
      let length = 0;
      parse([document], {
        open() {},
        text: (piece) => {
          length += piece.length;
        },
        close() {},
      });
      return length;
    },
    upload(chunks) {
      const pieces: string[] = [];
      let open = false;
      let bytes = 0;
      parse(chunks, {
        open: (element) => {
          open = element.endsWith('FileImg');
        },
        text: (piece) => {
          if (open) pieces.push(piece);
        },
        close: () => {
          if (open) bytes = Buffer.from(pieces.join(''), 'base64').length;
          open = false;
        },
      });
      return bytes;
    },
  };
}

const saxes = reporting('saxes', (chunks, { open, text, close }) => {
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', (tag) => open(tag.name));
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('closetag', close);
  for (const chunk of chunks) parser.write(chunk.toString('utf8'));
  parser.close();
});

interface Sax {
  onopentag: (tag: { name: string }) => void;
  ontext: (text: string) => void;
  oncdata: (text: string) => void;
  onclosetag: () => void;
  write(text: string): void;
  close(): void;
}
const { parser: createSax } = createRequire(import.meta.url)('sax') as {
  parser(strict: boolean, options: { xmlns: boolean }): Sax;
};
const sax = reporting('sax', (chunks, { open, text, close }) => {
  const parser = createSax(true, { xmlns: true });
  parser.onopentag = (tag) => open(tag.name);
  parser.ontext = text;
  parser.oncdata = text;
  parser.onclosetag = close;
  for (const chunk of chunks) parser.write(chunk.toString('utf8'));
  parser.close();
});

const htmlparser2 = reporting('htmlparser2', (chunks, { open, text, close }) => {
  const parser = new Parser({ onopentag: open, ontext: text, onclosetag: close }, { xmlMode: true });
  for (const chunk of chunks) parser.write(chunk.toString('utf8'));
  parser.end();
});

type Tree = { readonly [name: string]: Tree | string };
const fastXml = new XMLParser({ ignoreAttributes: false, parseTagValue: false, trimValues: false });
const fastXmlParser: Reader = {
  name: 'fast-xml-parser',
  read(document) {
    fastXml.parse(document.toString('utf8'));
    return Number.NaN;
  },
  upload(chunks) {
    const document = fastXml.parse(Buffer.concat([...chunks]).toString('utf8')) as Tree;
    const operation = ['soap:Envelope', 'soap:Body', 'InsertArticleImageFile'].reduce(
      (tree, name) => tree[name] as Tree,
      document,
    );
    return Buffer.from(operation.FileImg as string, 'base64').length;
  },
};

const options = { option: ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_HUGE };
const libxml: Reader = {
  name: 'libxml2-wasm',
  read(document) {
    const parsed = XmlDocument.fromBuffer(document, options);
    const { length } = parsed.root.content;
    parsed.dispose();
    return length;
  },
  upload(chunks) {
    const parsed = XmlDocument.fromBuffer(Buffer.concat([...chunks]), options);
    const file = parsed.get('//*[local-name()="FileImg"]');
    const bytes = file instanceof XmlElement ? Buffer.from(file.content, 'base64').length : 0;
    parsed.dispose();
    return bytes;
  },
};

export const READERS: readonly Reader[] = [ours, saxes, sax, fastXmlParser, htmlparser2, libxml];
