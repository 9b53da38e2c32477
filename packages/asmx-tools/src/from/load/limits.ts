/**
 * What a WSDL with everything that it imports may take: somebody else wrote it, and its server may
 * be anybody's. A limit can be changed, but not switched off.
 */
export interface LoadLimits {
  /** Bytes of one document, inflated. */
  readonly documentBytes: number;
  /** Bytes of all documents, inflated. */
  readonly totalBytes: number;
  /** Documents: the WSDL, and what it imports and includes. */
  readonly documents: number;
  /**
   * Elements and attributes of all documents; of one that several namespaces include, for each of
   * them.
   */
  readonly nodes: number;
  /** Declarations of namespaces that are in scope at one element. */
  readonly namespaces: number;
  /**
   * Types in one line, each derived from the next: it extends or restricts it, or is a list or a
   * union of it.
   */
  readonly derivations: number;
  /** Redirects of one document. */
  readonly redirects: number;
  /** Seconds until a document of a server is there. */
  readonly documentSeconds: number;
  /** Seconds until all documents of servers are there. */
  readonly seconds: number;
}

const MIB = 1024 * 1024;

const DEFAULTS: LoadLimits = {
  documentBytes: 32 * MIB,
  totalBytes: 64 * MIB,
  documents: 1_000,
  nodes: 1_000_000,
  namespaces: 2_048,
  // The compiler is the bound: a project with 2,000 that each add a member takes it about 1 GB.
  derivations: 2_000,
  redirects: 5,
  documentSeconds: 30,
  seconds: 120,
};

/** For a document of our own: it is as large as what it was made of. */
export const NO_LIMITS: LoadLimits = {
  ...DEFAULTS,
  documentBytes: Number.MAX_SAFE_INTEGER,
  totalBytes: Number.MAX_SAFE_INTEGER,
  nodes: Number.MAX_SAFE_INTEGER,
  namespaces: Number.MAX_SAFE_INTEGER,
  derivations: Number.MAX_SAFE_INTEGER,
};

/** Names of the limits. */
export const LOAD_LIMIT_NAMES = Object.keys(DEFAULTS) as readonly (keyof LoadLimits)[];

/**
 * The defaults with some of them replaced.
 * @throws {RangeError} for a limit that is not there, or no positive integer.
 */
export function loadLimits(overrides: Partial<LoadLimits> = {}): LoadLimits {
  for (const [name, value] of Object.entries(overrides)) {
    if (!Object.hasOwn(DEFAULTS, name))
      throw new RangeError(`There is no limit ${name}; there are ${LOAD_LIMIT_NAMES.join(', ')}.`);
    if (!Number.isSafeInteger(value) || value <= 0)
      throw new RangeError(`The limit ${name} must be a positive integer, not ${value}.`);
  }
  return { ...DEFAULTS, ...overrides };
}
