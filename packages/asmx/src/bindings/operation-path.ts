import type { CompiledOperation, CompiledService } from '../contract/compiled.ts';
import { ProtocolError } from '../engine/errors.ts';
import { decodePercent } from '../message/percent.ts';

/**
 * The operation that a path names: everything after the first slash, percent-decoded, case-sensitive (wire 2).
 * @throws {ProtocolError} UnknownOperation, which says the right spelling when only the case is wrong.
 */
export function operationOfPath(service: CompiledService, pathInfo: string): CompiledOperation {
  const name = decodePercent(pathInfo.slice(1), { plus: 'plus' });
  const operation = service.operations.get(name);
  if (operation !== undefined) return operation;
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  const wanted = name.toLowerCase();
  for (const candidate of service.operations.keys()) {
    if (candidate.toLowerCase() !== wanted) continue;
    throw new ProtocolError('UnknownOperation', `${shown} is no operation; names are case-sensitive: ${candidate}.`);
  }
  throw new ProtocolError('UnknownOperation', `${shown} is no operation of this service.`);
}
