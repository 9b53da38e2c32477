import type { Limits } from '@ws01/asmx/internal/contract/limits';
import type { CallGiven, CallInput, CallResult } from '../client/types.ts';
import type { SoapFault } from './errors.ts';

/** Where calls go, in which form, and what goes with each. */
export interface SoapClientOptions {
  /** Where the service is, such as `http://old.example.com/Shop.asmx`. */
  readonly url: string | URL;
  /** The version of SOAP; 1.1 when absent, if the contract has it. */
  readonly soap?: '1.1' | '1.2';
  /** The namespace of a contract that says none. */
  readonly namespace?: string;
  /** Headers of HTTP for each call. */
  readonly headers?: HeaderTexts | (() => HeaderTexts);
  /** SOAP headers for each call, by their names in the contract. */
  readonly soapHeaders?: Readonly<Record<string, unknown>>;
  /** Headers that the contract does not know, for each call: XML. */
  readonly headerXml?: string;
  /** `Authorization: Basic`. */
  readonly basic?: { readonly user: string; readonly password: string };
  /** `wsse:Security` with each call. */
  readonly usernameToken?: UsernameToken;
  /** Keeps the cookies that the server sets, as sessions of ASP.NET need it. */
  readonly cookies?: boolean;
  /**
   * Bytes go in parts of their own beside the envelope (MTOM). Answers of this form are read in any
   * case.
   */
  readonly mtom?: boolean;
  /**
   * Proxies, client certificates and pools are those of this `fetch`; the platform's when absent.
   */
  readonly fetch?: typeof fetch;
  /** How long one try may take until its answer is read; ms, 100,000 as in .NET when absent. */
  readonly timeoutMs?: number;
  /** How often a call is tried again that got no answer and changes nothing: 2 when absent. */
  readonly retries?: number;
  /** Operations that may be sent twice, beside those that the contract calls `readOnly`. */
  readonly idempotent?: readonly string[];
  /** Bounds of an answer, over those of `CLIENT_LIMITS`. */
  readonly limits?: Partial<Limits>;
  /** IANA time zone of times that say none; UTC when absent. */
  readonly timeZone?: string;
}

/** Headers of HTTP: values by name. */
export type HeaderTexts = Readonly<Record<string, string>>;

/** A user and password in the SOAP header (Web Services Security UsernameToken Profile 1.0). */
export interface UsernameToken {
  readonly user: string;
  readonly password: string;
  /** `text` when absent, which is only as safe as the connection. */
  readonly kind?: 'text' | 'digest';
  /** With a `wsu:Timestamp` of 5 minutes, as WCF asks for it. */
  readonly timestamp?: boolean;
}

/** A part beside an envelope. */
export interface Attachment {
  /** Its Content-ID without angle brackets. */
  readonly id: string;
  /** Its media type. */
  readonly type?: string | undefined;
  readonly bytes: Uint8Array;
}

/** What is said of one call. */
export interface SoapCallOptions<HeadersIn = object> {
  /** Gives the call up. */
  readonly signal?: AbortSignal;
  /** Over those of the client. */
  readonly timeoutMs?: number;
  readonly headers?: HeaderTexts;
  readonly soapHeaders?: HeadersIn;
  readonly headerXml?: string;
  /** Parts beside the envelope (SOAP Messages with Attachments). */
  readonly attachments?: readonly Attachment[];
}

/** An answer, with what it has beside the result. */
export interface SoapAnswer<Result, HeadersOut = Readonly<Record<string, unknown>>> {
  readonly result: Result;
  /** SOAP headers that the contract knows, by their names there. */
  readonly soapHeaders: HeadersOut;
  /** Those that it does not know, as XML. */
  readonly otherHeaders: readonly string[];
  readonly status: number;
  readonly headers: Headers;
  /** Parts beside the envelope that no value refers to. */
  readonly attachments: readonly Attachment[];
  /** Paths of what the contract has no place for; the first ten. */
  readonly ignored: readonly string[];
}

type HeadersIn<T> = T extends { readonly headersIn: infer H } ? H : object;
type HeadersOut<T> = T extends { readonly headersOut: infer H }
  ? H
  : Readonly<Record<string, unknown>>;
type Faults<T> = T extends { readonly faults: infer F } ? F : Readonly<Record<string, unknown>>;
type CallArguments<T> =
  object extends CallGiven<CallInput<T>>
    ? [input?: CallGiven<CallInput<T>>, options?: SoapCallOptions<HeadersIn<T>>]
    : [input: CallGiven<CallInput<T>>, options?: SoapCallOptions<HeadersIn<T>>];

/** What is handed on while an answer comes: pieces of a file, or the items of a list. */
type PartOf<R> =
  NonNullable<R> extends Uint8Array
    ? Uint8Array
    : NonNullable<R> extends readonly (infer Item)[]
      ? Item
      : NonNullable<R> extends object
        ? PartOf<NonNullable<R>[keyof NonNullable<R>]>
        : never;

/** A function for each operation, and three for what else there is about a call. */
export type SoapClient<Operations> = {
  readonly [Name in keyof Operations]: (
    ...given: CallArguments<Operations[Name]>
  ) => Promise<CallResult<Operations[Name]>>;
} & {
  /** Calls an operation. @returns all that came. */
  $call<Name extends keyof Operations & string>(
    name: Name,
    ...given: CallArguments<Operations[Name]>
  ): Promise<SoapAnswer<CallResult<Operations[Name]>, HeadersOut<Operations[Name]>>>;
  /**
   * Calls an operation whose answer is a file or a list, and holds only one piece or item of it.
   * @param take gets the pieces of the file, or the items of the list, one after the other; the
   *   next when it is done.
   */
  $stream<Name extends keyof Operations & string>(
    name: Name,
    input: CallGiven<CallInput<Operations[Name]>>,
    take: (part: PartOf<CallResult<Operations[Name]>>) => unknown,
    options?: SoapCallOptions<HeadersIn<Operations[Name]>>,
  ): Promise<SoapAnswer<undefined, HeadersOut<Operations[Name]>>>;
  /** Whether an error is a fault that an operation declares: then its detail has a type. */
  $isFault<
    Name extends keyof Operations & string,
    Fault extends keyof Faults<Operations[Name]> & string,
  >(
    error: unknown,
    name: Name,
    fault: Fault,
  ): error is SoapFault & { readonly detail: Faults<Operations[Name]>[Fault] };
};
