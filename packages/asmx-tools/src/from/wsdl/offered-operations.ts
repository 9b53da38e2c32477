import { inBody } from '@ws01/asmx/internal/values/message-plan';
import { WSDL } from '../load/load.ts';
import type { XmlTree } from '../load/xml-document.ts';
import type { Operation, Type } from '../normal-form.ts';
import type { SchemaReader } from '../schema/schema-reader.ts';
import { WsdlError } from '../wsdl-error.ts';
import type { BoundPort } from './bindings.ts';
import type { Definitions } from './definitions.ts';
import { httpOperation } from './http-operations.ts';
import type { MessageSource } from './messages.ts';
import { type BoundOperation, soapOperation } from './operations.ts';

/** An operation that the engine cannot serve, while the rest of its service can be. */
export interface LeftOut {
  readonly operation: string;
  /** One sentence. */
  readonly reason: string;
  /** The error where no operation is left. */
  readonly error: WsdlError;
}

/** Why an operation is left out whose name another port type has, too, at the same address. */
export const IN_TWO_PORT_TYPES =
  'Two port types of the service have an operation of this name, with other parameters.';

/** The note of one. */
export function leftOutNote({ operation, reason }: LeftOut): string {
  return `The operation ${operation} is left out: ${reason}`;
}

/** The operations of a service, and which of them each port offers. */
interface OfferedOperations {
  readonly operations: readonly Operation[];
  readonly offered: ReadonlyMap<BoundPort, readonly string[]>;
  readonly leftOut: readonly LeftOut[];
  /** What was passed over, a line each. */
  readonly notes: readonly string[];
}

/**
 * The operations of all ports: SOAP's say how they look; GET and POST alone make an operation only
 * where SOAP has none. One that cannot be served is left out.
 */
export function offeredOperations(
  ports: readonly BoundPort[],
  source: MessageSource,
): OfferedOperations {
  const soap = ports.filter(({ kind }) => kind === 'soap11' || kind === 'soap12');
  const others = ports.filter((each) => !soap.includes(each));
  const found = new FoundOperations(source);
  for (const port of soap) found.addPort(port, (name, bound) => found.addSoap(port, name, bound));
  for (const port of others) found.addPort(port, (name, bound) => found.addHttp(port, name, bound));
  return found.told();
}

/** What was found at the ports so far. */
class FoundOperations {
  readonly #source: MessageSource;
  readonly #operations = new Map<string, Operation>();
  /** What each operation is described by. */
  readonly #origin = new Map<string, XmlTree>();
  readonly #offered = new Map<BoundPort, string[]>();
  readonly #leftOut = new Map<string, LeftOut>();
  readonly #notes: string[] = [];

  constructor(source: MessageSource) {
    this.#source = source;
  }

  /** @param add adds an operation; says whether the port offers it. */
  addPort(port: BoundPort, add: (name: string, bound: BoundOperation) => boolean): void {
    const own: string[] = [];
    this.#offered.set(port, own);
    for (const [name, bound] of boundOperations(port, this.#source.definitions, this.#notes))
      if (!this.#leftOut.has(name) && add(name, bound)) own.push(name);
  }

  addSoap(port: BoundPort, name: string, bound: BoundOperation): boolean {
    const known = this.#origin.get(name);
    if (known === undefined) return this.#addNew(name, bound, soapOperation);
    if (known === bound.abstract) return this.#addKnown(port, name, bound);
    const again = soapOperation(name, bound, this.#source);
    const before = this.#operations.get(name)!;
    if (JSON.stringify(sameOf(again)) === JSON.stringify(sameOf(before))) return true;
    return this.#leaveUnsupported(name, bound, IN_TWO_PORT_TYPES);
  }

  addHttp(port: BoundPort, name: string, bound: BoundOperation): boolean {
    const known = this.#operations.get(name);
    const other = otherForm(name, bound);
    if (other !== undefined)
      return known === undefined
        ? this.#leaveUnsupported(name, bound, other)
        : this.#passOver(port, name, other);
    if (known !== undefined && !isForm(known, this.#source.schemas))
      return this.#passOver(port, name, 'its parameters are no form values.');
    return this.#origin.has(name) || this.#addNew(name, bound, httpOperation);
  }

  told(): OfferedOperations {
    const all = [...this.#operations.values()];
    for (const [name, error] of notToldApart(all, this.#origin)) this.#leave(name, error);
    return {
      operations: [...this.#operations.values()],
      offered: this.#offered,
      leftOut: [...this.#leftOut.values()],
      notes: this.#notes,
    };
  }

  #addNew(name: string, bound: BoundOperation, read: typeof soapOperation): boolean {
    try {
      this.#operations.set(name, read(name, bound, this.#source));
      this.#origin.set(name, bound.abstract);
      return true;
    } catch (error) {
      if (!(error instanceof WsdlError)) throw error;
      return this.#leave(name, error);
    }
  }

  /**
   * Adds an operation that another port has, too: with SOAP 1.2 it may have an action of its own.
   */
  #addKnown(port: BoundPort, name: string, bound: BoundOperation): boolean {
    const known = this.#operations.get(name)!;
    if (hasOtherForm(known, () => soapOperation(name, bound, this.#source)))
      return this.#passOver(port, name, 'its messages have another form there.');
    if (port.kind !== 'soap12') return true;
    const action12 = bound.bound.first(port.uri, 'operation')?.attribute('soapAction') ?? '';
    if (action12 !== known.action) this.#operations.set(name, { ...known, action12 });
    return true;
  }

  #passOver(port: BoundPort, name: string, reason: string): false {
    this.#notes.push(`${name} is passed over at the port ${port.name}: ${reason}`);
    return false;
  }

  #leaveUnsupported(name: string, bound: BoundOperation, reason: string): false {
    const { file } = bound.abstract;
    return this.#leave(name, new WsdlError('unsupported', file, `operation ${name}`, reason));
  }

  #leave(operation: string, error: WsdlError): false {
    this.#operations.delete(operation);
    for (const own of this.#offered.values())
      if (own.includes(operation)) own.splice(own.indexOf(operation), 1);
    this.#leftOut.set(operation, { operation, reason: error.reason, error });
    return false;
  }
}

/**
 * Why an HTTP binding's operation is not called as those of ASP.NET are, at its name below the
 * address; one sentence.
 */
function otherForm(name: string, { bound, port }: BoundOperation): string | undefined {
  const input = bound.first(WSDL, 'input');
  if (input?.first(port.uri, 'urlReplacement') !== undefined) {
    return 'Its parameters are parts of its path (http:urlReplacement), which is not served.';
  }
  const place = bound.first(port.uri, 'operation')?.attribute('location');
  if (place === undefined || place.replace(/^\//, '') === name) return undefined;
  return `Its path is ${place}; operations of GET and POST are served at /${name}.`;
}

/**
 * Of operations with one SOAPAction and one body element, an empty body among them, the first is
 * called: the others would never be.
 */
function notToldApart(
  operations: readonly Operation[],
  origin: ReadonlyMap<string, XmlTree>,
): ReadonlyMap<string, WsdlError> {
  const found = new Map<string, WsdlError>();
  const known = new Map<string, string>();
  for (const { name, style, parameters, action, input } of operations) {
    const isEmpty = style === 'bare' && !parameters.some(inBody);
    const request = isEmpty ? 'an empty body' : `the element ${input.name}`;
    const key = JSON.stringify([action, isEmpty || [input.namespace, input.name]]);
    const other = known.get(key);
    if (other !== undefined) {
      const like = `Its request has ${request} as that of ${other} has`;
      const reason = `${like}, and the same SOAPAction: nothing tells them apart.`;
      const { file } = origin.get(name)!;
      found.set(name, new WsdlError('unsupported', file, `operation ${name}`, reason));
    } else known.set(key, name);
  }
  return found;
}

/** Whether GET and POST can carry what an operation takes: scalars, and lists of them. */
function isForm({ style, parameters }: Operation, schemas: SchemaReader): boolean {
  const isSimple = (type: Type): boolean => {
    if (typeof type === 'string') return !['xml', 'DataSet', 'DataTable', 'anyType'].includes(type);
    return !['object', 'array'].includes(schemas.named(type.ref).kind);
  };
  return (
    style !== 'bare' &&
    parameters.every(({ type }) => {
      const named = typeof type === 'string' ? undefined : schemas.named(type.ref);
      return isSimple(named?.kind === 'array' ? named.item.type : type);
    })
  );
}

/** Whether another binding of an operation puts its messages on the wire in another way. */
function hasOtherForm(operation: Operation, read: () => Operation): boolean {
  const form = ({ action: _, action12: _12, documentation: _text, ...of }: Operation) =>
    JSON.stringify(of);
  try {
    return form(read()) !== form(operation);
  } catch (error) {
    if (error instanceof WsdlError) return true;
    throw error;
  }
}

function sameOf({ input: { name, namespace }, parameters }: Operation) {
  return [name, namespace, parameters];
}

/**
 * The operations of a port by their names in the contract.
 * @param notes gets a line for each that the port type has not: nobody knows its messages, and .NET
 *   passes over it.
 */
function boundOperations(
  port: BoundPort,
  definitions: Definitions,
  notes: string[],
): Map<string, BoundOperation> {
  const portType = definitions.referred('portType', port.binding, 'type');
  const abstracts = Map.groupBy(portType.of(WSDL, 'operation'), ({ name }) => name);
  const bounds = port.binding.of(WSDL, 'operation');
  const found = new Map<string, BoundOperation>();
  for (const bound of bounds) {
    const named = abstracts.get(bound.name) ?? [];
    if (named.length === 0) {
      notes.push(
        `${bound.name} is passed over at the port ${port.name}: the port type ${portType.name} has it not.`,
      );
      continue;
    }
    const abstract = named.length > 1 ? overload(named, bound) : named[0];
    if (abstract === undefined) {
      const reason = `The port type ${portType.name} has no operation ${bound.name} such as the binding has.`;
      throw new WsdlError('unreadable', bound.file, `binding ${port.binding.name}`, reason);
    }
    const isInput = named.length > 1 || hasMessageName({ abstract, bound, port }, definitions);
    const name = isInput ? inputName(abstract) : abstract.name;
    if (found.has(name))
      notes.push(
        `A second operation ${name} is passed over at the port ${port.name}: both have one name of their input, which nothing tells apart.`,
      );
    else found.set(name, { abstract, bound, port });
  }
  return found;
}

/**
 * Of operations with one name, the one whose input and output are called as the binding calls them
 * (WSDL 1.1, 2.5).
 */
function overload(named: readonly XmlTree[], bound: XmlTree): XmlTree | undefined {
  const input = bound.first(WSDL, 'input')?.attribute('name');
  return named.find((each) => inputName(each) === (input ?? each.name));
}

/**
 * Whether the name of its input is what clients call it by: ASP.NET's [WebMethod(MessageName)], of
 * which the body element and the path of GET and POST are made.
 */
function hasMessageName(
  { abstract, bound, port }: BoundOperation,
  definitions: Definitions,
): boolean {
  const name = inputName(abstract);
  const input = abstract.first(WSDL, 'input');
  if (input === undefined || name === abstract.name) return false;
  if (port.kind === 'get' || port.kind === 'post') {
    return bound.first(port.uri, 'operation')?.attribute('location') === `/${name}`;
  }
  const [part] = definitions.referred('message', input, 'message').of(WSDL, 'part');
  return part?.attribute('name') === 'parameters' && part.qname('element')?.local === name;
}

function inputName(operation: XmlTree): string {
  return operation.first(WSDL, 'input')?.attribute('name') ?? operation.name;
}
