import { memorySink } from '../contract/binary.ts';
import {
  type CompiledOperation,
  type CompiledService,
  compileActions,
  compileOperation,
} from '../contract/compiled.ts';
import type { Service } from '../contract/service.ts';
import type { OperationName } from '../contract/values.ts';
import { isLegacyCharset } from '../message/charset.ts';
import type { EndpointOptions } from './endpoint-options.ts';
import { PROTOCOL_ERRORS } from './errors.ts';
import { Arrivals } from './intake/arrivals.ts';
import { DEFAULT_LIMITS } from './limits.ts';

/** Computes before the first request whatever can be computed from a contract and its handlers. */
export function compileService<S extends Service, Context, Binary>(
  options: EndpointOptions<S, Context, Binary>,
): CompiledService {
  const limits = options.limits ?? DEFAULT_LIMITS;
  const operations = new Map<string, CompiledOperation>();
  for (const operation of options.service.operations) {
    const handler = options.handlers[operation.name as OperationName<S>];
    operations.set(
      operation.name,
      compileOperation(
        operation,
        handler as unknown as CompiledOperation['invoke'],
        options.credential?.(operation as S['operations'][number]),
      ),
    );
  }
  return {
    name: options.service.name,
    namespace: options.namespace,
    operations,
    byAction: compileActions(options.namespace, operations.values()),
    errors: { ...PROTOCOL_ERRORS, ...options.errors },
    limits,
    arrivals: new Arrivals(limits),
    timeZone: options.timeZone ?? 'UTC',
    now: options.now ?? Date.now,
    legacyCharset: checkedLegacyCharset(options.legacyCharset),
    createBinarySink: options.createBinarySink ?? memorySink,
  };
}

/** @throws {TypeError} */
function checkedLegacyCharset(name: string | undefined): string | undefined {
  if (name === undefined || isLegacyCharset(name)) return name;
  throw new TypeError(`The legacy charset must be one like gb18030 or windows-1252, not ${name}.`);
}
