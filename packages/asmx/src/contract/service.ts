/**
 * The language contracts are written in: a service is data, and everything else (routing, parameter
 * conversion, WSDL, help pages, OpenAPI, the types of the handlers) is derived from that data.
 */

/** The XML Schema types a parameter can have; `packages/asmx/src/lexical/index.ts` holds their lexical forms. */
export type XsdType = 'string' | 'int' | 'boolean' | 'dateTime' | 'base64Binary';

/** The XML Schema types a result can have. */
export type ResultType = 'string' | 'boolean';

/** One parameter of an operation: an element in SOAP, a `name=value` pair over GET and POST. */
export interface Parameter {
  /** Exact, case-sensitive name on the wire. */
  readonly name: string;
  readonly type: XsdType;
  /** One sentence for the help pages and the OpenAPI document. */
  readonly documentation: string;
  /** A plausible value for filled samples. */
  readonly sample: string;
  /** The longest text accepted, in code points; the wire's `maxTextChars` when absent. Ignored for base64Binary. */
  readonly maxLength?: number;
  /** A text of one line: CR, LF and TAB are refused. */
  readonly singleLine?: boolean;
  /** A credential: never logged, masked in GET URLs. */
  readonly secret?: boolean;
}

/** One operation: what ASP.NET calls a WebMethod. */
export interface Operation {
  /** Exact, case-sensitive name: the SOAP body element and the last path segment of GET and POST. */
  readonly name: string;
  /** What it does, one sentence: `wsdl:documentation` and the help pages. */
  readonly documentation: string;
  /** In the order of the contract, which is the order of the WSDL, the forms and the samples. */
  readonly parameters: readonly Parameter[];
  readonly result: ResultType;
}

/** A whole contract. Operations stand in declaration order, which is the order of the WSDL. */
export interface Service {
  /** Names the WSDL service and its port types: `WS01` gives `WS01Soap`, `WS01HttpGet` and so on. */
  readonly name: string;
  readonly documentation?: string;
  readonly operations: readonly Operation[];
}

/** Returns its argument with its literal types kept, so that {@link ParamsOf} and {@link Handlers} can be computed. */
export function defineService<const S extends Service>(service: S): S {
  return service;
}

/**
 * The value a handler receives for a parameter of a type. "Not given" is `undefined` for string, dateTime and
 * base64Binary; int and boolean, which .NET proxies cannot omit, are `0` and `false`.
 *
 * - `dateTime`: an instant, in ms since 1970-01-01T00:00:00Z.
 * - `base64Binary`: what the service's binary sink made of the bytes (`Binary`, by default a `Uint8Array`).
 */
export type ValueOf<T extends XsdType, Binary> = {
  string: string | undefined;
  int: number;
  boolean: boolean;
  dateTime: number | undefined;
  base64Binary: Binary | undefined;
}[T];

/** The names of a service's operations. */
export type OperationName<S extends Service> = S['operations'][number]['name'];

/** The operation of a service with a name. */
export type OperationOf<S extends Service, Name extends OperationName<S>> = Extract<
  S['operations'][number],
  { readonly name: Name }
>;

/**
 * The typed parameters of an operation: every key is always present, in contract order. A value of the wrong form,
 * range or length throws `InvalidParameter` when it is read, so that errors come in the order in which a handler
 * reads; a handler reads all of its parameters before it acts.
 */
export type ParamsOf<S extends Service, Name extends OperationName<S>, Binary = Uint8Array> = {
  readonly [P in OperationOf<S, Name>['parameters'][number] as P['name']]: ValueOf<P['type'], Binary>;
};

/** A boolean operation's "no" with its reason: answered as `false` with HTTP 200 and the header `X-Error-Code`. */
export interface Refusal {
  readonly result: false;
  /** A code of the service's error table. */
  readonly code: string;
}

/** What an operation's handler returns: the result text, or for boolean operations the answer. */
export type ResultOf<S extends Service, Name extends OperationName<S>> = OperationOf<
  S,
  Name
>['result'] extends 'boolean'
  ? boolean | Refusal
  : string;

/** One operation's implementation. `Context` is what the service's `authorize` made of the call. */
export type Handler<S extends Service, Name extends OperationName<S>, Context, Binary = Uint8Array> = (
  params: ParamsOf<S, Name, Binary>,
  context: Context,
) => ResultOf<S, Name> | Promise<ResultOf<S, Name>>;

/** Every operation's implementation. A missing operation, a misspelt parameter or a wrong result does not compile. */
export type Handlers<S extends Service, Context, Binary = Uint8Array> = {
  readonly [Name in OperationName<S>]: Handler<S, Name, Context, Binary>;
};
