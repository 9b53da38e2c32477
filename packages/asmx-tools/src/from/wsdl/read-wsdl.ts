import { loadLimits } from '../load/limits.ts';
import {
  type LoadedDocument,
  type LoadedWsdl,
  type LoadOptions,
  loadWsdl,
  loadWsdlText,
} from '../load/load.ts';
import type { Port, Service } from '../normal-form.ts';
import { reachableTypes } from '../reachable-types.ts';
import { withOwnProperties } from '../schema/properties.ts';
import { withCheckedDefaults } from '../schema/read-defaults.ts';
import { withCheckedPatterns } from '../schema/read-patterns.ts';
import { SchemaReader } from '../schema/schema-reader.ts';
import { WsdlError, withinStack } from '../wsdl-error.ts';
import { asksForAddressing, type BoundPort } from './bindings.ts';
import { Definitions, targetNamespaceOf } from './definitions.ts';
import {
  IN_TWO_PORT_TYPES,
  type LeftOut,
  leftOutNote,
  offeredOperations,
} from './offered-operations.ts';
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
  /** The documents as they were. */
  readonly documents?: readonly LoadedDocument[];
}

/** How a WSDL is read. */
export interface ReadOptions extends LoadOptions {
  /** Which of several services; the first one that can be served when absent. */
  readonly service?: string;
  /**
   * Whether any XML takes the place of elements and types that are nowhere or cannot be read, with
   * a note for each. For clients: a server answers what its WSDL says.
   */
  readonly lenient?: boolean;
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

/**
 * The same of a document that is in memory and stands alone.
 * @param name what it is called in messages.
 * @throws {WsdlError}
 */
export async function readWsdlText(
  text: string,
  name: string,
  options: Pick<ReadOptions, 'service' | 'limits' | 'lenient'> = {},
): Promise<ReadContract> {
  const loaded = await loadWsdlText(text, name, loadLimits(options.limits));
  return withinStack(loaded.file, () => contractOf(loaded, options));
}

/**
 * Reads every service of a WSDL.
 * @param source a path, or an http or https URL. @param services names of some; all that can be
 *   served when absent.
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
      contracts: contractsOf(found.services, definitions, loaded),
      notes: found.notes,
      documents: loaded.documents,
    };
  });
}

/**
 * @throws {WsdlError} for the first that cannot be read, with the names of those that can be, if
 *   there are.
 */
function contractsOf(
  services: readonly BoundService[],
  definitions: Definitions,
  loaded: LoadedWsdl,
): readonly ReadContract[] {
  const read: ReadContract[] = [];
  let refusal: WsdlError | undefined;
  for (const service of services) {
    try {
      read.push(...contractsOfService(service, definitions, loaded));
    } catch (error) {
      if (!(error instanceof WsdlError)) throw error;
      refusal ??= ofService(error, service.name, services.length);
    }
  }
  if (refusal === undefined) return read;
  throw withRemedy(
    refusal,
    read.map(({ service }) => service.name),
  );
}

/** An error that says which of several services it concerns. */
function ofService(error: WsdlError, name: string, count: number): WsdlError {
  if (count === 1) return error;
  const reason = `${error.reason} The service ${name} cannot be served.`;
  return new WsdlError(error.kind, error.file, error.component, reason, error.rule);
}

/**
 * An error with what a person can do about it.
 * @param served the services of the WSDL that can be served.
 */
function withRemedy(error: WsdlError, served: readonly string[]): WsdlError {
  if (served.length === 0) return error;
  const options = served.map((name) => `--service ${name}`).join(' ');
  return new WsdlError(
    error.kind,
    error.file,
    error.component,
    `${error.reason} The rest can be: ${options}.`,
    error.rule,
  );
}

function contractOf(
  loaded: LoadedWsdl,
  { service: wanted, lenient = false }: Pick<ReadOptions, 'service' | 'lenient'>,
): ReadContract {
  const definitions = new Definitions(loaded);
  const { services, notes } = servicesOf(
    definitions,
    loaded,
    wanted === undefined ? undefined : [wanted],
  );
  const [service] = services;
  const [made, ...apart] = contractsOfService(service!, definitions, loaded, lenient);
  const others = [...apart.map((each) => each.service), ...services.slice(1)].map(
    ({ name }) => name,
  );
  if (others.length === 0) return { ...made!, notes: [...notes, ...made!.notes] };
  const several = `Of ${others.length + 1} services ${service!.name} is read; others: ${others.join(', ')}.`;
  return { ...made!, notes: [...notes, several, ...made!.notes] };
}

/**
 * A service as one contract; as one for each port type where these have operations of one name that
 * differ, and addresses of their own.
 * @throws {WsdlError}
 */
function contractsOfService(
  service: BoundService,
  definitions: Definitions,
  loaded: LoadedWsdl,
  isLenient = false,
): readonly ReadContract[] {
  const parts = byPortType(service);
  const made = (part: BoundService) => contract(part, definitions, loaded, isLenient);
  if (parts.length === 1) return [made(service)];
  try {
    const whole = made(service);
    if (!whole.leftOut.some(({ reason }) => reason === IN_TWO_PORT_TYPES)) return [whole];
  } catch (error) {
    if (!(error instanceof WsdlError) || error.reason !== IN_TWO_PORT_TYPES) throw error;
  }
  return parts.map(made);
}

/** The parts of a service that have a port type and addresses of their own; itself if there is one. */
function byPortType(service: BoundService): readonly BoundService[] {
  const isSoap = ({ kind }: BoundPort) => kind === 'soap11' || kind === 'soap12';
  const soap = service.ports.filter(isSoap);
  const groups = [...Map.groupBy(soap, ({ binding }) => binding.qname('type')?.local).values()];
  const places = groups.map((ports) => new Set(ports.map(({ location }) => location)));
  const all = places.flatMap((own) => [...own]);
  if (groups.length < 2 || new Set(all).size < all.length) return [service];
  // GET and POST go with what is at their address.
  const placeOf = (port: BoundPort) =>
    Math.max(
      0,
      places.findIndex((own) => own.has(port.location)),
    );
  const others = service.ports.filter((port) => !isSoap(port));
  return groups.map((ports, index) => ({
    ...service,
    ports: [...ports, ...others.filter((port) => placeOf(port) === index)],
  }));
}

/** One service of a WSDL. @throws {WsdlError} when no operation of it can be served. */
function contract(
  { name, documentation, ports, notes }: BoundService,
  definitions: Definitions,
  loaded: LoadedWsdl,
  isLenient = false,
): ReadContract {
  const schemas = new SchemaReader(loaded, isLenient);
  const addressing = ports.some(({ binding }) => asksForAddressing(binding));
  const {
    operations,
    offered,
    leftOut,
    notes: more,
  } = offeredOperations(ports, { definitions, schemas, addressing });
  const [first] = leftOut;
  if (operations.length === 0 && first !== undefined) {
    throw first.error;
  }
  const portType = ports
    .find(({ kind }) => kind === 'soap11' || kind === 'soap12')
    ?.binding.qname('type')?.local;
  const order = [...new Set(loaded.schemas.map((schema) => schema.targetNamespace))];
  const reachable = reachableTypes(schemas.types(), operations);
  const { types: patterned, notes: unchecked } = withCheckedPatterns(reachable);
  const { notes: defaults, ...checked } = withCheckedDefaults(patterned, operations);
  return {
    file: loaded.file,
    leftOut,
    notes: [
      ...notes,
      ...more,
      ...unchecked,
      ...defaults,
      ...schemas.notes,
      ...leftOut.map(leftOutNote),
    ],
    service: {
      name,
      namespace: targetNamespaceOf(ports[0]!.binding),
      ...(documentation === undefined ? {} : { documentation }),
      ...(addressing ? { addressing } : {}),
      ...(portType === undefined ? {} : { portType }),
      operations: checked.operations.map(withOwnProperties),
      types: checked.types,
      ...(Object.keys(schemas.dataSets).length === 0 ? {} : { dataSets: schemas.dataSets }),
      ...(order.length < 2 ? {} : { schemas: order }),
      ports: ports.map(
        (port): Port => ({
          name: port.name,
          kind: port.kind,
          binding: port.binding.name,
          location: port.location,
          operations: offered.get(port) ?? [],
        }),
      ),
    },
  };
}
