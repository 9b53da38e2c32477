import { bytesBody, type Endpoint, type WireResponse } from '../../src/index.ts';

/** What is asked of an endpoint. */
interface Asked {
  readonly target: string;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: a GET; else a POST. */
  readonly body?: string | undefined;
}

/** Asks an endpoint without a server. @param asked its target is below the endpoint's path. */
export function ask(
  endpoint: Pick<Endpoint, 'request'>,
  { target, headers = {}, body }: Asked,
): Promise<WireResponse> {
  return endpoint.request({
    method: body === undefined ? 'GET' : 'POST',
    target,
    headers,
    body: bytesBody(Buffer.from(body ?? '')),
    remoteAddress: '127.0.0.1',
  })!;
}
