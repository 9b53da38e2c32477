import {
  type Upstream,
  type UpstreamAnswer,
  UpstreamError,
} from '@ws01/asmx/internal/node/upstream/ask';
import { escapeAttribute } from '@ws01/asmx/internal/xml/writer';
import {
  type AnswerDifference,
  type ComparedAnswer,
  compareAnswers,
  type IsAlike,
} from './compare-answers.ts';
import { bytesOf, type RecordedExchange } from './exchange.ts';
import { bodyText, headerMap } from './keep-exchange.ts';
import type { Recorded } from './read-recording.ts';
import { decodedPart, REDACTED, Redactor, Secrets } from './redact.ts';
import { replaceXmlValues } from './xml-values.ts';

export interface ReplayOptions {
  /** The server that is asked live; the recorded answers count when absent. */
  readonly old: Upstream | undefined;
  readonly ours: Upstream;
  /** The path of the service there, where it is not the recorded one. */
  readonly ourPath: string | undefined;
  /** Values for what was taken out of the recording, by lower-case name. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Only these operations; all when empty. */
  readonly only: ReadonlySet<string>;
  readonly mask: (text: string) => string;
  readonly onDone?: (done: number) => void;
  readonly stop: AbortSignal;
}

/** Differences of one cause in one operation. */
interface Cause extends AnswerDifference {
  readonly operation: string;
  readonly count: number;
  /** Where in the recording the first one stands. */
  readonly line: number;
}

export interface ReplayReport {
  readonly replayed: number;
  readonly same: number;
  readonly different: number;
  /** The most frequent first. */
  readonly causes: readonly Cause[];
  /** What was not replayed, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** Asks what was recorded again, one after the other, and compares the answers. */
export async function replay(
  recording: AsyncIterable<Recorded>,
  options: ReplayOptions,
): Promise<ReplayReport> {
  const causes = new Map<string, { -readonly [K in keyof Cause]: Cause[K] }>();
  const skipped: Record<string, number> = {};
  let [replayed, same] = [0, 0];
  for await (const recorded of recording) {
    if (options.stop.aborted) break;
    const outcome =
      'skipped' in recorded ? recorded.skipped : await replayOne(recorded.exchange, options);
    if (typeof outcome === 'string') {
      skipped[outcome] = (skipped[outcome] ?? 0) + 1;
      continue;
    }
    replayed++;
    options.onDone?.(replayed);
    const { difference } = outcome;
    if (difference === undefined) {
      same++;
      continue;
    }
    const operation = 'exchange' in recorded ? recorded.exchange.operation : '';
    const key = `${operation}\n${difference.cause}`;
    const known = causes.get(key);
    if (known === undefined)
      causes.set(key, { ...difference, operation, count: 1, line: recorded.line });
    else known.count++;
  }
  const sorted = [...causes.values()].sort((a, b) => b.count - a.count);
  return { replayed, same, different: replayed - same, causes: sorted, skipped };
}

/** @returns why it was not replayed, or how the answers differ. */
async function replayOne(
  exchange: RecordedExchange,
  { old, ours, ourPath, secrets, only, mask }: ReplayOptions,
): Promise<string | { readonly difference: AnswerDifference | undefined }> {
  const { operation, redacted, answer, request, method } = exchange;
  if (only.size > 0 && !only.has(operation)) return 'it is another operation';
  const missing = redacted.find((name) => !secrets.has(name.toLowerCase()));
  if (missing !== undefined) return `the secret ${missing} was taken out; give it with --secrets`;
  if ('omitted' in request.body) return `its body was not recorded: ${request.body.omitted}`;
  const body = withSecrets(
    bytesOf(request.body),
    request.headers['content-type'] ?? '',
    redacted,
    secrets,
  );
  const target =
    redacted.length === 0 ? exchange.target : targetWithSecrets(exchange.target, secrets);
  const headers = Object.entries(request.headers).flat();
  const asked = { method, headers, body: body.length > 0 || method === 'POST' ? body : undefined };
  let before: ComparedAnswer;
  try {
    if (old !== undefined) before = comparedAnswer(await old.ask({ ...asked, target }));
    else if (answer === undefined)
      return 'its answer was not recorded; name the old server with --old';
    else before = recordedAnswer(answer);
  } catch (error) {
    if (error instanceof UpstreamError) return `the old server does not answer: ${error.message}`;
    throw error;
  }
  try {
    const after = comparedAnswer(
      await ours.ask({ ...asked, target: moved(target, operation, ourPath) }),
    );
    const taken = old === undefined ? (answer?.redacted ?? []) : [];
    const isAlike: IsAlike = (theirs, own) =>
      taken.length === 0 ? mask(theirs) === mask(own) : fitsRedacted(mask(theirs), mask(own));
    // Where the status is another, the whole of it is shown.
    const shown =
      before.status === after.status ? after : withoutSecretsOf(after, operation, taken);
    return { difference: withoutSecret(compareAnswers(before, shown, isAlike)) };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return { difference: { cause: 'no answer', old: String(before.status), ours: error.message } };
  }
}

/** The same call at another path: what stands before the operation and the query gives way. */
function moved(target: string, operation: string, ourPath: string | undefined): string {
  if (ourPath === undefined) return target;
  const at = target.indexOf('?');
  const [path, query] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at)];
  const behind = path.endsWith(`/${operation}`) && operation !== '' ? `/${operation}` : '';
  return ourPath + behind + query;
}

function recordedAnswer({
  status,
  headers,
  body,
}: NonNullable<RecordedExchange['answer']>): ComparedAnswer {
  const contentType = headers['content-type'] ?? '';
  if (body === undefined || 'omitted' in body) return { status, contentType, body: undefined };
  return {
    status,
    contentType,
    body: 'text' in body ? body.text : bytesOf(body).toString('latin1'),
  };
}

function comparedAnswer({ status, headers, body }: UpstreamAnswer): ComparedAnswer {
  const map = headerMap(headers);
  const contentType = map.get('content-type') ?? '';
  return {
    status,
    contentType,
    body:
      bodyText(body, contentType, map.get('content-encoding')) ??
      Buffer.from(body).toString('latin1'),
  };
}

/**
 * Whether a text is one of which secrets were taken out: in place of each may stand whatever is
 * not empty. The same value may
 * stand elsewhere under the same name and be kept, so names do not tell which were taken out.
 */
function fitsRedacted(redacted: string, text: string): boolean {
  const [first = '', ...rest] = redacted.split(REDACTED);
  if (rest.length === 0) return redacted === text;
  const last = rest.pop()!;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at + 1);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at < text.length - last.length;
}

/** A difference to be shown: of a value in which a secret stood, ours may have one, too. */
function withoutSecret(difference: AnswerDifference | undefined): AnswerDifference | undefined {
  if (difference === undefined || !difference.old.includes(REDACTED)) return difference;
  return { ...difference, ours: REDACTED };
}

/** An answer without what was taken out of the recorded one, to be shown. */
function withoutSecretsOf(
  answer: ComparedAnswer,
  operation: string,
  taken: readonly string[],
): ComparedAnswer {
  if (taken.length === 0 || answer.body === undefined) return answer;
  const redactor = new Redactor(new Secrets(taken), operation);
  return { ...answer, body: redactor.body(answer.body, answer.contentType) ?? answer.body };
}

/** Puts secrets back where they were taken out. */
function withSecrets(
  body: Buffer,
  contentType: string,
  redacted: readonly string[],
  secrets: ReadonlyMap<string, string>,
): Buffer {
  if (redacted.length === 0) return body;
  const text = body.toString();
  const type = contentType.toLowerCase();
  if (type.startsWith('application/x-www-form-urlencoded'))
    return Buffer.from(pairsWithSecrets(text, secrets));
  if (type.startsWith('application/json')) {
    const revive = (name: string, value: unknown) =>
      value === REDACTED ? (secrets.get(name.toLowerCase()) ?? value) : value;
    return Buffer.from(JSON.stringify(JSON.parse(text, revive)));
  }
  const secretOf = (name: string) => secrets.get(name.toLowerCase());
  const put = {
    wants: (name: string) => (secretOf(name) === undefined ? undefined : ('text' as const)),
    value: (name: string, content: string) =>
      content === REDACTED ? escapeAttribute(secretOf(name) ?? REDACTED) : undefined,
  };
  return Buffer.from(replaceXmlValues(text, put));
}

function targetWithSecrets(target: string, secrets: ReadonlyMap<string, string>): string {
  const at = target.indexOf('?');
  return at < 0
    ? target
    : target.slice(0, at + 1) + pairsWithSecrets(target.slice(at + 1), secrets);
}

function pairsWithSecrets(text: string, secrets: ReadonlyMap<string, string>): string {
  return text
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=');
      const secret =
        pair.slice(at + 1) === REDACTED
          ? secrets.get(decodedPart(pair.slice(0, at)).toLowerCase())
          : undefined;
      return secret === undefined ? pair : `${pair.slice(0, at)}=${encodeURIComponent(secret)}`;
    })
    .join('&');
}
