import type { S3Client } from '@aws-sdk/client-s3';

/** Commands whose answers have an entity tag, of every service. */
const TAGGED: ReadonlySet<string> = new Set([
  'PutObjectCommand',
  'UploadPartCommand',
  'GetObjectCommand',
  'HeadObjectCommand',
]);

/** As much of an answer of HTTP as is looked at. */
interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What sends a request, and what looks at its answer before the client reads that. */
type Send = (request: object) => Promise<{ readonly response: Answer }>;
type Middleware = Parameters<S3Client['middlewareStack']['addRelativeTo']>[0];

/**
 * Has a client refuse what S3 does not answer. A proxy, or another server at the endpoint, may say
 * 200 to everything: an upload to it would count as stored.
 */
export function refuseOtherAnswers(client: S3Client): void {
  const look =
    (send: Send, { commandName = '' }: { readonly commandName?: string }): Send =>
    async (request) => {
      const sent = await send(request);
      assertOfS3(commandName, sent.response);
      return sent;
    };
  client.middlewareStack.addRelativeTo(look as unknown as Middleware, {
    ...{ name: 'refuseOtherAnswers', override: true },
    ...{ relation: 'after', toMiddleware: 'deserializerMiddleware' },
  });
}

/** @throws for an answer that is none of S3, and for an error that does not say why. */
function assertOfS3(command: string, { statusCode, headers }: Answer): void {
  const type = headers['content-type'] ?? '';
  const isPage = type.startsWith('text/html');
  const fail = (what: string): never => {
    throw Object.assign(new Error(what), { $metadata: { httpStatusCode: statusCode } });
  };
  if (headers.location !== undefined && statusCode >= 300 && statusCode < 400)
    fail(
      `S3 leads elsewhere (${statusCode} to ${URL.parse(headers.location)?.host ?? 'another path'}), which is not followed; name the right endpoint and region in FILES_URL or BACKUP_TO`,
    );
  if (statusCode >= 500 && !type.includes('xml')) fail(`S3 says ${statusCode}, and not why`);
  if (isPage || (statusCode < 300 && TAGGED.has(command) && headers.etag === undefined))
    fail(
      `what answers ${statusCode} at the endpoint is not S3: it sends ${isPage ? 'a web page' : 'no ETag'}; check FILES_URL or BACKUP_TO, and what is before it`,
    );
}
