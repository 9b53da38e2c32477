import { ProtocolError } from '@ws01/asmx/internal/contract/errors';
import type { ElementTree } from '@ws01/asmx/internal/values/element-tree';
import type { MessagePlan } from '@ws01/asmx/internal/values/message-plan';
import { clark } from '@ws01/asmx/internal/values/plan';
import { XmlValueReader } from '@ws01/asmx/internal/values/read-xml';
import type { ValueReading } from '@ws01/asmx/internal/values/reading/frames';
import { XmlCapture } from '@ws01/asmx/internal/values/xml-capture';
import type { XmlElement } from '@ws01/asmx/internal/xml/reader';

/** A fault as it was read. */
export interface ReadFault {
  readonly code: string;
  readonly subcodes: readonly string[];
  readonly reason: string;
  readonly actor: string | undefined;
  readonly fault: string | undefined;
  readonly detail: unknown;
  readonly detailXml: string | undefined;
}

/**
 * Elements of either version whose text counts. Of reasons in several languages the first is taken.
 */
const TEXTS = new Set(['faultcode', 'faultstring', 'faultactor', 'Value', 'Text', 'Node', 'Role']);

/**
 * Reads the content of a Fault of either version, by local names: servers qualify them as they
 * like.
 */
export class FaultReader {
  readonly #faults: MessagePlan['faults'];
  readonly #reading: ValueReading;
  readonly #open: string[] = [];
  readonly #texts = new Map<string, string[]>();
  #text = '';
  /** What the open element's prefixes mean. */
  #namespaceOf: XmlElement['namespaceOf'] = () => undefined;
  readonly #detail = new XmlCapture('drop');
  #isDetail = false;
  /** Whether the open elements stand beside the fault. */
  #isBeside = false;
  #typed: XmlValueReader | undefined;
  /**
   * Keeps a detail in SOAP encoding with what it may refer to; `undefined` where none is declared.
   */
  readonly #tree: ElementTree | undefined;
  /** What reads the typed detail that the tree keeps. */
  #readKept: (() => void) | undefined;
  /** Of these two the one that gets the elements of the detail. */
  #nested: XmlValueReader | ElementTree | undefined;
  /** Elements inside one that has no place in the typed detail. */
  #skipped = 0;
  #fault: string | undefined;
  #value: unknown;

  constructor(faults: MessagePlan['faults'], reading: ValueReading, tree: ElementTree) {
    const isEncoded = [...faults.values()].some(({ encoded }) => encoded);
    this.#tree = isEncoded ? tree : undefined;
    this.#faults = faults;
    this.#reading = reading;
  }

  /** The Fault itself, and all inside. */
  open(element: XmlElement): 'text' {
    const { local } = element;
    const level = this.#open.push(local);
    this.#text = '';
    this.#namespaceOf = element.namespaceOf.bind(element);
    if (level === 2) this.#isDetail = local.toLowerCase() === 'detail';
    else if (this.#isDetail) {
      this.#detail.open(element);
      this.#openTyped(element, level);
    }
    return 'text';
  }

  /**
   * An element of the body beside the Fault, to which its detail may refer: read as a part of it.
   */
  beside(element: XmlElement): 'text' {
    this.#isBeside = true;
    this.#isDetail = true;
    this.#open.push('Fault', 'detail');
    return this.open(element);
  }

  text(piece: string): void {
    if (!this.#isDetail) this.#text += piece;
    else {
      this.#detail.text(piece);
      if (this.#skipped === 0 && this.#nested?.busy === true) this.#nested.text(piece);
    }
  }

  close(): void {
    const local = this.#open.pop()!;
    if (this.#isDetail) {
      if (this.#open.length < 2) {
        this.#isDetail = false;
        return;
      }
      this.#detail.close();
      if (this.#skipped > 1) this.#skipped--;
      else {
        this.#skipped = 0;
        if (this.#nested?.busy === true) this.#nested.close();
      }
      if (this.#isBeside && this.#open.length === 2) this.#open.length = 0;
      return;
    }
    if (!TEXTS.has(local)) return;
    const isName = local === 'faultcode' || local === 'Value';
    const text = isName ? this.#named(this.#text.trim()) : this.#text;
    this.#texts.set(local, [...(this.#texts.get(local) ?? []), text]);
  }

  /** The open element refers to bytes beside the envelope. */
  include(): ((bytes: Uint8Array) => void) | undefined {
    return this.#skipped === 0 ? this.#typed?.include() : undefined;
  }

  get busy(): boolean {
    return this.#open.length > 0;
  }

  /** At the end of the envelope. A fault stays one if its detail refers to what is not there. */
  complete(): void {
    try {
      this.#readKept?.();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#value = undefined;
    }
  }

  finish(): ReadFault {
    const all = (...names: readonly string[]) =>
      names.flatMap((name) => this.#texts.get(name) ?? []);
    const [code = '', ...subcodes] = all('faultcode', 'Value');
    const [reason = ''] = all('faultstring', 'Text');
    const isRight = this.#typed === undefined || this.#typed.failures.size === 0;
    return {
      code: code.slice(code.indexOf('}') + 1),
      subcodes,
      reason: reason.trim() || 'The server answered a fault without a reason.',
      actor: all('faultactor', 'Role', 'Node')[0]?.trim(),
      fault: this.#fault,
      detail: isRight ? this.#value : undefined,
      detailXml: this.#detail.content,
    };
  }

  /** The first element of the detail that the operation declares. */
  #openTyped(element: XmlElement, level: number): void {
    if (level > 3) {
      if (this.#skipped > 0) this.#skipped++;
      else if (this.#nested?.busy === true && modeOf(this.#nested.open(element)) === 'skip')
        this.#skipped = 1;
      return;
    }
    const found = this.#typed === undefined ? this.#declared(element) : undefined;
    if (found === undefined) {
      this.#nested = this.#tree;
      this.#tree?.begin(element);
      return;
    }
    const [fault, plan] = found;
    this.#fault = fault;
    const typed = new XmlValueReader(this.#reading);
    this.#typed = typed;
    const to = {
      holder: (value: unknown) => {
        this.#value = value;
      },
      index: undefined,
      name: plan.property,
    };
    const read = (its: XmlElement) => typed.beginElement(plan, its, to, false, plan.encoded);
    if (plan.encoded) {
      this.#nested = this.#tree;
      this.#readKept = this.#tree?.beginBlock(element, typed, read);
      return;
    }
    this.#nested = typed;
    if (modeOf(read(element)) === 'skip') this.#skipped = 1;
  }

  #declared({ uri, local }: XmlElement) {
    const name = clark(uri, local);
    return [...this.#faults].find(([, plan]) => clark(plan.namespace, plan.name) === name);
  }

  /** A name with a prefix, as `{namespace}name`. */
  #named(text: string): string {
    const [before = '', after] = text.split(':');
    const namespace = this.#namespaceOf(after === undefined ? '' : before);
    return namespace === undefined ? text : clark(namespace, after ?? before);
  }
}

function modeOf(content: string | { readonly mode: string }): string {
  return typeof content === 'string' ? content : content.mode;
}
