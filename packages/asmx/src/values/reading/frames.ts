import type { Limits } from '../../contract/limits.ts';
import type { LexicalContext } from '../../lexical/index.ts';
import type { XmlPosition } from '../../xml/errors.ts';
import type { XmlElement } from '../../xml/handler.ts';
import type { ElementPlan, ObjectPlan, TypedPlan } from '../plan.ts';
import type { DataSetReader } from '../read-data-set.ts';
import { pathOf, type ValueTarget } from '../value-target.ts';
import type { XmlCapture } from '../xml-capture.ts';

/** The text of a file, which is decoded as it arrives. */
export interface FileText {
  text(piece: string): void;
  /** It is complete. @returns what was wrong with it, to follow the name of its parameter. */
  end(): string | undefined;
}

/** What a reader of values works with. */
export interface ValueReading {
  readonly context: LexicalContext;
  readonly limits: Limits;
  /** Whether every call is let in: then texts are converted as they come. */
  readonly isOpen: boolean;
  /** Whether an element that no member is counts as the one of its local name. */
  readonly byLocalName?: boolean;
  /** Where in the message the reader is; valid until it is asked for again. */
  readonly position: XmlPosition;
  /** Opens the sink of a file parameter. */
  openFile(parameter: string): FileText;
  /**
   * Has the bytes of a part beside the message, by its Content-ID, taken when they are there.
   * @returns whether there are parts.
   */
  refer?(contentId: string, take: (bytes: Uint8Array) => void): boolean;
  /**
   * Told of what no value takes: a path to an element, or to an `@attribute`.
   * @param misplaced where it stood, and where it should, if the contract has it elsewhere.
   */
  ignore(path: string, misplaced?: string): void;
}

/** An open element. */
export type Frame = { readonly to: ValueTarget } & (
  | {
      readonly kind: 'object';
      readonly plan: ObjectPlan;
      readonly value: Record<string, unknown>;
      /** It holds the parameters of a call, whose texts are converted when the call was let in. */
      readonly isMessage: boolean;
      /** A member was opened: an expected one may have come before. */
      opened: boolean;
      /** So many members came as leaves. */
      members: number;
      /** Its text is in a part beside the message. */
      included: boolean;
      readonly namespaceOf: XmlElement['namespaceOf'];
    }
  | {
      readonly kind: 'array';
      readonly item: ElementPlan;
      /** The type of items of any type that say none themselves. */
      readonly itemType: TypedPlan | undefined;
      readonly values: unknown[];
      /** How many there are in each dimension; `undefined` where there is one. */
      readonly sizes: readonly number[] | undefined;
      /** How many came of an array of several. */
      cells: number;
    }
  | {
      readonly kind: 'text';
      readonly element: ElementPlan;
      readonly namespaceOf: XmlElement['namespaceOf'];
      /** Its value is the text, which is converted when the call was let in. */
      readonly isLater: boolean;
      /** Whether its value is in a part beside the message. */
      included: boolean;
    }
  | { readonly kind: 'file'; readonly file: FileText }
  /** Its content is kept as written; with `self`, the element itself is, too. */
  | {
      readonly kind: 'capture';
      readonly capture: XmlCapture;
      readonly self: boolean;
      /** The value of what it kept; its content when absent. */
      readonly made?: (capture: XmlCapture) => unknown;
    }
  | { readonly kind: 'dataset'; readonly reader: DataSetReader }
  | { readonly kind: 'skip' }
);

/** The open elements whose values are being read. */
export class Frames {
  /** The innermost. */
  top: Frame | undefined;
  readonly #all: Frame[] = [];

  push(frame: Frame): void {
    this.#all.push(frame);
    this.top = frame;
  }

  pop(): void {
    this.#all.pop();
    this.top = this.#all[this.#all.length - 1];
  }

  /** The path of the innermost one's value. */
  readonly path = (): string => pathOf(this.#all);

  /** The path of an element that opens. */
  pathTo(to: ValueTarget): string {
    return pathOf([...this.#all, { to }]);
  }
}
