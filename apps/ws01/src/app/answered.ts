import type { EndpointOptions } from '@ws01/asmx';
import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import { NAMED_RECORD } from '../contract/service.ts';
import type { CallContext } from '../domain/context.ts';
import { CredentialRefused } from '../domain/credentials/access.ts';
import type { ImageRefusal } from '../domain/images/validation/refusal.ts';
import { optionalKey } from '../domain/values/keys.ts';
import { accessLog } from '../web/access-log.ts';
import { ignoredMembersLog } from '../web/ignored-members.ts';
import type { ResourceDeps, Resources } from './resources.ts';

type OnAnswered = NonNullable<EndpointOptions<unknown, CallContext>['onAnswered']>;
type AnsweredCall = Parameters<OnAnswered>[0]['call'];

const NOTHING_LOST: readonly string[] = [];

/** Client errors whose messages never quote input. */
const QUOTING_NOTHING: ReadonlySet<string> = new Set<ErrorCode>([
  'Unauthenticated',
  'Forbidden',
  'NotRegistered',
  'MassMailNotAllowed',
  'RateLimited',
]);

/** The picture that a call was answered `false` for. */
export type Refusals = WeakMap<CallContext, ImageRefusal>;

/** Returns the listener that logs and measures each answered call. */
export function onAnswered(
  { config, clock, log, metrics, recentCalls, traces, transports }: ResourceDeps,
  { history, refusals }: Pick<Resources, 'history'> & { readonly refusals: Refusals },
): OnAnswered {
  const { limit, window } = config.logCalls ?? {};
  const logAccess = accessLog({
    log,
    slowMs: config.slowCallMs,
    // The processes of a node write to the same log.
    most:
      limit === undefined || window === undefined
        ? undefined
        : { limit: Math.ceil(limit / config.workers), window },
  });
  const logIgnored = ignoredMembersLog(log);
  return ({ exchange, call, caller: context, phases, response, durationMs, error }) => {
    const side = error && ERRORS[error.code as ErrorCode].side;
    const operation = call.operation?.name;
    const binding = call.protocol;
    const code = error?.code;
    const warnings = call.warnings ?? NOTHING_LOST;
    metrics?.measure({
      operation,
      binding,
      durationMs,
      error: code,
      side,
      lossy: warnings.length > 0,
    });
    if (call.ignored !== undefined)
      logIgnored({ operation, requestId: exchange.requestId, names: call.ignored.names });
    traces.end(exchange.request, () => ({
      name: operation ?? exchange.request.method,
      durationMs,
      attributes: {
        'rpc.method': operation,
        'http.request.method': exchange.request.method,
        'http.response.status_code': response.status,
        'error.type': code,
        'ws01.binding': binding,
        'ws01.request_id': exchange.requestId,
      },
      failure: side === 'server' ? code : undefined,
      phases: {
        ...{ wait: phases.waitMs, read: phases.readMs, authorize: phases.authorizeMs },
        ...{ invoke: phases.invokeMs, write: phases.writeMs },
      },
    }));
    const refused = error instanceof CredentialRefused ? error : undefined;
    const caller = refused?.caller ?? context?.caller;
    const record = {
      operation,
      binding,
      durationMs,
      error: code,
      side,
      requestId: exchange.requestId,
      requested: error?.requested,
      method: exchange.request.method,
      status: response.status,
      address: exchange.address,
      tokenId: caller?.tokenId,
      user: caller?.userId,
      parameter: error?.parameter,
      limit: error?.limit,
      reason:
        refused?.reason ??
        (error && (side === 'server' || QUOTING_NOTHING.has(error.code))
          ? error.message
          : undefined),
      phases,
      cause: error?.cause,
      warnings,
    };
    const now = clock();
    transports.note(exchange.request, now);
    // A picture is refused by the answer `false`, which is no error to logs and metrics.
    // Whoever asks why finds the reason among the failed calls.
    const refusal = context && refusals.get(context);
    history.note({ ...record, error: code ?? refusal?.code }, now, () => ({
      request_id: record.requestId,
      status: record.status,
      parameter: record.parameter ?? null,
      reason: record.reason ?? ownReason(refusal),
      address: record.address,
      token_id: record.tokenId ?? null,
      user_id: record.user ?? null,
      ...recordNamedBy(call),
    }));
    recentCalls?.keep(record, now);
    logAccess(record);
  };
}

/** What the service itself says of a picture. A decoder's words quote the file, and paths of the server. */
function ownReason(refusal: ImageRefusal | undefined): string | null {
  return refusal === undefined || refusal.cause !== undefined ? null : refusal.message;
}

const NO_RECORD = { target_kind: null, target_key: null };

/** The record that a call names. A text that is no key is not kept. */
function recordNamedBy({ operation, input }: AnsweredCall) {
  const named = operation && NAMED_RECORD.get(operation.name);
  if (named === undefined) return NO_RECORD;
  try {
    const key = optionalKey(input?.textAt(named.index), '');
    return key === undefined ? NO_RECORD : { target_kind: named.kind, target_key: key };
  } catch {
    return NO_RECORD;
  }
}
