import type { Limits } from '../../contract/limits.ts';
import type { Input } from '../../values/input.ts';
import type { Call } from '../call.ts';
import type { CompiledOperation } from '../compiled.ts';
import { type Arrival, tooMuchUnauthenticated } from './arrivals.ts';

/** For bodies of at least this many bytes, the credential is checked before the body has ended. */
const AUTHORIZE_EARLY_FROM_BYTES = 16 * 1024;

/** The values of a call, as far as they are read: what is not read yet has no text. */
export type PartialValues = Pick<Input, 'textAt'>;

/** Asks who calls; not a promise when it is known. @throws whatever refuses the credential */
export type Authorize = (
  protocol: string,
  operation: CompiledOperation,
  textAt: (index: number) => string | undefined,
  headers?: Call['headers'],
) => unknown;

/**
 * Limits the cost of a request before its credential is checked, for every reader. The credential
 * is checked as soon as it was read, if the request is long or writes a file. Until then
 *
 * - what it holds is bounded by `unauthenticatedBytes`, and with all others by
 *   `totalUnauthenticatedBytes`;
 * - what it sends is bounded by `unauthenticatedBodyBytes`, and by `unauthenticatedInflatedBytes`
 *   when it is compressed;
 * - what it writes is bounded, with all others, by `totalUnauthenticatedFileBytes`;
 * - how long it pauses is bounded by `bodyPauseMs`, and how many are slow by `slowBodies`.
 *
 * For an operation without a credential these limits always apply.
 */
export class Intake {
  /** The body, while it is on its way. */
  arrival: Arrival | undefined;
  readonly #limits: Limits;
  readonly #authorize: Authorize;
  /** The call that is being read. */
  #reading:
    | {
        readonly protocol: string;
        readonly operation: CompiledOperation;
        readonly values: PartialValues;
      }
    | undefined;
  #checking: Promise<void> | undefined;
  #authorized: { readonly text: string; readonly caller: unknown } | undefined;

  constructor(limits: Limits, authorize: Authorize) {
    this.#limits = limits;
    this.#authorize = authorize;
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
    if (this.#authorized !== undefined || bytes < AUTHORIZE_EARLY_FROM_BYTES) return undefined;
    const checking = this.authorizeEarly();
    if (checking !== undefined) return checking.then(() => this.#bound(bytes, compressed));
    this.#bound(bytes, compressed);
    return undefined;
  }

  /**
   * Must be called before bytes of a file are written.
   * @returns a promise to await first.
   * @throws {ProtocolError} Busy, or the error that refuses the credential.
   */
  fileComes(bytes: number): Promise<void> | undefined {
    if (this.#authorized !== undefined) return undefined;
    const checking = this.authorizeEarly();
    if (checking !== undefined) return checking.then(() => this.arrival?.file(bytes));
    this.arrival?.file(bytes);
    return undefined;
  }

  /** Bytes of the body go into a file: what its sink holds of them is counted there. */
  passedOn(bytes: number): void {
    this.arrival?.release(bytes);
  }

  /**
   * Checks the credential, if it has been read.
   * @returns a promise if the check is asynchronous.
   */
  authorizeEarly(): Promise<void> | undefined {
    if (this.#authorized !== undefined || this.#checking !== undefined) return this.#checking;
    if (this.#reading === undefined) return undefined;
    const { protocol, operation, values } = this.#reading;
    const text =
      operation.credentialIndex < 0 ? undefined : values.textAt(operation.credentialIndex);
    if (text === undefined) return undefined;
    const known = this.#authorize(protocol, operation, (at) => values.textAt(at));
    if (!(known instanceof Promise)) {
      this.#admit(text, known);
      return undefined;
    }
    this.#checking = known.then((caller) => {
      this.#checking = undefined;
      this.#admit(text, caller);
    });
    return this.#checking;
  }

  /**
   * The caller of a completely read call, or a promise of it. From then on only the limits of the
   * operation apply.
   * @throws the error that refuses the credential
   */
  authorize(call: Call): unknown {
    const caller = this.#callerOf(call);
    if (caller instanceof Promise) {
      return caller.then((known) => {
        this.arrival?.authorized();
        return known;
      });
    }
    this.arrival?.authorized();
    return caller;
  }

  #callerOf({ protocol, operation, input, headers }: Call): unknown {
    const { credentialIndex } = operation;
    // What was checked may have been read on: a repeated value over GET and POST is another text.
    const checked =
      operation === this.#reading?.operation && credentialIndex >= 0 ? this.#authorized : undefined;
    if (checked !== undefined && checked.text === input.textAt(credentialIndex))
      return checked.caller;
    return this.#authorize(protocol, operation, (index) => input.textAt(index), headers);
  }

  #admit(text: string, caller: unknown): void {
    this.#authorized = { text, caller };
    this.arrival?.authorized();
  }

  #bound(bytes: number, compressed: boolean): void {
    if (this.#authorized !== undefined) return;
    const { unauthenticatedInflatedBytes, unauthenticatedBodyBytes } = this.#limits;
    if (compressed && bytes > unauthenticatedInflatedBytes) {
      throw tooMuchUnauthenticated('unauthenticatedInflatedBytes', unauthenticatedInflatedBytes);
    }
    const awaitsCredential = (this.#reading?.operation.credentialIndex ?? -1) >= 0;
    if (awaitsCredential && bytes > unauthenticatedBodyBytes)
      throw tooMuchUnauthenticated('unauthenticatedBodyBytes', unauthenticatedBodyBytes);
  }
}
