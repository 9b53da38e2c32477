import type { EndpointOptions } from '@ws01/asmx';
import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import type { Ws01 } from '../contract/service.ts';
import type { CallContext } from '../domain/context.ts';
import { CredentialRefused } from '../domain/credentials/access.ts';
import { accessLog } from '../web/access-log.ts';
import type { ResourceDeps } from './resources.ts';

type OnAnswered = NonNullable<EndpointOptions<Ws01, CallContext>['onAnswered']>;

/** Errors of clients whose sentences quote nothing that was sent. */
const QUOTING_NOTHING: ReadonlySet<string> = new Set<ErrorCode>([
  'Unauthenticated',
  'Forbidden',
  'NotRegistered',
  'MassMailNotAllowed',
  'RateLimited',
]);

/** Tells the log and the metrics of each answered call. */
export function onAnswered({ config, log, metrics, recentCalls }: ResourceDeps): OnAnswered {
  const { limit, window } = config.logCalls ?? {};
  const logAccess = accessLog({
    log,
    slowMs: config.slowCallMs,
    // The processes of a node write to one log.
    most:
      limit === undefined || window === undefined ? undefined : { limit: Math.ceil(limit / config.workers), window },
  });
  return ({ exchange, call, context, phases, response, durationMs, error }) => {
    const side = error && ERRORS[error.code as ErrorCode].side;
    const known = { operation: call.operation?.name, binding: call.protocol, durationMs, error: error?.code, side };
    const warnings = call.warnings ?? [];
    metrics?.measure({ ...known, lossy: warnings.length > 0 });
    recentCalls?.note(known);
    const refused = error instanceof CredentialRefused ? error : undefined;
    const caller = refused?.caller ?? context?.caller;
    logAccess({
      ...known,
      requestId: exchange.requestId,
      requested: error?.requested,
      method: exchange.request.method,
      status: response.status,
      address: exchange.address,
      tokenId: caller?.tokenId,
      user: caller?.userId,
      parameter: error?.parameter,
      reason:
        refused?.reason ??
        (error && (side === 'server' || QUOTING_NOTHING.has(error.code)) ? error.message : undefined),
      phases,
      cause: error?.cause,
      warnings,
    });
  };
}
