import type { EndpointOptions } from '@ws01/asmx';
import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import { FILE_PARAMETER, NAMED_RECORD } from '../contract/service.ts';
import type { CallContext } from '../domain/context.ts';
import { CredentialRefused } from '../domain/credentials/access.ts';
import type { ImageRefusal } from '../domain/images/validation/refusal.ts';
import { accessLog } from '../web/access-log.ts';
import { ignoredMembersLog } from '../web/ignored-members.ts';
import { reasonOf, recordOf } from './failed-calls.ts';
import type { ResourceDeps, Resources } from './resources.ts';

type OnAnswered = NonNullable<EndpointOptions<unknown, CallContext>['onAnswered']>;
type Answered = Parameters<OnAnswered>[0];
type AnsweredCall = Answered['call'];

const NOTHING_LOST: readonly string[] = [];

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
  return (answered) => {
    const { exchange, call, caller: context } = answered;
    const record = entryOf(answered);
    const { operation, binding, durationMs, error: code, side, requestId } = record;
    const lossy = record.warnings.length > 0;
    metrics?.measure({ operation, binding, durationMs, error: code, side, lossy });
    if (call.ignored !== undefined) logIgnored({ operation, requestId, names: call.ignored.names });
    traces.end(exchange.request, () => spanOf(record));
    const now = clock();
    transports.note(exchange.request, now);
    // A picture is refused by the answer `false`, which is no error to logs and metrics.
    // Whoever asks why finds the reason among the failed calls.
    const refusal = context && refusals.get(context);
    history.note({ ...record, error: code ?? refusal?.code }, now, () => ({
      request_id: record.requestId,
      status: record.status,
      parameter:
        record.parameter ?? (refusal && FILE_PARAMETER.get(call.operation?.name ?? '')) ?? null,
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

/** What the service records of each call. */
function entryOf({ exchange, call, caller, phases, response, durationMs, error }: Answered) {
  const side = error && ERRORS[error.code as ErrorCode].side;
  const refused = error instanceof CredentialRefused ? error : undefined;
  const { tokenId, userId: user } = refused?.caller ?? caller?.caller ?? {};
  return {
    operation: call.operation?.name,
    binding: call.protocol,
    durationMs,
    error: error?.code,
    side,
    requestId: exchange.requestId,
    requested: error?.requested,
    method: exchange.request.method,
    status: response.status,
    address: exchange.address,
    tokenId,
    user,
    parameter: error?.parameter,
    limit: error?.limit,
    reason: refused?.reason ?? (error && reasonOf(error)),
    phases,
    cause: error?.cause,
    warnings: call.warnings ?? NOTHING_LOST,
  };
}

function spanOf(record: ReturnType<typeof entryOf>) {
  const { operation, method, durationMs, error, phases } = record;
  return {
    name: operation ?? method,
    durationMs,
    attributes: {
      'rpc.method': operation,
      'http.request.method': method,
      'http.response.status_code': record.status,
      'error.type': error,
      'ws01.binding': record.binding,
      'ws01.request_id': record.requestId,
    },
    failure: record.side === 'server' ? error : undefined,
    phases: {
      ...{ wait: phases.waitMs, read: phases.readMs, authorize: phases.authorizeMs },
      ...{ invoke: phases.invokeMs, write: phases.writeMs },
    },
  };
}

/**
 * What the service itself says of a picture. A decoder's words quote the file, and paths of the
 * server.
 */
function ownReason(refusal: ImageRefusal | undefined): string | null {
  return refusal === undefined || refusal.cause !== undefined ? null : refusal.message;
}

/** The record that a call names. */
function recordNamedBy({ operation, input }: AnsweredCall) {
  const named = operation && NAMED_RECORD.get(operation.name);
  return recordOf(named?.kind, named && input?.textAt(named.index));
}
