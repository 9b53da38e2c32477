import type { WireResponse } from '../message/http.ts';

/** What a handler returned, with what it says beside it. */
export class Reply {
  readonly result: unknown;
  /** SOAP headers of the answer, by property. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** HTTP headers of the answer. */
  readonly http: Readonly<Record<string, string>>;

  constructor(result: unknown, headers: Readonly<Record<string, unknown>>, http: Readonly<Record<string, string>>) {
    this.result = result;
    this.headers = headers;
    this.http = http;
  }

  addTo(response: WireResponse): WireResponse {
    return { ...response, headers: { ...response.headers, ...this.http } };
  }
}
