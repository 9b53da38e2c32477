import { type LoadedWsdl, WSDL } from '../load/load.ts';
import type { XmlTree } from '../load/xml-document.ts';
import { WsdlError } from '../wsdl-error.ts';
import { type BoundPort, bindingKind, locationOf } from './bindings.ts';
import type { Definitions } from './definitions.ts';

/** A service with the ports that the engine can serve. */
export interface BoundService {
  readonly name: string;
  readonly documentation: string | undefined;
  readonly ports: readonly BoundPort[];
  /** What was passed over, a line each. */
  readonly notes: readonly string[];
}

/** The services of a WSDL. */
export interface FoundServices {
  /** Those with an operation, and a port that can be served; never empty. */
  readonly services: readonly BoundService[];
  /** Why others are not served, a line each. */
  readonly notes: readonly string[];
}

/**
 * The services that have an operation, and a port the engine can serve. Where the WSDL has none, as
 * those of standards have, each port type with a binding becomes one.
 * @param wanted names of services; all when absent. @throws {WsdlError} when none is left, or one
 *   has no such port.
 */
export function servicesOf(
  definitions: Definitions,
  { file, definitions: roots }: Pick<LoadedWsdl, 'file' | 'definitions'>,
  wanted: readonly string[] | undefined,
): FoundServices {
  const { services } = definitions;
  if (services.length === 0) return withoutService(definitions, file, wanted);
  assertKnown(
    wanted,
    services.map(({ name }) => name),
    file,
  );
  const asked = services.filter((service) => wanted?.includes(service.name) ?? true);
  const found: BoundService[] = [];
  const notes: string[] = [];
  let refusal: WsdlError | undefined;
  for (const tree of asked) {
    const own: string[] = [];
    const passOver = (error: WsdlError) => {
      refusal ??= error;
      notes.push(`The service ${tree.name} is passed over: ${error.reason}`);
    };
    try {
      const ports = portsOf(tree, definitions, own);
      const documentation = tree.documentation(WSDL) ?? roots[0]!.documentation(WSDL);
      if (ports.some((port) => hasOperation(port, definitions))) {
        found.push({ name: tree.name, documentation, ports, notes: own });
        continue;
      }
      const none = `None of its ports can be served: ${own.at(-1) ?? 'It has no port.'}`;
      const reason = ports.length > 0 ? 'It has no operation.' : none;
      passOver(new WsdlError('unsupported', tree.file, `service ${tree.name}`, reason));
    } catch (error) {
      if (!(error instanceof WsdlError)) throw error;
      passOver(error);
    }
  }
  if (refusal !== undefined && (wanted !== undefined || found.length === 0)) throw refusal;
  return { services: found, notes };
}

function assertKnown(
  wanted: readonly string[] | undefined,
  names: readonly string[],
  file: string,
): void {
  for (const name of wanted ?? []) {
    if (!names.includes(name))
      throw new WsdlError(
        'unreadable',
        file,
        '',
        `It has no service ${name}; it has ${names.join(', ')}.`,
      );
  }
}

function withoutService(
  definitions: Definitions,
  file: string,
  wanted: readonly string[] | undefined,
): FoundServices {
  const byPortType = new Map<XmlTree, BoundPort[]>();
  const names: string[] = [];
  for (const binding of definitions.bindings) {
    const kind = bindingKind(binding);
    if (typeof kind === 'string') continue;
    const local = binding.qname('type')?.local ?? '';
    names.push(local);
    // Those that nobody asked for are not checked.
    if (wanted?.includes(local) === false) continue;
    const portType = definitions.referred('portType', binding, 'type');
    const port = { name: binding.name, ...kind, binding, location: '' };
    if (hasOperation(port, definitions))
      byPortType.set(portType, [...(byPortType.get(portType) ?? []), port]);
  }
  if (names.length > 0) assertKnown(wanted, [...new Set(names)], file);
  if (byPortType.size === 0) throw new WsdlError('unsupported', file, '', 'It holds no service.');
  const services = [...byPortType].map(([portType, ports]) => ({
    name: portType.name,
    documentation: portType.documentation(WSDL),
    ports,
    notes: [`It holds no service; its port type ${portType.name} is served as one.`],
  }));
  return { services, notes: [] };
}

/**
 * Whether an operation stands in the binding of a port and in its port type.
 * @throws {WsdlError}
 */
function hasOperation({ binding }: BoundPort, definitions: Definitions): boolean {
  const names = definitions
    .referred('portType', binding, 'type')
    .of(WSDL, 'operation')
    .map(({ name }) => name);
  return binding.of(WSDL, 'operation').some((operation) => names.includes(operation.name));
}

/** @throws {WsdlError} where every port refers to what is nowhere. */
function portsOf(service: XmlTree, definitions: Definitions, notes: string[]): BoundPort[] {
  let dangling: WsdlError | undefined;
  const ports = service.of(WSDL, 'port').flatMap((port) => {
    const passOver = (reason: string) => {
      notes.push(`The port ${port.name} is passed over: ${reason}`);
      return [];
    };
    try {
      const binding = definitions.referred('binding', port, 'binding');
      const kind = bindingKind(binding);
      if (typeof kind === 'string') return passOver(`${kind}.`);
      definitions.referred('portType', binding, 'type');
      return [{ name: port.name, ...kind, binding, location: locationOf(port) }];
    } catch (error) {
      if (!(error instanceof WsdlError)) throw error;
      dangling ??= error;
      return passOver(error.reason);
    }
  });
  if (ports.length === 0 && dangling !== undefined) throw dangling;
  return ports;
}
