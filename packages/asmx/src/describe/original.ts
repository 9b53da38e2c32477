import { escapeAttribute } from '../xml/writer.ts';

/** A WSDL or schema of the old service, which is served as it is. */
export interface OriginalDocument {
  readonly text: string;
  /**
   * By `location` and `schemaLocation` as they stand there: the path with its query that they name
   * here.
   */
  readonly locations?: Readonly<Record<string, `/${string}`>>;
}

const LOCATION = /\b((?:schemaL|l)ocation\s*=\s*)(?:"([^"]*)"|'([^']*)')/g;

/** The text of a document, whose locations name this server; all else is as it was. */
export function originalText({ text, locations = {} }: OriginalDocument, baseUrl: string): string {
  return text.replace(LOCATION, (all, head: string, double?: string, single?: string) => {
    const written = double ?? single ?? '';
    if (!Object.hasOwn(locations, written)) return all;
    return `${head}"${escapeAttribute(baseUrl + locations[written])}"`;
  });
}

/**
 * The documents by what asks for them, in lower case and decoded: `wsdl`, `xsd=xsd0`,
 * `schema=orders`.
 */
export class Originals {
  readonly #byQuery: ReadonlyMap<string, OriginalDocument>;

  constructor(documents: Readonly<Record<string, OriginalDocument>> = {}) {
    this.#byQuery = new Map(
      Object.entries(documents).map(([query, document]) => [query.toLowerCase(), document]),
    );
  }

  /** @param query undecoded. @returns the key of a document with it; `undefined` for none. */
  find(query: string): { readonly key: string; readonly document: OriginalDocument } | undefined {
    if (this.#byQuery.size === 0) return undefined;
    const key = decoded(query).toLowerCase();
    const document = this.#byQuery.get(key);
    return document && { key, document };
  }
}

function decoded(query: string): string {
  try {
    return decodeURIComponent(query);
  } catch {
    return query;
  }
}
