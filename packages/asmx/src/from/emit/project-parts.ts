import type { Service as EngineService } from '../../contract/service.ts';
import type { Service } from '../normal-form.ts';
import { identifier } from '../schema/type-names.ts';
import type { ServedPaths } from './paths.ts';

/** What a project is made of. */
export interface ProjectParts {
  /** The contract as it was read. */
  readonly old: Service;
  /** The same as the engine serves it. */
  readonly service: EngineService;
  readonly paths: ServedPaths['paths'];
  /** What was read, for people: a file or URL. */
  readonly source: string;
  /** What package.json says of the engine: a version, or `file:` and a path. */
  readonly engine: string;
  /** Where operations go that are not written yet; `undefined` for nowhere. */
  readonly proxy: OldServer | undefined;
}

/** The old service, as the one that replaces it reaches it. */
export interface OldServer {
  readonly url: string;
  /** Private networks that it may be in. */
  readonly networks: readonly string[];
}

/** What the contract is called in the sources. */
export function constantOf({ service }: Pick<ProjectParts, 'service'>): string {
  const name = identifier(service.name);
  return TAKEN.has(name) || !isName(name) ? `${name}Service` : name;
}

/** Names that the sources use themselves. */
const TAKEN = new Set([
  ...['NAMESPACE', 'PATHS', 'defineService', 'createEndpoint', 'createEndpoints', 'handlers', 'Handlers', 'Endpoint'],
  ...['ServiceError', 'notImplemented', 'service', 'assert', 'test', 'compare', 'lineOf', 'servedContract', 'readFile'],
  ...['typedService', 'Operations', 'undefined', 'globalThis', 'URL', 'JSON'],
  // In a module no name, elsewhere one.
  'await',
]);

/** Whether a text can be the name of a constant. */
function isName(text: string): boolean {
  try {
    new Function(`'use strict'; const ${text} = 0;`);
    return true;
  } catch {
    return false;
  }
}
