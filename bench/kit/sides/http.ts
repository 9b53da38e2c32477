import { request } from 'node:http';

/** A request in parts; {@link wireText} makes bytes of it. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The request as it stands on the wire of a keep-alive connection. */
export function wireText({ method, path, headers, body }: HttpRequest): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const length = method === 'GET' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`;
}

/** Sends one request, to see what is answered. */
export function ask(
  port: number,
  { method, path, headers, body }: HttpRequest,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, async (answer) => {
      const chunks = await answer.toArray();
      resolve({
        status: answer.statusCode ?? 0,
        contentType: answer.headers['content-type'] ?? '',
        body: Buffer.concat(chunks).toString(),
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
