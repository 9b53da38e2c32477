/**
 * The language contracts are written in: a service is data, and everything else (routing, parameter
 * conversion, WSDL, help pages, OpenAPI, the types of the handlers) is derived from that data.
 */

import type { DateTimeForm, Element, NamedType, Type } from './types.ts';

/** One parameter of an operation: an element in SOAP, a `name=value` pair over GET and POST. */
export interface Parameter extends Element {
  /** One sentence for the help pages and the OpenAPI document. */
  readonly documentation: string;
  /** A plausible value for filled samples. */
  readonly sample: string;
  /**
   * It is a credential: the pages ask for it once, and fill it into each form; `authorize` gets it
   * as soon as it was read.
   */
  readonly credential?: true;
  /** What the credential must allow. The engine does not check it: `authorize` does. */
  readonly scope?: string;
}

/**
 * Help for callers, beyond the contract's own documentation: for the help pages and the OpenAPI
 * document, not for the WSDL.
 */
export interface Help {
  /**
   * What it does for the caller, one or two sentences; pages and OpenAPI show it instead of the
   * documentation.
   */
  readonly purpose: string;
  /** What the result is. */
  readonly answer: string;
  /** A real result; JSON is indented. */
  readonly example: string;
  /** Parameters without which a call is refused. */
  readonly required: readonly string[];
  /**
   * The error codes of this operation, each with its cause, without the errors of every operation.
   */
  readonly errors: Readonly<Record<string, string>>;
  /** Prefixes of results that mean a refusal, although the status is 200. */
  readonly refusals?: readonly string[];
}

/** A SOAP header: a child of `soap:Header`, in the service's namespace when it says no other. */
export interface Header extends Element {
  /** A call without it is refused. */
  readonly required?: true;
  /** That of its operation when absent. */
  readonly use?: 'literal' | 'encoded';
}

/** What a fault's `detail` may hold. */
export interface Fault {
  /** The code of the errors that have it. */
  readonly name: string;
  readonly element: Element;
  /** That of its operation when absent. */
  readonly use?: 'literal' | 'encoded';
  /** The WS-Addressing action of its answers, that of all SOAP faults when absent. */
  readonly action?: string;
}

/** The element of a message in the body. */
export interface BodyName {
  readonly name: string;
  /** The service's when absent. */
  readonly namespace?: string;
  /** The names of the WSDL's message, and of its part, where they are not as ASP.NET has them. */
  readonly message?: string;
  readonly part?: string;
  /** The part of a bare message names its type and no element, which WS-I forbids (R2204). */
  readonly typed?: true;
}

/** One operation: what ASP.NET calls a WebMethod. */
export interface Operation {
  /**
   * Exact, case-sensitive name, unique in the service: the SOAP body element and the last path
   * segment of GET and POST.
   */
  readonly name: string;
  /**
   * The name of the WSDL's operation, where several have the same one ([WebMethod(MessageName)]).
   */
  readonly operationName?: string;
  /**
   * What it does, one sentence: `wsdl:documentation`, and the help pages without
   * {@link Operation.help}.
   */
  readonly documentation: string;
  /** In the order of the contract, which is the order of the WSDL, the forms and the samples. */
  readonly parameters: readonly Parameter[];
  /**
   * A type, whose element is `{name}Result`; an element of another name; `void`, or absent, for
   * none.
   */
  readonly result?: Type | 'void' | Element;
  /** What follows the result in the answer: .NET's out and ref parameters. */
  readonly out?: readonly Element[];
  /**
   * `bare`: the parameters, and the results, are the body's elements themselves: one by the name of
   * the message, several by their own names. `wrapped` when absent.
   */
  readonly style?: 'wrapped' | 'bare' | 'rpc';
  /** `literal` when absent. */
  readonly use?: 'literal' | 'encoded';
  /** The request's element, `{name}` when absent. */
  readonly input?: BodyName;
  /** The answer's element, `{name}Response` when absent. */
  readonly output?: BodyName;
  /** The SOAPAction, `{namespace}/{name}` when absent. */
  readonly action?: string;
  /** That of the SOAP 1.2 binding, where it is another. */
  readonly action12?: string;
  /**
   * The WS-Addressing action of the answer, `{namespace}/{port type}/{name}Response` when absent.
   */
  readonly answerAction?: string;
  /** Nothing answers but the status 202. */
  readonly oneWay?: true;
  readonly headers?: { readonly in?: readonly Header[]; readonly out?: readonly Header[] };
  readonly faults?: readonly Fault[];
  /**
   * The codes of the service's error table that this operation may answer, for OpenAPI; codes of
   * the protocol and of access need not be said. Any code of the table when absent.
   */
  readonly errors?: readonly string[];
  readonly help?: Help;
  /** The operation changes nothing: marked in MCP. */
  readonly readOnly?: true;
  /** The operation cannot be undone: marked in MCP. */
  readonly destructive?: true;
}

/** The parameter that is marked as the credential of an operation; `undefined` for none. */
export function credentialOf({ parameters }: Operation): Parameter | undefined {
  return parameters.find(({ credential }) => credential);
}

/** The bindings of a service that can be turned off individually. */
export type BindingName = (typeof BINDING_NAMES)[number];

export const BINDING_NAMES = ['soap11', 'soap12', 'get', 'post', 'json'] as const;

/** A whole contract. The order of operations is the order in the WSDL. */
export interface Service {
  /**
   * Names the WSDL service and its port types: `WS01` gives `WS01Soap`, `WS01HttpGet` and so on.
   */
  readonly name: string;
  /** The target namespace; if absent, the option of `createEndpoint`. */
  readonly namespace?: string;
  readonly documentation?: string;
  readonly operations: readonly Operation[];
  /** By key: an identifier, which is the type's name in TypeScript. */
  readonly types?: Readonly<Record<string, NamedType>>;
  /**
   * The schemas of typed DataSets, by the name of the DataSet, which `?schema=` of the WSDL's
   * import has.
   */
  readonly dataSets?: Readonly<Record<string, DataSetSchema>>;
  /**
   * Namespaces of the WSDL's schemas in their order: python-zeep numbers its prefixes by it. Those
   * that are not named follow, in the order of first use.
   */
  readonly schemas?: readonly string[];
  /** Clients send WS-Addressing headers: they are read, and the WSDL says so. */
  readonly addressing?: true;
  /** How handlers get a dateTime of which its element says nothing: `instant` when absent. */
  readonly dateTimes?: DateTimeForm;
  /**
   * By namespace: whether local elements and attributes are in it. As ASP.NET when absent: elements
   * are, attributes not.
   */
  readonly forms?: Readonly<
    Record<
      string,
      {
        readonly elements?: 'qualified' | 'unqualified';
        readonly attributes?: 'qualified' | 'unqualified';
      }
    >
  >;
  /** All when absent. */
  readonly bindings?: readonly BindingName[];
  /**
   * Names of the WSDL's ports where they are not `{name}Soap`, `{name}Soap12`, `{name}HttpGet`,
   * `{name}HttpPost`. Bindings are called like their ports, if nothing else is said.
   */
  readonly ports?: {
    readonly [binding in Exclude<BindingName, 'json'>]?:
      | string
      | { readonly name: string; readonly binding: string };
  };
  /** The name of SOAP's port type, that of its first binding when absent. */
  readonly portType?: string;
}

/** The schema that generators make the class of a typed DataSet of. */
export interface DataSetSchema {
  /** Its target namespace, that of the rows. */
  readonly namespace: string;
  /** The element `xs:schema`, as XML. */
  readonly schema: string;
}

/**
 * The field of HTTP that has a SOAP header as JSON where there is no envelope; `undefined` for
 * names that HTTP does not take.
 */
export function headerField(name: string): string | undefined {
  return /^[\w.-]+$/.test(name) ? `Soap-${name}` : undefined;
}

/**
 * Whether only SOAP can call an operation: it requires a SOAP header that no field of HTTP can
 * have.
 */
export function isForSoapAlone({ headers }: Operation): boolean {
  const required = headers?.in?.filter((header) => header.required === true) ?? [];
  return required.some(({ name }) => headerField(name) === undefined);
}
