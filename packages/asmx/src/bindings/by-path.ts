import { ProtocolError } from '../contract/errors.ts';
import { BodyBudget, readBody } from '../exchange/body.ts';
import { type Call, failedCall } from '../exchange/call.ts';
import type { CompiledOperation, CompiledService } from '../exchange/compiled.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { refuseUnreadCharset } from '../message/charsets/unread.ts';
import { decodePercent } from '../message/percent.ts';
import { ReadError } from '../message/read-error.ts';
import { toldName } from '../message/told-name.ts';
import { headerValues } from './header-values.ts';

/** Reads the values of a call. @throws {ServiceError | ReadError} */
export type ReadValues = (exchange: Exchange, operation: CompiledOperation) => Promise<ReadParts>;

/** The result of reading a call. */
export type ReadParts = Pick<Call, 'input' | 'warnings' | 'ignored'>;

/** Reads a call of the operation that the path names. @throws {FailedCall} */
export async function readByPath(
  exchange: Exchange,
  protocol: string,
  readValues: ReadValues,
): Promise<Call> {
  const { service, pathInfo } = exchange;
  let operation: CompiledOperation | undefined;
  try {
    operation = operationOfPath(service, pathInfo);
    refuseUnreadCharset(exchange.contentType.parameters.get('charset'));
    const hasHeaders = operation.message.headersIn.length > 0;
    const headers = hasHeaders ? headerValues(exchange, operation) : undefined;
    const values = await readValues(exchange, operation);
    return { protocol, version: undefined, operation, headers, ...values };
  } catch (error) {
    throw failedCall({ protocol, version: undefined, operation }, asServiceError(error));
  }
}

/**
 * Gives the bytes of a body to a reader, which gives the values what it reads.
 * @throws {ReadError}
 */
export async function readWhole(
  exchange: Exchange,
  operation: CompiledOperation,
  reader: { push(chunk: Uint8Array): void; end(): void },
  values: { readonly drained: Promise<unknown> | undefined },
): Promise<void> {
  await readBody(exchange, new BodyBudget(exchange.service, operation), (chunk) => {
    reader.push(chunk);
    return values.drained;
  });
  reader.end();
}

/** Converts an error of a reader to one of the wire; any other error stays unchanged. */
function asServiceError(error: unknown): unknown {
  if (!(error instanceof ReadError)) return error;
  const code = error.code === 'limit' ? 'TooLarge' : 'MalformedRequest';
  return new ProtocolError(code, error.message, {}, { cause: error });
}

/**
 * Finds the operation that a path names: all that follows the first slash, percent-decoded,
 * case-sensitive (wire 2).
 * @throws {ProtocolError} `UnknownOperation`, with the right spelling when only the case is wrong.
 */
function operationOfPath(service: CompiledService, pathInfo: string): CompiledOperation {
  const name = decodePercent(pathInfo.slice(1), { plus: 'plus' });
  const operation = service.operations.get(name);
  if (operation !== undefined) return operation;
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  const wanted = name.toLowerCase();
  for (const candidate of service.operations.keys()) {
    if (candidate.toLowerCase() !== wanted) continue;
    const message = `${shown} is no operation; names are case-sensitive: ${candidate}.`;
    throw new ProtocolError('UnknownOperation', message, {}, { requested: toldName(name) });
  }
  throw new ProtocolError(
    'UnknownOperation',
    `${shown} is no operation of this service.`,
    {},
    { requested: toldName(name) },
  );
}
