import { type LoadedWsdl, loadWsdl, loadWsdlText, WSDL } from '../load/load.ts';
import type { XmlTree } from '../load/xml-document.ts';
import type { Operation, Port, Service, Type } from '../normal-form.ts';
import { reachableTypes } from '../reachable-types.ts';
import { SchemaReader } from '../schema/schema-reader.ts';
import { WsdlError } from '../wsdl-error.ts';
import { type BoundPort, bindingKind, locationOf } from './bindings.ts';
import { Definitions, targetNamespaceOf } from './definitions.ts';
import { httpOperation } from './http-operations.ts';
import type { MessageSource } from './messages.ts';
import { type BoundOperation, soapOperation } from './operations.ts';

/** A contract read from a WSDL. */
export interface ReadContract {
  /** The file or URL. */
  readonly file: string;
  readonly service: Service;
  /** What was passed over, a line each. */
  readonly notes: readonly string[];
}

export interface ReadOptions {
  /** Which of several services; the first one that can be served when absent. */
  readonly service?: string;
}

/**
 * Reads a WSDL 1.1 contract with everything that it imports.
 * @param source a path, or an http or https URL.
 * @throws {WsdlError} in one line: what cannot be read, or cannot be held.
 */
export async function readWsdl(source: string, options: ReadOptions = {}): Promise<ReadContract> {
  return contractOf(await loadWsdl(source), options);
}

/** The same of a document that is in memory and stands alone. @param name what it is called in messages. @throws {WsdlError} */
export async function readWsdlText(text: string, name: string, options: ReadOptions = {}): Promise<ReadContract> {
  return contractOf(await loadWsdlText(text, name), options);
}

function contractOf(loaded: LoadedWsdl, options: ReadOptions): ReadContract {
  const definitions = new Definitions(loaded);
  const notes: string[] = [];
  const { tree, ports } = chooseService(definitions, loaded.file, options, notes);
  const schemas = new SchemaReader(loaded.schemas);
  const { operations, offered } = operationsOf(ports, { definitions, schemas }, notes);
  const documentation = tree.documentation(WSDL) ?? loaded.definitions[0]!.documentation(WSDL);
  return {
    file: loaded.file,
    notes,
    service: {
      name: nameOf(tree),
      namespace: targetNamespaceOf(ports[0]!.binding),
      ...(documentation === undefined ? {} : { documentation }),
      operations,
      types: reachableTypes(schemas.types(), operations),
      ports: ports.map(
        (port): Port => ({
          name: port.name,
          kind: port.kind,
          binding: nameOf(port.binding),
          location: port.location,
          operations: offered.get(port) ?? [],
        }),
      ),
    },
  };
}

function chooseService(
  definitions: Definitions,
  file: string,
  { service: wanted }: ReadOptions,
  notes: string[],
): { readonly tree: XmlTree; readonly ports: readonly BoundPort[] } {
  const { services } = definitions;
  if (services.length === 0) throw new WsdlError('unsupported', file, '', 'It holds no service.');
  const names = services.map(nameOf);
  const asked = wanted === undefined ? services : services.filter((service) => nameOf(service) === wanted);
  if (asked.length === 0)
    throw new WsdlError('unreadable', file, '', `It has no service ${wanted}; it has ${names.join(', ')}.`);
  let passedOver = 'It has no port.';
  for (const tree of asked) {
    const own: string[] = [];
    const ports = portsOf(tree, definitions, own);
    if (ports.length > 0) {
      if (wanted === undefined && services.length > 1) {
        const others = names.filter((name) => name !== nameOf(tree));
        notes.push(`Of ${services.length} services ${nameOf(tree)} is read; others: ${others.join(', ')}.`);
      }
      notes.push(...own);
      return { tree, ports };
    }
    passedOver = own.at(-1) ?? passedOver;
  }
  const reason = `None of its ports can be served: ${passedOver}`;
  throw new WsdlError('unsupported', asked[0]!.file, `service ${nameOf(asked[0]!)}`, reason);
}

function portsOf(service: XmlTree, definitions: Definitions, notes: string[]): BoundPort[] {
  return service.of(WSDL, 'port').flatMap((port) => {
    const binding = definitions.referred('binding', port, 'binding');
    const kind = bindingKind(binding);
    if (typeof kind === 'string') {
      notes.push(`The port ${nameOf(port)} is passed over: ${kind}.`);
      return [];
    }
    return [{ name: nameOf(port), ...kind, binding, location: locationOf(port) }];
  });
}

/** The operations of all ports: SOAP's say how they look; GET and POST alone make an operation only where SOAP has none. */
function operationsOf(ports: readonly BoundPort[], source: MessageSource, notes: string[]) {
  const operations = new Map<string, Operation>();
  const origin = new Map<string, XmlTree>();
  const offered = new Map<BoundPort, string[]>();
  const soap = ports.filter(({ kind }) => kind === 'soap11' || kind === 'soap12');
  for (const port of [...soap, ...ports.filter((each) => !soap.includes(each))]) {
    const own: string[] = [];
    offered.set(port, own);
    for (const [name, bound] of boundOperations(port, source.definitions)) {
      const asSoap = operations.get(name);
      if (!soap.includes(port) && asSoap !== undefined && !isForm(asSoap, source.schemas)) {
        notes.push(`${name} is passed over at the port ${port.name}: its parameters are no form values.`);
        continue;
      }
      own.push(name);
      const known = origin.get(name);
      if (known === undefined) {
        origin.set(name, bound.abstract);
        operations.set(name, (soap.includes(port) ? soapOperation : httpOperation)(name, bound, source));
      } else if (known !== bound.abstract && soap.includes(port)) {
        const again = soapOperation(name, bound, source);
        if (JSON.stringify([again.input, again.parameters]) !== JSON.stringify(sameOf(operations.get(name)!))) {
          const reason = 'Two port types of the service have an operation of this name, with other parameters.';
          throw new WsdlError('unsupported', bound.abstract.file, `operation ${name}`, reason);
        }
      }
    }
  }
  assertToldApart([...operations.values()], origin);
  return { operations: [...operations.values()], offered };
}

/** A request with an empty body is known by its SOAPAction alone. @throws {WsdlError} where two have the same. */
function assertToldApart(operations: readonly Operation[], origin: ReadonlyMap<string, XmlTree>): void {
  const byAction = new Map<string, string>();
  for (const { name, style, parameters, action } of operations) {
    if (style !== 'bare' || parameters.length > 0) continue;
    const other = byAction.get(action);
    if (other !== undefined) {
      const reason = `Its request has an empty body as that of ${other} has, and the same SOAPAction: nothing tells them apart.`;
      throw new WsdlError('unsupported', origin.get(name)!.file, `operation ${name}`, reason);
    }
    byAction.set(action, name);
  }
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

function sameOf({ input, parameters }: Operation) {
  return [input, parameters];
}

/** The operations of a port by their names in the contract. */
function boundOperations(port: BoundPort, definitions: Definitions): Map<string, BoundOperation> {
  const portType = definitions.referred('portType', port.binding, 'type');
  const abstracts = portType.of(WSDL, 'operation');
  const bounds = port.binding.of(WSDL, 'operation');
  const found = new Map<string, BoundOperation>();
  for (const bound of bounds) {
    const named = abstracts.filter((each) => nameOf(each) === nameOf(bound));
    const abstract = named.length > 1 ? overload(named, bound) : named[0];
    if (abstract === undefined) {
      const reason = `The port type ${nameOf(portType)} has no operation ${nameOf(bound)} such as the binding has.`;
      throw new WsdlError('unreadable', bound.file, `binding ${nameOf(port.binding)}`, reason);
    }
    const name = named.length > 1 ? inputName(abstract) : nameOf(abstract);
    if (found.has(name)) {
      throw new WsdlError(
        'unsupported',
        bound.file,
        `operation ${name}`,
        'It stands twice, under one name of its input.',
      );
    }
    found.set(name, { abstract, bound, port });
  }
  return found;
}

/** Of operations with one name, the one whose input and output are called as the binding calls them (WSDL 1.1, 2.5). */
function overload(named: readonly XmlTree[], bound: XmlTree): XmlTree | undefined {
  const input = bound.first(WSDL, 'input')?.attribute('name');
  return named.find((each) => inputName(each) === (input ?? nameOf(each)));
}

function inputName(operation: XmlTree): string {
  return operation.first(WSDL, 'input')?.attribute('name') ?? nameOf(operation);
}

function nameOf(tree: XmlTree): string {
  return tree.attribute('name') ?? '';
}
