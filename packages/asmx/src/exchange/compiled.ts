import type { CreateBinarySink } from '../contract/binary.ts';
import type { ErrorTable } from '../contract/errors.ts';
import type { Limits } from '../contract/limits.ts';
import type { BindingName, Operation, Service } from '../contract/service.ts';
import type { HeaderPlan, MessagePlan } from '../values/message-plan.ts';
import { escapeAttribute } from '../xml/writer.ts';
import type { Invoke } from './handler-call.ts';
import type { Admission } from './intake/admission.ts';
import type { Arrivals } from './intake/arrivals.ts';
import { checkNames } from './names.ts';

/**
 * One operation with everything that can be computed from its contract before the first request.
 */
export interface CompiledOperation {
  readonly operation: Operation;
  readonly name: string;
  /** Position of each parameter by its exact name: SOAP elements. */
  readonly indexByName: ReadonlyMap<string, number>;
  /** The same by its property, as the contract spells it: JSON. */
  readonly indexByProperty: ReadonlyMap<string, number>;
  /** The same by lower-case name: GET and POST names are case-insensitive (ASP.NET). */
  readonly indexByLowerName: ReadonlyMap<string, number>;
  /** The same by its property in lower case: JSON. */
  readonly indexByLowerProperty: ReadonlyMap<string, number>;
  /** Position of the parameter with the credential; -1 when there is none. */
  readonly credentialIndex: number;
  /** Whether a parameter is a file, so that the body has the larger limit. */
  readonly hasBinary: boolean;
  /** The plan of its messages. */
  readonly message: MessagePlan;
  readonly invoke: Invoke;
}

/** A service ready to be served. */
export interface CompiledService {
  readonly name: string;
  /** `{soap_namespace}` exactly as configured. */
  readonly namespace: string;
  readonly operations: ReadonlyMap<string, CompiledOperation>;
  /**
   * Operations by the SOAPAction texts that select them: one or two slashes before the name
   * (semantics 6).
   */
  readonly byAction: ReadonlyMap<string, CompiledOperation>;
  /** SOAPActions that several operations share: the body selects the operation. */
  readonly sharedActions: ReadonlySet<string>;
  /** The one whose request has an empty body, if it is one alone. */
  readonly byEmptyBody: CompiledOperation | undefined;
  /**
   * By `{namespace}name` of the body's element, where that is not `{service namespace}operation`.
   */
  readonly byElement: ReadonlyMap<string, CompiledOperation>;
  /** The SOAP headers that operations read, by `{namespace}name`. */
  readonly headers: ReadonlyMap<string, HeaderPlan>;
  /** Those that it reads whatever the operation, by the same names. */
  readonly understood: ReadonlySet<string>;
  /** The ways to call it that are on. */
  readonly bindings: ReadonlySet<BindingName>;
  readonly errors: ErrorTable;
  /** What `WWW-Authenticate` says with every status 401. */
  readonly challenge: string | undefined;
  /** WS-Addressing is spoken: the actions of answers begin with this. */
  readonly addressing: string | undefined;
  /** A call that holds what its contract has no place for is refused. */
  readonly strict: boolean;
  readonly limits: Limits;
  /** The requests on their way. */
  readonly arrivals: Arrivals;
  readonly admission: Admission;
  /** IANA time zone of dateTime values without one. */
  readonly timeZone: string;
  readonly now: () => number;
  /** The charset of bytes whose charset nobody names and that are not UTF-8. */
  readonly legacyCharset: string | undefined;
  readonly createBinarySink: CreateBinarySink<unknown>;
  /** Whether every call is let in: nothing authorizes it. */
  readonly isOpen: boolean;
}

/** The SOAPAction of an operation: the namespace, one slash, the name (ASP.NET's SoapReflector). */
export function soapActionOf(namespace: string, operation: string): string {
  return namespace.endsWith('/') ? namespace + operation : `${namespace}/${operation}`;
}

/**
 * Checks a contract before the first request.
 * @throws {TypeError} for an invalid or duplicate name (see {@link checkNames}), an invalid
 * namespace, and a path without a leading slash or with a trailing one.
 */
export function checkDefinition(service: Service, namespace: string, path: string): void {
  if (namespace.trim() === '') throw new TypeError('The namespace must not be empty.');
  escapeAttribute(namespace);
  if (!path.startsWith('/') || path.endsWith('/')) {
    throw new TypeError(
      `The path must begin with a slash and not end with one, not ${JSON.stringify(path)}.`,
    );
  }
  checkNames(service);
}

/**
 * Compiles one operation.
 * @param credential the name of the parameter with the credential.
 * @throws {TypeError} when no parameter with text has that name.
 */
export function compileOperation(
  operation: Operation,
  message: MessagePlan,
  invoke: Invoke,
  credential?: string,
): CompiledOperation {
  const credentialIndex = operation.parameters.findIndex(({ name }) => name === credential);
  if (credential !== undefined && operation.parameters[credentialIndex]?.type !== 'string') {
    throw new TypeError(
      `The credential of ${operation.name} must be one of its string parameters, not ${credential}.`,
    );
  }
  return {
    operation,
    name: operation.name,
    indexByName: new Map(operation.parameters.map((parameter, index) => [parameter.name, index])),
    indexByProperty: new Map(
      operation.parameters.map(({ name, property }, index) => [property ?? name, index]),
    ),
    indexByLowerName: new Map(
      operation.parameters.map((parameter, index) => [parameter.name.toLowerCase(), index]),
    ),
    indexByLowerProperty: new Map(
      operation.parameters.map(({ name, property }, index) => [
        (property ?? name).toLowerCase(),
        index,
      ]),
    ),
    credentialIndex,
    // A file inside an object is held with it while it is read: the larger limit is not for that.
    hasBinary: message.request.elements.some(({ streams }) => streams),
    message,
    invoke,
  };
}

/** What a SOAPAction selects. */
export function compileActions(
  namespace: string,
  operations: Iterable<CompiledOperation>,
): Pick<CompiledService, 'byAction' | 'sharedActions'> {
  const stem = namespace.endsWith('/') ? namespace.slice(0, -1) : namespace;
  const byAction = new Map<string, CompiledOperation>();
  const sharedActions = new Set<string>();
  const add = (action: string, compiled: CompiledOperation) => {
    if (byAction.has(action)) sharedActions.add(action);
    byAction.set(action, compiled);
  };
  for (const compiled of operations) {
    const { action, action12 = '' } = compiled.operation;
    if (action12 !== '') add(action12, compiled);
    if (action !== undefined) {
      if (action !== '') add(action, compiled);
      continue;
    }
    add(`${stem}/${compiled.name}`, compiled);
    add(`${stem}//${compiled.name}`, compiled);
  }
  for (const action of sharedActions) byAction.delete(action);
  return { byAction, sharedActions };
}
