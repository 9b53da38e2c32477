import type { Reader } from './page-language.ts';

/** The address of a service: what its descriptions need besides the contract. */
export interface ServiceAddress {
  /** `{soap_namespace}` exactly as configured; with or without a final slash. */
  readonly namespace: string;
  /** The public base URL, `http` or `https`, without a trailing slash; it may have its own path. */
  readonly baseUrl: string;
  /** Path of the endpoint below {@link baseUrl}, with its leading slash: `/WS01.asmx`. */
  readonly path: string;
  /** The part of its query that belongs to its address, without `?`: `service=Bar`. */
  readonly query?: string | undefined;
  /** What its pages link to besides, by texts: URLs, or paths below {@link baseUrl}. */
  readonly links?: Readonly<Record<string, string>> | undefined;
  /**
   * What the site is called whose service it is; asked for each page. The name of the service when
   * absent.
   */
  readonly siteName?: (() => string) | undefined;
  /** In what language its pages are; English without others when absent. */
  readonly reader?: Reader | undefined;
}

/** The public URL of the endpoint, as in the addresses of the WSDL. */
export function endpointUrl({ baseUrl, path, query }: ServiceAddress): string {
  return baseUrl + path + (query === undefined ? '' : `?${query}`);
}

/** An address with a query, behind the one that it may have. */
export function withQuery(address: string, query: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}${query}`;
}

/**
 * The endpoint as a link relative to its own pages, as ASP.NET writes it: `WS01.asmx`. Right behind
 * any proxy.
 */
export function relativeEndpoint(place: ServiceAddress): string {
  return endpointUrl({ ...place, baseUrl: '' }).slice(place.path.lastIndexOf('/') + 1);
}

/**
 * The list of operations, as a link of its pages; they stay in the language that a page's address
 * says.
 * @param tag another language to choose.
 */
export function homeLink(place: ServiceAddress, tag?: string): string {
  const { reader } = place;
  const chosen = tag ?? (reader?.isChosen === true ? reader.tag : undefined);
  const home = relativeEndpoint(place);
  return chosen === undefined ? home : withQuery(home, `lang=${chosen}`);
}

/** A link of its pages, relative to them if it is a path of the same server. */
export function relativeLink({ path }: ServiceAddress, link: string): string {
  const folders = path.split('/').length - 2;
  return link.startsWith('/') ? `${'../'.repeat(folders) || './'}${link.slice(1)}` : link;
}

/** The link to the page of an operation. @param home see {@link homeLink}. */
export function opLink(home: string, operation: string): string {
  return withQuery(home, `op=${operation}`);
}
