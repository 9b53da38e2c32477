/** The address of a service: what its descriptions need besides the contract. */
export interface ServiceAddress {
  /** `{soap_namespace}` exactly as configured; with or without a final slash. */
  readonly namespace: string;
  /** The public base URL, `http` or `https`, without a trailing slash; it may have its own path. */
  readonly baseUrl: string;
  /** Path of the endpoint below {@link baseUrl}, with its leading slash: `/WS01.asmx`. */
  readonly path: string;
}

/** The public URL of the endpoint, as in the addresses of the WSDL. */
export function endpointUrl(place: ServiceAddress): string {
  return place.baseUrl + place.path;
}

/** The endpoint as a link relative to its own pages, as ASP.NET writes it: `WS01.asmx`. Right behind any proxy. */
export function relativeEndpoint(place: ServiceAddress): string {
  return place.path.slice(place.path.lastIndexOf('/') + 1);
}
