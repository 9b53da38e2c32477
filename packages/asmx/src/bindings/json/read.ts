import type { Exchange, ReadCall } from '../../engine/exchange.ts';
import { bodyBudget, readBody } from '../../message/body.ts';
import { operationOfPath } from '../operation-path.ts';
import { asServiceError } from '../unreadable.ts';
import { JsonReader } from './json-reader.ts';
import { JsonValues } from './values.ts';

/** Reads a call whose arguments are one JSON object (wire 14). @throws {ServiceError} */
export async function read(exchange: Exchange): Promise<ReadCall> {
  exchange.protocol = 'json';
  const operation = operationOfPath(exchange.service, exchange.pathInfo);
  exchange.operation = operation;
  const values = new JsonValues(exchange, operation);
  const charset = exchange.contentType.parameters.get('charset');
  const reader = new JsonReader(values, { limits: exchange.service.limits, charset });
  try {
    await readBody(exchange, bodyBudget(exchange.service, operation), (chunk) => {
      reader.push(chunk);
      return values.drained;
    });
    reader.end();
    return { operation, values: await values.finish() };
  } catch (error) {
    throw asServiceError(error);
  }
}
