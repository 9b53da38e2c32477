import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { originOf } from '../../../../packages/asmx/test/kit/listen.ts';

/**
 * Starts a server that stands before an S3 service, until the end of the test.
 * @param endpoint of the service.
 * @param allows called with each request, without its body; one that is not allowed is answered `AccessDenied`, if
 *   this has not begun another answer.
 * @param copied called when an object has been copied, before the answer, whose ETag is another one then: so it is for
 *   objects that were sent in parts or are encrypted.
 * @returns its address.
 */
export async function startS3Gate(
  test: TestContext,
  endpoint: string,
  allows: (request: IncomingMessage, response: ServerResponse) => boolean,
  copied?: () => Promise<void>,
): Promise<string> {
  const gate = createServer((req, res) => {
    if (!allows(req, res)) {
      req.resume().on('end', () => {
        if (!res.headersSent) res.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
      });
      return;
    }
    const { url: path, method, headers } = req;
    const passed = request(endpoint, { path, method, headers }, (answer) => {
      const { 'content-length': _, ...kept } = answer.headers;
      if (copied === undefined || headers['x-amz-copy-source'] === undefined) {
        res.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(res);
        return;
      }
      text(answer).then(async (body) => {
        await copied();
        res.writeHead(answer.statusCode!, kept).end(body.replaceAll(/[0-9a-f]{32}/g, 'another'));
      });
    });
    passed.on('error', () => res.destroy());
    req.pipe(passed);
  });
  return originOf(test, gate);
}
