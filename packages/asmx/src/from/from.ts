import { basename } from 'node:path';
import type { Service } from '../contract/service.ts';
import { createEndpoint } from '../engine/endpoint.ts';
import { compare } from './compare/compare.ts';
import { lineOf } from './compare/difference.ts';
import { engineDependency } from './emit/engine-package.ts';
import { engineService } from './emit/engine-service.ts';
import { servedPaths } from './emit/paths.ts';
import { projectFiles } from './emit/project-files.ts';
import type { OldServer, ProjectParts } from './emit/project-parts.ts';
import { writeProject } from './emit/write-project.ts';
import { SampleTooLarge } from './sample/sample-xml.ts';
import { servedContract } from './served-contract.ts';
import { type ReadContract, type ReadOptions, readWsdl } from './wsdl/read-wsdl.ts';
import { WsdlError } from './wsdl-error.ts';

/** What a project was made of. */
export interface Made {
  readonly folder: string;
  readonly service: string;
  readonly operations: number;
  readonly types: number;
  readonly paths: readonly string[];
  readonly notes: readonly string[];
}

/** What would be written, or refused. @throws {WsdlError} */
export async function projectOf(
  read: ReadContract,
  engine: string,
  proxy?: OldServer,
): Promise<{
  readonly files: Readonly<Record<string, string>>;
  readonly paths: readonly `/${string}`[];
  readonly notes: readonly string[];
}> {
  const { file, service: old, notes } = read;
  const service = engineService(old);
  const { paths, notes: more } = servedPaths(old);
  const [path = '/' as const] = paths;
  assertServed(service, path, file);
  const ours = await servedContract(service, { namespace: old.namespace, baseUrl: 'http://127.0.0.1', path });
  const [difference] = compare(old, ours.service).differences;
  if (difference !== undefined) {
    throw new WsdlError('unsupported', file, '', `Old clients would notice a difference: ${lineOf(difference)}.`);
  }
  return {
    files: filesOf({ old, service, paths, source: sourceName(file), engine, proxy }, file),
    paths,
    notes: [...notes, ...more],
  };
}

/**
 * Writes a project that serves an old contract: typed contract, a stub for each operation, tests, README. Nothing is
 * written where the contract is refused.
 * @param source the WSDL: a path, or an http or https URL. @param folder new or empty.
 * @param tell told of what takes long.
 * @throws {WsdlError} @throws {ProjectError} each in one line.
 */
export async function makeProject(
  source: string,
  folder: string,
  options: ReadOptions & { readonly proxy?: OldServer },
  tell: (line: string) => void,
): Promise<Made> {
  const read = await readWsdl(source, options);
  const { files, paths, notes } = await projectOf(read, engineDependency(folder, tell), options.proxy);
  await writeProject(folder, files);
  const { service } = read;
  return {
    folder,
    service: service.name,
    operations: service.operations.length,
    types: Object.keys(service.types).length,
    paths,
    notes,
  };
}

/** @throws {WsdlError} for a contract whose messages are too large to be written. */
function filesOf(parts: ProjectParts, file: string): Readonly<Record<string, string>> {
  try {
    return projectFiles(parts);
  } catch (error) {
    if (error instanceof SampleTooLarge) {
      throw new WsdlError('unsupported', file, `service ${parts.service.name}`, error.message);
    }
    throw error;
  }
}

/** @throws {WsdlError} for what the engine does not serve. */
function assertServed(service: Service, path: `/${string}`, file: string): void {
  const handlers = Object.fromEntries(service.operations.map(({ name }) => [name, () => ''])) as Record<string, never>;
  try {
    createEndpoint({
      service,
      handlers,
      namespace: service.namespace ?? '',
      path,
      baseUrl: () => '',
      authorize: () => {},
    });
  } catch (error) {
    if (error instanceof TypeError) throw new WsdlError('unsupported', file, `service ${service.name}`, error.message);
    throw error;
  }
}

/** What the sources of a project say of where it came from: no folder of this machine. */
function sourceName(file: string): string {
  return /^https?:/i.test(file) ? file : basename(file);
}
