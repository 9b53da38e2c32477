import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

const FOLDER = 'test/golden';

/** An answer as far as clients can tell answers apart. */
export interface Answer {
  /** 0 when the connection was closed without one. */
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** A recorded exchange: the request's bytes and what a real ASMX server of this contract answered. */
export interface GoldenExchange {
  /** Folder and file, such as `soap11/ok`. */
  readonly name: string;
  readonly request: Buffer;
  readonly recorded: Answer;
}

/** Every recorded exchange, by folder and name. */
export function goldenExchanges(): GoldenExchange[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((folder) =>
      readdirSync(join(FOLDER, folder.name))
        .filter((file) => file.endsWith('.req'))
        .map((file) => {
          const path = join(FOLDER, folder.name, file.slice(0, -'.req'.length));
          return {
            name: path.slice(FOLDER.length + 1),
            request: readFileSync(`${path}.req`),
            recorded: parseAnswer(readFileSync(`${path}.res`)),
          };
        }),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Sends bytes as they are on a connection of their own; resolves when the server has closed it. */
export function sendBytes(port: number, bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks)));
    socket.on('error', reject);
    socket.write(bytes);
    // Some recorded requests end early; what is missing never comes.
    socket.setTimeout(1_000, () => socket.destroy());
  });
}

export async function replay(port: number, exchange: GoldenExchange): Promise<Answer> {
  return parseAnswer(await sendBytes(port, exchange.request));
}

/** Takes a raw HTTP/1.1 answer apart; interim answers (100 Continue) are passed over. */
export function parseAnswer(raw: Buffer): Answer {
  const text = raw.toString('utf8');
  const final = text.startsWith('HTTP/1.1 100') ? text.slice(text.indexOf('\r\n\r\n') + 4) : text;
  const head = final.indexOf('\r\n\r\n');
  if (head < 0) return { status: 0, contentType: '', body: '' };
  const headers = final.slice(0, head);
  return {
    status: Number(headers.slice(9, 12)),
    contentType: /^content-type:\s*(.*)$/im.exec(headers)?.[1]?.trim() ?? '',
    body: final.slice(head + 4),
  };
}

/** Whether a client would see the same: line ends and what differs from call to call aside. */
export function sameAnswer(a: Answer, b: Answer): boolean {
  return a.status === b.status && a.contentType === b.contentType && normalised(a.body) === normalised(b.body);
}

function normalised(body: string): string {
  return body.replaceAll('\r\n', '\n').trim();
}
