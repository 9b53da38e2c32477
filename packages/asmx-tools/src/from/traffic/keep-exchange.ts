import { gunzipSync, inflateSync } from 'node:zlib';
import { charsetDecoder, utf16MarkOf } from '@ws01/asmx/internal/message/charset';
import {
  actionName,
  actionOfContentType,
  soapOperationName,
} from '@ws01/asmx/internal/node/upstream/operation-name';
import type { Proxied } from '@ws01/asmx/internal/node/upstream/recording-proxy';
import {
  KEPT_ANSWER_HEADERS,
  KEPT_REQUEST_HEADERS,
  type KeptBody,
  type RecordedExchange,
} from './exchange.ts';
import { Redactor, type Secrets } from './redact.ts';

/** How large a body is kept at most when it was decompressed, bytes. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024;

/**
 * What a recording keeps of an exchange. What was taken out of one is taken out of all that come
 * later with the same `secrets`.
 */
export function keepExchange(
  { at, durationMs, request, answer }: Proxied,
  secrets: Secrets,
): RecordedExchange {
  const asked = headerMap(request.headers);
  const operation = operationOf(request, asked);
  const answered = answer === undefined ? undefined : headerMap(answer.headers);
  return withoutSecrets(
    {
      at: new Date(at).toISOString(),
      durationMs: Math.round(durationMs),
      method: request.method,
      target: request.target,
      operation,
      redacted: [],
      request: {
        headers: keptHeaders(inUtf8(asked), KEPT_REQUEST_HEADERS),
        body: keptBody(request.body, asked),
      },
      answer:
        answer === undefined || answered === undefined
          ? undefined
          : {
              status: answer.status,
              headers: keptHeaders(inUtf8(answered), KEPT_ANSWER_HEADERS),
              body: keptBody(answer.body, answered),
            },
    },
    secrets,
  );
}

/** An exchange without its secrets; one that has none is as it was. */
export function withoutSecrets(exchange: RecordedExchange, secrets: Secrets): RecordedExchange {
  const { request, answer, operation } = exchange;
  const asked = new Redactor(secrets);
  const answered = new Redactor(secrets, operation);
  // First by names, in all parts; then by the values, which may stand in parts that came before.
  const target = asked.target(exchange.target);
  const headers = headersWithout(request.headers, asked);
  const body = bodyWithout(request.body, request.headers, asked);
  const theirs = answer && {
    ...answer,
    headers: headersWithout(answer.headers, answered),
    body: answer.body && bodyWithout(answer.body, answer.headers, answered),
  };
  const cleaned = {
    ...exchange,
    target: asked.elsewhere(target),
    operation: asked.elsewhere(operation),
    request: { headers: headersElsewhere(headers, asked), body: bodyElsewhere(body, asked) },
    answer: theirs && {
      ...theirs,
      headers: headersElsewhere(theirs.headers, answered),
      body: theirs.body && bodyElsewhere(theirs.body, answered),
    },
  };
  const names = (known: readonly string[] | undefined, found: Redactor) => [
    ...new Set([...(known ?? []), ...found.names]),
  ];
  return {
    ...cleaned,
    redacted: names(exchange.redacted, asked),
    answer: cleaned.answer && { ...cleaned.answer, redacted: names(answer?.redacted, answered) },
  };
}

type Headers = Readonly<Record<string, string>>;

/** `Location` may hold a query; the others hold no names. */
function headersWithout(headers: Headers, redactor: Redactor): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name === 'location' ? redactor.target(value) : value,
    ]),
  );
}

function headersElsewhere(headers: Headers, redactor: Redactor): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, redactor.elsewhere(value)]),
  );
}

function bodyWithout(body: KeptBody, headers: Headers, redactor: Redactor): KeptBody {
  if (!('text' in body) || body.text === '') return body;
  const text = redactor.body(body.text, headers['content-type'] ?? '');
  return text === undefined ? { omitted: 'nobody can say what of it is a secret' } : { text };
}

function bodyElsewhere(body: KeptBody, redactor: Redactor): KeptBody {
  return 'text' in body ? { text: redactor.elsewhere(body.text) } : body;
}

/** The operation that a request calls: by its path, its SOAP body or its action. */
export function operationOf(
  request: { readonly method: string; readonly target: string; readonly body: Uint8Array },
  headers: ReadonlyMap<string, string>,
): string {
  const [path = ''] = request.target.split('?', 1);
  const byPath = /\.(?:asmx|svc|php|aspx|ashx|jws)\/([^/]+)\/?$/i.exec(path)?.[1];
  if (byPath !== undefined) return byPath;
  const soap = request.method === 'POST' ? soapOperationName(request.body) : undefined;
  const action =
    actionName(headers.get('soapaction')) ??
    actionName(actionOfContentType(headers.get('content-type')));
  return soap ?? action ?? (request.method === 'POST' ? (path.split('/').at(-1) ?? '') : '');
}

/** The first value of each header, by lower-case name. */
export function headerMap(headers: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!.toLowerCase();
    if (!map.has(name)) map.set(name, headers[at + 1]!);
  }
  return map;
}

/** Returns those headers that a recording keeps. @param names in lower case. */
export function keptHeaders(
  headers: ReadonlyMap<string, string>,
  names: ReadonlySet<string>,
): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => names.has(name)));
}

function keptBody(bytes: Uint8Array, headers: ReadonlyMap<string, string>): KeptBody {
  if (bytes.length === 0) return { text: '' };
  const contentType = headers.get('content-type') ?? '';
  if (/^multipart\//i.test(contentType.trim())) return { omitted: 'it has several parts' };
  const text = bodyText(bytes, contentType, headers.get('content-encoding'));
  if (text === undefined)
    return /^(image|audio|video)\//i.test(contentType)
      ? { base64: Buffer.from(bytes).toString('base64') }
      : { omitted: 'it is not readable as text' };
  return {
    text: text.replace(/^(\ufeff?<\?xml[^>]*?\bencoding\s*=\s*)(?:"[^"]*"|'[^']*')/, '$1"utf-8"'),
  };
}

/**
 * Bodies are kept in UTF-8, and say so. The escapes of a form are bytes of its own charset, which
 * stays.
 */
function inUtf8(headers: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const contentType = headers.get('content-type');
  if (contentType === undefined || contentType.startsWith('application/x-www-form-urlencoded'))
    return headers;
  const charset = /(;\s*charset\s*=\s*)("[^"]*"|[^;\s]+)/i;
  return new Map([...headers, ['content-type', contentType.replace(charset, '$1utf-8')]]);
}

/** A body as text; `undefined` when its coding or its charset cannot be read. */
export function bodyText(
  bytes: Uint8Array,
  contentType: string,
  coding: string | undefined,
): string | undefined {
  const plain = decompressed(bytes, coding?.trim().toLowerCase() ?? 'identity');
  if (plain === undefined) return undefined;
  const declared = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1];
  const decoder = charsetDecoder(utf16MarkOf(plain) ?? declared ?? 'utf-8', true);
  const text = decoder?.decode(plain, true);
  return decoder === undefined || decoder.invalid ? undefined : text;
}

function decompressed(bytes: Uint8Array, coding: string): Uint8Array | undefined {
  try {
    if (coding === 'gzip' || coding === 'x-gzip')
      return gunzipSync(bytes, { maxOutputLength: MAX_DECODED_BYTES });
    if (coding === 'deflate') return inflateSync(bytes, { maxOutputLength: MAX_DECODED_BYTES });
  } catch {
    return undefined;
  }
  return coding === 'br' || coding === 'zstd' ? undefined : bytes;
}
