import { ProtocolError } from '../../contract/errors.ts';
import { contentIdOf } from '../../message/multipart.ts';
import type { Content, ContentMode, XmlElement, XmlHandler } from '../../xml/handler.ts';
import { XOP } from '../../xml/namespace-names.ts';
import type { EnvelopeHandler } from '../soap/envelope.ts';
import type { AttachedSink, Attachments } from './attachments.ts';

/** Reads an envelope, and values whose bytes come later. */
type Envelope = Pick<EnvelopeHandler, 'open' | 'text' | 'stray' | 'leaf' | 'close' | 'include'>;
/** Told what refers to which part. */
type References = Pick<Attachments, 'openParameter' | 'refer' | 'include'>;

/**
 * Takes the `xop:Include` elements out of file parameters, before the handler of the envelope (XOP
 * 1.0, 2.1). That handler sees a parameter without text, whose bytes come later.
 */
export class XopHandler implements XmlHandler {
  readonly #envelope: Envelope;
  readonly #attachments: References;
  #depth = 0;
  /** The file parameter being read, and its depth. */
  #file: { readonly sink: AttachedSink; readonly depth: number } | undefined;
  #opened: AttachedSink | undefined;
  #inInclude = false;

  constructor(envelope: Envelope, attachments: References) {
    this.#envelope = envelope;
    this.#attachments = attachments;
  }

  /** Creates the sink of a file parameter, for the envelope's handler. */
  readonly createSink = (): AttachedSink => {
    this.#opened = this.#attachments.openParameter();
    return this.#opened;
  };

  open(element: XmlElement): ContentMode | Content {
    this.#depth++;
    if (element.uri === XOP && element.local === 'Include') {
      this.#include(element);
      this.#inInclude = true;
      return 'skip';
    }
    this.#opened = undefined;
    const content = this.#envelope.open(element);
    const sink = this.#opened as AttachedSink | undefined;
    if (sink !== undefined) this.#file = { sink, depth: this.#depth };
    return content;
  }

  /** @throws {ProtocolError} where no bytes are allowed: those of the part would be lost. */
  #include(element: XmlElement): void {
    const id = contentIdIn(element);
    if (this.#file !== undefined) {
      this.#attachments.refer(this.#file.sink, id);
      return;
    }
    const take = this.#envelope.include();
    if (take === undefined) {
      // Where no element may stand at all, the envelope's handler says so.
      this.#envelope.open(element);
      const message = `An xop:Include of <${id.slice(0, 100)}> stands where no bytes are read.`;
      throw new ProtocolError('MalformedRequest', message, { status: 400 });
    }
    this.#attachments.include(id, take);
  }

  text(piece: string): void {
    this.#envelope.text(piece);
  }

  leaf(index: number, text: string): void {
    this.#envelope.leaf(index, text);
  }

  stray(): void {
    this.#envelope.stray();
  }

  close(): void {
    if (this.#file?.depth === this.#depth) this.#file = undefined;
    this.#depth--;
    if (this.#inInclude) this.#inInclude = false;
    else this.#envelope.close();
  }
}

/** The Content-ID in the `cid:` URL of an Include (RFC 2392). */
function contentIdIn({ attributes }: XmlElement): string {
  const href =
    attributes.find(({ uri, local }) => uri === '' && local === 'href')?.value.trim() ?? '';
  const id = contentIdOf(href);
  if (id !== undefined) return id;
  throw new ProtocolError('MalformedRequest', 'The href of xop:Include must be a cid: URL.', {
    status: 400,
  });
}
