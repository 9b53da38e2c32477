import { type LoadedWsdl, type LoadOptions, loadWsdl, loadWsdlText } from '../load/load.ts';
import type { Port, Service } from '../normal-form.ts';
import { reachableTypes } from '../reachable-types.ts';
import { withOwnProperties } from '../schema/properties.ts';
import { SchemaReader } from '../schema/schema-reader.ts';
import { WsdlError, withinStack } from '../wsdl-error.ts';
import { Definitions, targetNamespaceOf } from './definitions.ts';
import { type LeftOut, offeredOperations } from './offered-operations.ts';
import { type BoundService, servicesOf } from './services.ts';

/** A contract read from a WSDL. */
export interface ReadContract {
  /** The file or URL. */
  readonly file: string;
  readonly service: Service;
  /** Operations that the engine cannot serve: they are not in the contract. */
  readonly leftOut: readonly LeftOut[];
  /** What was passed over, a line each. */
  readonly notes: readonly string[];
}

/** The contracts of a WSDL, one for each service. */
export interface ReadContracts {
  readonly file: string;
  /** Never empty. */
  readonly contracts: readonly ReadContract[];
  /** Services that were passed over, a line each. */
  readonly notes: readonly string[];
}

export interface ReadOptions extends LoadOptions {
  /** Which of several services; the first one that can be served when absent. */
  readonly service?: string;
}

/**
 * Reads a WSDL 1.1 contract with everything that it imports.
 * @param source a path, or an http or https URL.
 * @throws {WsdlError} in one line: what cannot be read, or cannot be held.
 */
export async function readWsdl(source: string, options: ReadOptions = {}): Promise<ReadContract> {
  const loaded = await loadWsdl(source, options);
  return withinStack(loaded.file, () => contractOf(loaded, options));
}

/** The same of a document that is in memory and stands alone. @param name what it is called in messages. @throws {WsdlError} */
export async function readWsdlText(
  text: string,
  name: string,
  options: Pick<ReadOptions, 'service'> = {},
): Promise<ReadContract> {
  const loaded = await loadWsdlText(text, name);
  return withinStack(loaded.file, () => contractOf(loaded, options));
}

/**
 * Reads every service of a WSDL.
 * @param source a path, or an http or https URL. @param services names of some; all that can be served when absent.
 * @throws {WsdlError} in one line.
 */
export async function readServices(
  source: string,
  services?: readonly string[],
  options: LoadOptions = {},
): Promise<ReadContracts> {
  const loaded = await loadWsdl(source, options);
  return withinStack(loaded.file, () => {
    const definitions = new Definitions(loaded);
    const found = servicesOf(definitions, loaded, services);
    return {
      file: loaded.file,
      contracts: found.services.map((service) => contract(service, definitions, loaded)),
      notes: found.notes,
    };
  });
}

function contractOf(loaded: LoadedWsdl, { service: wanted }: Pick<ReadOptions, 'service'>): ReadContract {
  const definitions = new Definitions(loaded);
  const { services, notes } = servicesOf(definitions, loaded, wanted === undefined ? undefined : [wanted]);
  const [service] = services;
  const made = contract(service!, definitions, loaded);
  const others = services.slice(1).map(({ name }) => name);
  if (others.length === 0) return { ...made, notes: [...notes, ...made.notes] };
  const several = `Of ${services.length} services ${service!.name} is read; others: ${others.join(', ')}.`;
  return { ...made, notes: [...notes, several, ...made.notes] };
}

/** One service of a WSDL. @throws {WsdlError} when no operation of it can be served. */
function contract(
  { name, documentation, ports, notes }: BoundService,
  definitions: Definitions,
  loaded: LoadedWsdl,
): ReadContract {
  const schemas = new SchemaReader(loaded);
  const { operations, offered, leftOut, notes: more } = offeredOperations(ports, { definitions, schemas });
  const [first] = leftOut;
  if (operations.length === 0 && first !== undefined) {
    throw new WsdlError('unsupported', loaded.file, `operation ${first.operation}`, first.reason);
  }
  return {
    file: loaded.file,
    leftOut,
    notes: [
      ...notes,
      ...more,
      ...leftOut.map(({ operation, reason }) => `The operation ${operation} is left out: ${reason}`),
    ],
    service: {
      name,
      namespace: targetNamespaceOf(ports[0]!.binding),
      ...(documentation === undefined ? {} : { documentation }),
      operations: operations.map(withOwnProperties),
      types: reachableTypes(schemas.types(), operations),
      ports: ports.map(
        (port): Port => ({
          name: port.name,
          kind: port.kind,
          binding: port.binding.attribute('name') ?? '',
          location: port.location,
          operations: offered.get(port) ?? [],
        }),
      ),
    },
  };
}
