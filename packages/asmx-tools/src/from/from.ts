import { basename } from 'node:path';
import type { Service } from '@ws01/asmx/internal/contract/service';
import { createEndpoint } from '@ws01/asmx/internal/engine/endpoint';
import { compare } from './compare/compare.ts';
import { lineOf } from './compare/difference.ts';
import { projectDependencies } from './emit/engine-package.ts';
import { engineService } from './emit/engine-service.ts';
import { originalFiles } from './emit/originals.ts';
import { servedPaths } from './emit/paths.ts';
import { type ProjectFiles, projectFiles } from './emit/project-files.ts';
import { foldersOf, type OldServer, type ServiceParts } from './emit/project-parts.ts';
import { ProjectError, writeProject } from './emit/write-project.ts';
import type { LoadOptions } from './load/load.ts';
import { reachableTypes } from './reachable-types.ts';
import { servedContract } from './served-contract.ts';
import { type LeftOut, leftOutNote } from './wsdl/offered-operations.ts';
import { type ReadContract, type ReadContracts, readServices } from './wsdl/read-wsdl.ts';
import { WsdlError, withinStack } from './wsdl-error.ts';

/** What a project was made of. */
export interface Made {
  readonly folder: string;
  readonly services: readonly {
    readonly service: string;
    readonly operations: number;
    readonly types: number;
    readonly paths: readonly string[];
  }[];
  readonly notes: readonly string[];
}

/** A project before it is written. */
interface Project {
  readonly files: ProjectFiles;
  readonly services: readonly ServiceParts[];
  readonly notes: readonly string[];
}

/** What would be written, or refused. @throws {WsdlError} @throws {ProjectError} */
export async function projectOf(
  { file, contracts, notes: passedOver, documents = [] }: ReadContracts,
  dependencies: Readonly<Record<string, string>>,
  proxy?: OldServer,
  secrets: readonly string[] = [],
  serveOriginal = false,
): Promise<Project> {
  if (proxy !== undefined && contracts.length > 1 && new URL(proxy.url).pathname !== '/') {
    const example = new URL(proxy.url).origin;
    throw new ProjectError(
      `--proxy must name the server alone, such as ${example}: the ${contracts.length} services of the WSDL have paths of their own.`,
    );
  }
  const folders = foldersOf(contracts.map(({ service }) => service.name));
  const taken = new Set<string>();
  const notes: string[] = [...passedOver];
  const services: ServiceParts[] = [];
  for (const [index, { service: old, leftOut: unread, notes: own }] of contracts.entries()) {
    const { paths, notes: more } = servedPaths(old, taken);
    for (const path of paths) taken.add(path.toLowerCase());
    const served = await servedPart(old, paths[0], file, secrets);
    const leftOut = [...unread, ...served.leftOut];
    const service = engineService(withLeftOut(served.old, leftOut), secrets);
    services.push({ old: served.old, service, paths, leftOut, folder: folders[index]! });
    const about = contracts.length === 1 ? '' : `${old.name}: `;
    const all = [...own, ...more, ...served.leftOut.map(leftOutNote)];
    notes.push(...all.map((note) => `${about}${note}`));
  }
  const originals = serveOriginal ? originalFiles(documents, services) : undefined;
  const parts = { services, source: sourceName(file), dependencies, proxy, originals };
  return { files: projectFiles(parts), services, notes };
}

/**
 * What of a contract the engine serves as it was: all, or all but the operations that it cannot.
 * @throws {WsdlError} when no operation is left.
 */
async function servedPart(
  old: ReadContract['service'],
  path: `/${string}`,
  file: string,
  secrets: readonly string[],
): Promise<{ readonly old: ReadContract['service']; readonly leftOut: readonly LeftOut[] }> {
  const check = async (part: ReadContract['service']) => {
    const service = engineService(part, secrets);
    assertServed(service, path, file);
    await assertSame(part, service, path, file);
  };
  try {
    await check(old);
    return { old, leftOut: [] };
  } catch (error) {
    if (!(error instanceof WsdlError)) throw error;
    const kept: ReadContract['service']['operations'][number][] = [];
    const leftOut: LeftOut[] = [];
    for (const operation of old.operations) {
      try {
        await check(withOperations(old, [operation]));
        kept.push(operation);
      } catch (reason) {
        if (!(reason instanceof WsdlError)) throw reason;
        leftOut.push({ operation: operation.name, reason: reason.reason, error: reason });
      }
    }
    const part = withOperations(old, kept);
    if (kept.length === 0 || kept.length === old.operations.length) throw error;
    await check(part);
    return { old: part, leftOut };
  }
}

/** A service with some of its operations, and the types that they use. */
function withOperations(
  service: ReadContract['service'],
  operations: ReadContract['service']['operations'],
): ReadContract['service'] {
  const names = new Set(operations.map(({ name }) => name));
  return {
    ...service,
    operations,
    types: reachableTypes(service.types, operations),
    ports: service.ports.map((port) => ({
      ...port,
      operations: port.operations.filter((name) => names.has(name)),
    })),
  };
}

/** A service whose documentation says which operations it lacks. */
function withLeftOut(
  service: ReadContract['service'],
  leftOut: ReadContract['leftOut'],
): ReadContract['service'] {
  if (leftOut.length === 0) return service;
  const without = leftOut.map(({ operation, reason }) => `Not served: ${operation}. ${reason}`);
  const documentation = [service.documentation ?? '', ...without].join(' ').trim();
  return { ...service, documentation };
}

/** @throws {WsdlError} where the engine would serve another contract. */
async function assertSame(
  old: ReadContract['service'],
  service: Service,
  path: `/${string}`,
  file: string,
): Promise<void> {
  const ours = await servedContract(service, {
    namespace: old.namespace,
    baseUrl: 'http://127.0.0.1',
    path,
  });
  const [difference] = compare(old, ours.service).differences;
  if (difference === undefined) return;
  throw new WsdlError(
    'unsupported',
    file,
    '',
    `Old clients would notice a difference: ${lineOf(difference)}.`,
  );
}

/**
 * Writes a project that serves an old contract: for each service a typed contract, a stub for each
 * operation, tests and a client. Nothing is written where a contract is refused.
 * @param source the WSDL: a path, or an http or https URL. @param folder new or empty.
 * @param options the names of the services, all when absent; the old server; what reading the WSDL
 *   may take. @param tell gets a line of progress at a time.
 * @throws {WsdlError} @throws {ProjectError} each in one line.
 */
export async function makeProject(
  source: string,
  folder: string,
  {
    services,
    proxy,
    secrets,
    load,
    strict = false,
    serveOriginal = false,
  }: {
    readonly services?: readonly string[] | undefined;
    readonly proxy?: OldServer | undefined;
    /** Names of secrets beside those that look so. */
    readonly secrets?: readonly string[];
    readonly load?: LoadOptions;
    /** Whether a WSDL is refused if one of its operations cannot be served. */
    readonly strict?: boolean;
    /** Whether the old documents are served instead of generated ones. */
    readonly serveOriginal?: boolean;
  },
  tell: (line: string) => void,
): Promise<Made> {
  const read = await readServices(source, services, load);
  const project = await withinStack(read.file, () =>
    projectOf(read, projectDependencies(folder, tell), proxy, secrets, serveOriginal),
  );
  const left = project.services.flatMap(({ leftOut }) => leftOut)[0];
  if (strict && left !== undefined) throw left.error;
  await writeProject(folder, project.files);
  return {
    folder,
    services: project.services.map(({ old, paths }) => ({
      service: old.name,
      operations: old.operations.length,
      types: Object.keys(old.types).length,
      paths,
    })),
    notes: project.notes,
  };
}

/** @throws {WsdlError} for what the engine does not serve. */
function assertServed(service: Service, path: `/${string}`, file: string): void {
  const handlers = Object.fromEntries(
    service.operations.map(({ name }) => [name, () => '']),
  ) as Record<string, never>;
  try {
    createEndpoint(service, { handlers, path });
  } catch (error) {
    if (error instanceof TypeError)
      throw new WsdlError('unsupported', file, `service ${service.name}`, error.message);
    throw error;
  }
}

/** What the sources of a project say of where it came from: no folder of this machine. */
function sourceName(file: string): string {
  return /^https?:/i.test(file) ? file : basename(file);
}
