import { credentialOf, type Operation, type TypedService } from '@ws01/asmx/contract';
import type { Config } from '../config/config.ts';
import type { ErrorCode } from '../contract/errors.ts';
import { WS01, type Ws01Operations } from '../contract/service.ts';

/**
 * Returns the contract with the errors of each operation, under its configured name,
 * `SOAP_SERVICE_NAME`.
 */
export function servedService({
  soapServiceName,
}: Pick<Config, 'soapServiceName'>): TypedService<Ws01Operations> {
  const operations = WS01.operations.map((operation) => ({
    ...operation,
    errors: errorsOf(operation),
  }));
  return { ...WS01, operations, name: soapServiceName };
}

/**
 * The codes that an operation may answer, besides those of the protocol: what its help names, what
 * the check of its credential answers, and what any operation can meet.
 */
function errorsOf(operation: Operation): ErrorCode[] {
  const named = Object.keys(operation.help?.errors ?? {}) as ErrorCode[];
  const checked: readonly ErrorCode[] =
    credentialOf(operation) === undefined ? [] : ['Unauthenticated', 'Forbidden', 'RateLimited'];
  // REFUSE_EMBEDDED_WRITES, and blocked users.
  const written: readonly ErrorCode[] = operation.readOnly ? [] : ['Forbidden'];
  return [...new Set<ErrorCode>([...named, ...checked, ...written, 'StorageUnavailable'])];
}
