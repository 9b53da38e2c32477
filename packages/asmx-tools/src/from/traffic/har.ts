import {
  bytesOf,
  KEPT_ANSWER_HEADERS,
  KEPT_REQUEST_HEADERS,
  type KeptBody,
  type RecordedExchange,
} from './exchange.ts';
import { keptHeaders, operationOf } from './keep-exchange.ts';

/** HTTP Archive 1.2, as far as it is read; what wrote it may leave out anything. */
interface HarEntry {
  readonly startedDateTime?: unknown;
  readonly time?: unknown;
  readonly request?: {
    readonly method?: unknown;
    readonly url?: unknown;
    readonly headers?: unknown;
    readonly postData?: { readonly text?: unknown; readonly encoding?: unknown };
  };
  readonly response?: {
    readonly status?: unknown;
    readonly headers?: unknown;
    readonly content?: { readonly text?: unknown; readonly encoding?: unknown };
  };
}

/** The exchanges of a HAR, or why one cannot be replayed; `undefined` when it is none. */
export function harExchanges(har: unknown): (RecordedExchange | string)[] | undefined {
  const entries = (har as { log?: { entries?: unknown } } | null)?.log?.entries;
  return Array.isArray(entries)
    ? entries.map((entry: HarEntry) => exchangeOf(entry ?? {}))
    : undefined;
}

function exchangeOf({
  startedDateTime,
  time,
  request,
  response,
}: HarEntry): RecordedExchange | string {
  const { method, url, postData } = request ?? {};
  const place = typeof url === 'string' ? URL.parse(url) : null;
  if (typeof method !== 'string' || place === null) return 'the entry has no method or URL';
  const target = place.pathname + place.search;
  const headers = headersOf(request?.headers);
  const body = bodyOf(postData);
  if (method === 'POST' && body === undefined) return 'the body of the request is not in the HAR';
  const bytes = bytesOf(body);
  const status = Number(response?.status ?? 0);
  return {
    at: typeof startedDateTime === 'string' ? startedDateTime : '',
    durationMs: typeof time === 'number' ? Math.round(time) : 0,
    method,
    target,
    operation: operationOf({ method, target, body: bytes }, headers),
    redacted: [],
    request: { headers: keptHeaders(headers, KEPT_REQUEST_HEADERS), body: body ?? { text: '' } },
    answer:
      status === 0
        ? undefined
        : {
            status,
            headers: keptHeaders(headersOf(response?.headers), KEPT_ANSWER_HEADERS),
            body: bodyOf(response?.content),
          },
  };
}

function headersOf(headers: unknown): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const header of Array.isArray(headers) ? headers : []) {
    const { name, value } = (header ?? {}) as { name?: unknown; value?: unknown };
    if (typeof name === 'string' && typeof value === 'string' && !map.has(name.toLowerCase()))
      map.set(name.toLowerCase(), value);
  }
  return map;
}

function bodyOf(
  content: { readonly text?: unknown; readonly encoding?: unknown } | undefined,
): KeptBody | undefined {
  if (typeof content?.text !== 'string') return undefined;
  return content.encoding === 'base64' ? { base64: content.text } : { text: content.text };
}
