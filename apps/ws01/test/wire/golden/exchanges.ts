import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PATIENCE_MS } from '../../../../../packages/asmx/test/kit/until.ts';

export const GOLDEN = 'apps/ws01/test/golden';

/** A recorded exchange: the bytes of a request, and those with which a real ASMX server of this contract answered. */
export interface GoldenExchange {
  /** Folder and file, such as `soap11/ok`. */
  readonly name: string;
  readonly request: Buffer;
  readonly response: Buffer;
}

/** Every recorded exchange (`NAME.req` with `NAME.res`) in the folders of a folder, by folder and name. */
export function goldenExchanges(root = GOLDEN): GoldenExchange[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: folder }) =>
      readdirSync(join(root, folder))
        .filter((file) => file.endsWith('.req'))
        .map((file) => {
          const name = `${folder}/${file.slice(0, -'.req'.length)}`;
          return {
            name,
            request: readFileSync(join(root, `${name}.req`)),
            response: readFileSync(join(root, `${name}.res`)),
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
    // A server that falls silent fails its test, and does not hold it.
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  });
}
