import { memorySink } from '../contract/binary.ts';
import {
  ACCESS_ERRORS,
  type ErrorKind,
  type ErrorTable,
  faultErrors,
  PROTOCOL_ERRORS,
} from '../contract/errors.ts';
import { DEFAULT_LIMITS } from '../contract/limits.ts';
import { nearest } from '../contract/nearest.ts';
import {
  BINDING_NAMES,
  type BindingName,
  credentialOf,
  type Service,
} from '../contract/service.ts';
import { portNames } from '../describe/wsdl/wsdl.ts';
import {
  type CompiledOperation,
  type CompiledService,
  compileActions,
  compileOperation,
  soapActionOf,
} from '../exchange/compiled.ts';
import type { Interceptor, Invoke } from '../exchange/handler-call.ts';
import { Admission } from '../exchange/intake/admission.ts';
import { Arrivals } from '../exchange/intake/arrivals.ts';
import { isLegacyCharset } from '../message/charset.ts';
import { compileHeader } from '../values/header-contract.ts';
import {
  bodyOf,
  compileMessages,
  type HeaderPlan,
  type MessagePlan,
} from '../values/message-plan.ts';
import { clark } from '../values/plan.ts';
import type { EndpointOptions } from './endpoint-options.ts';

/** A contract as it is served: under which namespace, and by which ways. */
export interface ServedContract {
  readonly service: Service;
  readonly namespace: string;
}

/**
 * Computes everything that depends only on a contract and its handlers, before the first request.
 * @throws {TypeError}
 */
export function compileService<Operations, Caller, File>(
  { service, namespace }: ServedContract,
  options: EndpointOptions<Operations, Caller, File>,
): CompiledService {
  const limits = options.limits ?? DEFAULT_LIMITS;
  const operations = new Map<string, CompiledOperation>();
  const understood = (options.understands ?? []).map(compileHeader);
  const messages = compileMessages(service, namespace);
  const errors = errorTable(service, options.errors);
  const interceptors = (options.interceptors ?? []) as readonly Interceptor<unknown>[];
  const handlers = compileHandlers(service, options.handlers, interceptors);
  const { credential: nameOfCredential = (given) => credentialOf(given)?.name } = options;
  for (const operation of service.operations) {
    const { name } = operation;
    const credential = nameOfCredential(operation);
    operations.set(
      name,
      compileOperation(operation, messages.get(name)!, handlers.get(name)!, credential),
    );
  }
  return {
    name: service.name,
    namespace,
    operations,
    ...compileActions(namespace, operations.values()),
    byEmptyBody: byEmptyBody(operations.values()),
    byElement: byElement(operations.values()),
    headers: headersOf(messages.values(), understood),
    understood: new Set(understood.map(({ namespace: uri, name }) => clark(uri, name))),
    bindings: new Set(checkedBindings(service.bindings)),
    challenge: options.challenge,
    strict: options.strict === true,
    addressing:
      (options.addressing ?? service.addressing) === true
        ? answerActions(service, namespace)
        : undefined,
    errors,
    limits,
    arrivals: new Arrivals(limits),
    admission: new Admission(limits),
    timeZone: options.timeZone ?? 'UTC',
    now: options.now ?? Date.now,
    legacyCharset: checkedLegacyCharset(options.legacyCharset),
    createBinarySink: options.createBinarySink ?? memorySink,
    isOpen: options.authorize === undefined,
  };
}

/**
 * The codes of the protocol, of access, of the contract's faults and of the handlers.
 * @throws {TypeError}
 */
function errorTable(
  service: Service,
  own: Readonly<Record<string, ErrorKind | undefined>> = {},
): ErrorTable {
  const all: Readonly<Record<string, ErrorKind | undefined>> = {
    ...PROTOCOL_ERRORS,
    ...faultErrors(service.operations),
    ...ACCESS_ERRORS,
    ...own,
  };
  const table: ErrorTable = Object.fromEntries(
    Object.entries(all).flatMap(([code, kind]) => (kind === undefined ? [] : [[code, kind]])),
  );
  assertCodes(service, table);
  return table;
}

/** @throws {TypeError} for an operation that names a code which the service does not have. */
function assertCodes({ operations }: Service, table: ErrorTable): void {
  for (const { name, errors = [] } of operations) {
    const unknown = errors.find((code) => !Object.hasOwn(table, code));
    if (unknown === undefined) continue;
    throw new TypeError(
      `operations.${name}.errors: ${unknown} is not in the option errors; give its status there.`,
    );
  }
}

/**
 * What the actions of answers begin with: namespace and port type (WS-Addressing 1.0 WSDL Binding,
 * 4.4.4).
 */
function answerActions(service: Service, namespace: string): string {
  return soapActionOf(soapActionOf(namespace, portNames(service).soap.portType), '');
}

/** @throws {TypeError} */
function checkedBindings(names: readonly BindingName[] = BINDING_NAMES): readonly BindingName[] {
  const unknown = names.find((name) => !BINDING_NAMES.includes(name));
  if (unknown === undefined) return names;
  throw new TypeError(
    `bindings: there is no binding ${JSON.stringify(unknown)}; there are ${BINDING_NAMES.join(', ')}.`,
  );
}

/** @throws {TypeError} */
function checkedLegacyCharset(name: string | undefined): string | undefined {
  if (name === undefined || isLegacyCharset(name)) return name;
  throw new TypeError(`The legacy charset must be one like gb18030 or windows-1252, not ${name}.`);
}

/** Operations by their element in the body. */
function byElement(
  operations: Iterable<CompiledOperation>,
): ReadonlyMap<string, CompiledOperation> {
  const found = new Map<string, CompiledOperation>();
  for (const operation of operations) {
    const { message } = operation;
    if (hasEmptyBody(message)) continue;
    const name = clark(message.input.namespace, message.input.name);
    // Where two have the same element, the SOAPAction tells them apart.
    if (!found.has(name)) found.set(name, operation);
  }
  return found;
}

const hasEmptyBody = ({ bare, request }: MessagePlan): boolean =>
  bare && bodyOf(request).length === 0;

function byEmptyBody(operations: Iterable<CompiledOperation>): CompiledOperation | undefined {
  const found = [...operations].filter(({ message }) => hasEmptyBody(message));
  return found.length === 1 ? found[0] : undefined;
}

function headersOf(
  messages: Iterable<MessagePlan>,
  understood: readonly HeaderPlan[],
): ReadonlyMap<string, HeaderPlan> {
  const found = new Map(understood.map((header) => [clark(header.namespace, header.name), header]));
  for (const { headersIn } of messages) {
    for (const header of headersIn) {
      const name = clark(header.namespace, header.name);
      // The reader of SOAP encoding takes what is literal, too.
      if (found.get(name)?.encoded !== true) found.set(name, header);
    }
  }
  return found;
}

/**
 * The handlers of a contract, by operation.
 * @throws {TypeError} for an operation without one, and for a handler without an operation.
 */
function compileHandlers(
  { operations }: Service,
  given: object | undefined,
  interceptors: readonly Interceptor<unknown>[],
): ReadonlyMap<string, Invoke> {
  const handlers = new Map<string, Invoke>();
  for (const { name } of operations) {
    const handler = (given as Record<string, unknown> | undefined)?.[name];
    // Every object has a function of some names.
    if (typeof handler !== 'function' || handler === Reflect.get(Object.prototype, name))
      throw new TypeError(`handlers.${name}: there must be a function.`);
    // Called on the object: it may be of a class, with members of its own.
    const own: Invoke = (input, call) => (handler as Invoke).call(given, input, call);
    handlers.set(name, interceptors.length === 0 ? own : intercepted(own, interceptors));
  }
  for (const name of isPlain(given) ? Object.keys(given) : []) {
    if (!handlers.has(name)) {
      throw new TypeError(
        `handlers.${name}: the contract has no such operation.${nearest(name, [...handlers.keys()])}`,
      );
    }
  }
  return handlers;
}

/** Whether it is an object that was written there, whose members are all meant to be handlers. */
function isPlain(given: object | undefined): given is object {
  if (typeof given !== 'object' || given === null) return false;
  const prototype = Object.getPrototypeOf(given);
  return prototype === null || prototype === Object.prototype;
}

function intercepted(handler: Invoke, interceptors: readonly Interceptor<unknown>[]): Invoke {
  return (input, call) => {
    const run = async (at: number): Promise<unknown> => {
      const interceptor = interceptors[at];
      return interceptor === undefined
        ? handler(input, call)
        : interceptor(call, input, () => run(at + 1));
    };
    return run(0);
  };
}
