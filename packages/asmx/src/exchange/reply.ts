import type { WireResponse } from '../message/http.ts';

/** HTTP headers that a handler sets: of each name the last value counts, but of `Set-Cookie` all. */
export class HttpHeaders {
  readonly named: Record<string, string> = {};
  readonly cookies: string[] = [];

  /** @throws {TypeError} for what is not one line. */
  set(name: string, value: string): void {
    if (/[\r\n\0]/.test(name + value))
      throw new TypeError('A header of the answer must be one line.');
    if (name.toLowerCase() === 'set-cookie') this.cookies.push(value);
    else this.named[name] = value;
  }
}

/** What a handler says beside its result. */
export interface Reply {
  /** SOAP headers of the answer, by property. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** HTTP headers of the answer. */
  readonly http: HttpHeaders;
}

/** An answer with the HTTP headers that its handler set. */
export function withReply(response: WireResponse, reply: Reply | undefined): WireResponse {
  if (reply === undefined) return response;
  const { named, cookies } = reply.http;
  const headers = { ...response.headers, ...named };
  return cookies.length === 0 ? { ...response, headers } : { ...response, headers, cookies };
}
