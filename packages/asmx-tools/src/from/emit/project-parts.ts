import type { Service as EngineService } from '@ws01/asmx/internal/contract/service';
import { words } from '@ws01/asmx/internal/contract/words';
import type { Service } from '../normal-form.ts';
import { identifier } from '../schema/type-names.ts';
import type { LeftOut } from '../wsdl/offered-operations.ts';
import type { ServedPaths } from './paths.ts';

/** What a project is made of. */
export interface ProjectParts {
  /** Never empty. */
  readonly services: readonly ServiceParts[];
  /** What was read, for people: a file or URL. */
  readonly source: string;
  /** By package: a version, or `file:` and a path. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** Where operations go that are not written yet; `undefined` for nowhere. */
  readonly proxy: OldServer | undefined;
  /** The files that serve the old documents; `undefined` where they are generated. */
  readonly originals: Readonly<Record<string, string>> | undefined;
}

/** One service of a project. */
export interface ServiceParts {
  /** The contract as it was read. */
  readonly old: Service;
  /** The same as the engine serves it. */
  readonly service: EngineService;
  readonly paths: ServedPaths['paths'];
  readonly leftOut: readonly LeftOut[];
  /** The name of its folder in src, test and old; `''` where the project has one service. */
  readonly folder: string;
}

/** The old service, as the one that replaces it reaches it. */
export interface OldServer {
  readonly url: string;
  /** Private networks that it may be in. */
  readonly networks: readonly string[];
  /** Names of parameters, members and results that are secrets beside those that look so. */
  readonly secrets: readonly string[];
}

/** Where the files of a service are, as its tests and the server name them. */
export function placesOf({ folder }: Pick<ServiceParts, 'folder'>) {
  const below = folder === '' ? '' : `${folder}/`;
  const up = folder === '' ? '..' : '../..';
  return {
    src: `src/${below}`,
    test: `test/${below}`,
    old: `old/${below}`,
    /** What its tests import its sources by. */
    sources: `${up}/src/${below}`,
    /** What its tests read the old contract by. */
    contract: `${up}/old/${below}contract.json.gz`,
    /** What files in src import its sources by. */
    own: `./${below}`,
  };
}

/** The folders of services that share a project, each once. */
export function foldersOf(names: readonly string[]): readonly string[] {
  if (names.length === 1) return [''];
  const taken = new Set<string>(['kit']);
  return names.map((name) => {
    const plain = packageName(name);
    let folder = plain;
    for (let number = 2; taken.has(folder); number++) folder = `${plain}-${number}`;
    taken.add(folder);
    return folder;
  });
}

/** A name as npm and file systems take it. */
export function packageName(name: string): string {
  const plain = name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return plain === '' ? 'service' : plain;
}

/**
 * What the contract is called in the sources. It begins with a capital: what the sources call otherwise does not, or
 * is {@link TAKEN}.
 */
export function constantOf({ service }: { readonly service: Pick<EngineService, 'name'> }): string {
  const name = identifier(service.name).replace(/^[a-z]/, (letter) => letter.toUpperCase());
  return TAKEN.has(name) ? `${name}Service` : name;
}

/** What each service of a project is called in the files that they share. */
export function sharedNames({ services }: Pick<ProjectParts, 'services'>): readonly string[] {
  const taken = new Set<string>();
  return services.map((parts) => {
    const constant = constantOf(parts);
    let name = constant;
    for (let number = 2; taken.has(name); number++) name = `${constant}${number}`;
    taken.add(name);
    return name;
  });
}

/** Names with a capital that the sources use themselves. */
const TAKEN = new Set<string>(
  words(
    'NAMESPACE PATHS SERVICES OLD NETWORKS HEADERS SECRETS REQUEST_BYTES UPSTREAM_TIMEOUT_MS',
    'UPSTREAM_ANSWER_BYTES Answered Upstream Networks Endpoint BindingName ServiceError',
    'ServiceHandlers Operations Client ClientOptions CallError CallOptions AddressInfo Buffer JSON',
    'Number Object Partial Record String URL OF_THE_CALL ReadonlySet Request Set TypedService',
  ),
);
