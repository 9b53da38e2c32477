import { ProtocolError } from '../../contract/errors.ts';
import type { Addressed } from '../../exchange/call.ts';
import { TextCollector } from '../../message/text-collector.ts';
import type { ContentMode, XmlElement } from '../../xml/handler.ts';
import { escapeText } from '../../xml/writer.ts';

/**
 * The two versions of WS-Addressing: 1.0, and the submission that .NET's WSE and WCF's first
 * bindings use. Each has the address that means the sender.
 */
const ANONYMOUS: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2005/08/addressing', 'http://www.w3.org/2005/08/addressing/anonymous'],
  [
    'http://schemas.xmlsoap.org/ws/2004/08/addressing',
    'http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous',
  ],
]);

/** Reads the headers of WS-Addressing (WS-Addressing 1.0 Core, 3). */
export class AddressingReader {
  #namespace: string | undefined;
  #messageId: string | undefined;
  /**
   * The open header. Of a message id its own text counts; of an endpoint, the text of its address.
   */
  #open: 'MessageID' | 'ReplyTo' | 'FaultTo' | undefined;
  #level = 0;
  readonly #text = new TextCollector();

  /** Whether a header of WS-Addressing is open: its elements are the reader's then. */
  get busy(): boolean {
    return this.#level > 0;
  }

  get addressed(): Addressed | undefined {
    return this.#namespace === undefined
      ? undefined
      : { namespace: this.#namespace, messageId: this.#messageId };
  }

  knows(uri: string): boolean {
    return ANONYMOUS.has(uri);
  }

  /** Starts a header. */
  begin({ uri, local }: XmlElement): ContentMode {
    this.#namespace ??= uri;
    this.#level = 1;
    this.#open =
      local === 'MessageID' || local === 'ReplyTo' || local === 'FaultTo' ? local : undefined;
    if (local === 'MessageID') return 'text';
    return this.#open === undefined ? 'skip' : 'elements';
  }

  open({ uri, local }: XmlElement): ContentMode {
    this.#level++;
    return this.#level === 2 && local === 'Address' && this.knows(uri) && this.#open !== 'MessageID'
      ? 'text'
      : 'skip';
  }

  text(piece: string): void {
    this.#text.add(piece);
  }

  /** @throws {ProtocolError} when the answer should go to another address. */
  close(): void {
    this.#level--;
    if (this.#level === 0 && this.#open === 'MessageID')
      this.#messageId ??= this.#text.take().trim();
    if (this.#level !== 1) return;
    const address = this.#text.take().trim();
    if (address === '' || [...ANONYMOUS.values()].includes(address)) return;
    throw new ProtocolError(
      'MalformedRequest',
      `WS-Addressing: the answer goes back on the connection of the request; ${this.#open} must be anonymous.`,
    );
  }
}

/** The headers of an answer. @param action the WS-Addressing action of the answer. */
export function addressingHeaders({ namespace, messageId }: Addressed, action: string): string {
  const write = (name: string, text: string) =>
    `<wsa:${name} xmlns:wsa="${namespace}">${escapeText(text)}</wsa:${name}>`;
  return (
    write('Action', action) +
    write('MessageID', `urn:uuid:${crypto.randomUUID()}`) +
    (messageId === undefined ? '' : write('RelatesTo', messageId)) +
    write('To', ANONYMOUS.get(namespace) ?? '')
  );
}

/** The action of a fault (WS-Addressing 1.0 SOAP Binding, 6). */
export const faultAction = ({ namespace }: Addressed): string =>
  namespace.endsWith('2005/08/addressing') ? `${namespace}/soap/fault` : `${namespace}/fault`;
