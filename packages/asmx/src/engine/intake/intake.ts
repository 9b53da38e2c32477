import type { CompiledOperation } from '../../contract/compiled.ts';
import type { Call } from '../call.ts';
import type { Limits } from '../limits.ts';
import { type Arrival, tooMuchUnjudged } from './arrivals.ts';

/** For bodies of at least this many bytes, the credential is checked before the body has ended. */
const JUDGE_FROM_BYTES = 16 * 1024;

/** The values of a call, as far as they are read. */
export interface PartialValues {
  /** The whole text of the parameter at a position; `undefined` when it is not read yet, or no text. */
  textAt(index: number): string | undefined;
}

/** Asks for the context of a call; not a promise when it is known. @throws whatever refuses the credential */
export type Judge = (
  protocol: string,
  operation: CompiledOperation,
  textAt: (index: number) => string | undefined,
  headers?: Call['headers'],
) => unknown;

/**
 * Limits the cost of a request before its credential is checked, for every reader. The credential is checked as soon as it was read, if the request is long or writes a file. Until then
 *
 * - what it holds is bounded by `unjudgedBytes`, and with all others by `totalUnjudgedBytes`;
 * - what it sends is bounded by `unjudgedBodyBytes`, and by `unjudgedInflatedBytes` when it is compressed;
 * - what it writes is bounded, with all others, by `totalUnjudgedFileBytes`;
 * - how long it takes is bounded by `bodyGraceMs` and `minBodyRate`.
 *
 * For an operation without a credential these limits always apply.
 */
export class Intake {
  /** The body, while it is on its way. */
  arrival: Arrival | undefined;
  readonly #limits: Limits;
  readonly #judge: Judge;
  /** The call that is being read. */
  #reading:
    | { readonly protocol: string; readonly operation: CompiledOperation; readonly values: PartialValues }
    | undefined;
  #judging: Promise<void> | undefined;
  #judged: { readonly text: string; readonly context: unknown } | undefined;

  constructor(limits: Limits, judge: Judge) {
    this.#limits = limits;
    this.#judge = judge;
  }

  /** The operation is known, and its values are being read. */
  reads(protocol: string, operation: CompiledOperation, values: PartialValues): void {
    this.#reading = { protocol, operation, values };
  }

  /**
   * Reports how much of the decompressed body was read.
   * @returns a promise to await before reading more.
   * @throws {ProtocolError} TooLarge
   */
  bodyRead(bytes: number, compressed: boolean): Promise<void> | undefined {
    if (this.#judged !== undefined || bytes < JUDGE_FROM_BYTES) return undefined;
    const judging = this.judgeEarly();
    if (judging !== undefined) return judging.then(() => this.#bound(bytes, compressed));
    this.#bound(bytes, compressed);
    return undefined;
  }

  /**
   * Must be called before bytes of a file are written.
   * @returns a promise to await first.
   * @throws {ProtocolError} Busy, or the error that refuses the credential.
   */
  fileComes(bytes: number): Promise<void> | undefined {
    if (this.#judged !== undefined) return undefined;
    const judging = this.judgeEarly();
    if (judging !== undefined) return judging.then(() => this.arrival?.file(bytes));
    this.arrival?.file(bytes);
    return undefined;
  }

  /** Bytes of the body go into a file: what its sink holds of them is counted there. */
  passedOn(bytes: number): void {
    this.arrival?.release(bytes);
  }

  /** Checks the credential, if it has been read. @returns a promise if the check is asynchronous. */
  judgeEarly(): Promise<void> | undefined {
    if (this.#judged !== undefined || this.#judging !== undefined) return this.#judging;
    if (this.#reading === undefined) return undefined;
    const { protocol, operation, values } = this.#reading;
    const text = operation.credentialIndex < 0 ? undefined : values.textAt(operation.credentialIndex);
    if (text === undefined) return undefined;
    const known = this.#judge(protocol, operation, (at) => values.textAt(at));
    if (!(known instanceof Promise)) {
      this.#admit(text, known);
      return undefined;
    }
    this.#judging = known.then((context) => {
      this.#judging = undefined;
      this.#admit(text, context);
    });
    return this.#judging;
  }

  /**
   * The context of a completely read call, or a promise of it. From then on only the limits of the operation apply.
   * @throws the error that refuses the credential
   */
  authorize(call: Call): unknown {
    const context = this.#contextOf(call);
    if (context instanceof Promise) {
      return context.then((known) => {
        this.arrival?.judged();
        return known;
      });
    }
    this.arrival?.judged();
    return context;
  }

  #contextOf({ protocol, operation, values, headers }: Call): unknown {
    const { credentialIndex } = operation;
    // What was judged may have been read on: a repeated value over GET and POST is another text.
    const judged = operation === this.#reading?.operation && credentialIndex >= 0 ? this.#judged : undefined;
    if (judged !== undefined && judged.text === values[credentialIndex]) return judged.context;
    const textAt = (index: number): string | undefined => {
      const value = values[index];
      return typeof value === 'string' ? value : undefined;
    };
    return this.#judge(protocol, operation, textAt, headers);
  }

  #admit(text: string, context: unknown): void {
    this.#judged = { text, context };
    this.arrival?.judged();
  }

  #bound(bytes: number, compressed: boolean): void {
    if (this.#judged !== undefined) return;
    const { unjudgedInflatedBytes, unjudgedBodyBytes } = this.#limits;
    if (compressed && bytes > unjudgedInflatedBytes) {
      throw tooMuchUnjudged('unjudgedInflatedBytes', unjudgedInflatedBytes);
    }
    const awaitsCredential = (this.#reading?.operation.credentialIndex ?? -1) >= 0;
    if (awaitsCredential && bytes > unjudgedBodyBytes) throw tooMuchUnjudged('unjudgedBodyBytes', unjudgedBodyBytes);
  }
}
