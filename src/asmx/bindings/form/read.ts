import { bodyBudget, readBody } from '../../body.ts';
import type { CompiledOperation } from '../../compiled.ts';
import { ProtocolError } from '../../errors.ts';
import type { Exchange, ReadCall } from '../../exchange.ts';
import { operationOfPath } from '../operation-path.ts';
import { asServiceError } from '../unreadable.ts';
import { FormValues } from './values.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Reads a call by HTTP GET: the query alone (asmx-wire section 7). @throws {ServiceError} */
export async function readGet(exchange: Exchange): Promise<ReadCall> {
  exchange.protocol = 'get';
  const operation = route(exchange);
  const { limits } = exchange.service;
  if (exchange.query.length > limits.queryChars) {
    throw new ProtocolError('TooLarge', `The query is over the limit of ${limits.queryChars} characters; use POST.`);
  }
  const values = new FormValues(exchange, operation);
  try {
    values.push(Buffer.from(exchange.query, 'latin1'));
    return { operation, values: await values.finish() };
  } catch (error) {
    throw asServiceError(error);
  }
}

/** Reads a call by HTTP POST: the body alone (asmx-wire section 7). @throws {ServiceError} */
export async function readPost(exchange: Exchange): Promise<ReadCall> {
  exchange.protocol = 'post';
  const operation = route(exchange);
  const { base, parameters } = exchange.contentType;
  if (base !== FORM_TYPE) {
    throw new ProtocolError(
      'UnsupportedMediaType',
      `Request format is invalid: ${base.slice(0, 100)}. An operation's path takes ${FORM_TYPE}.`,
    );
  }
  const values = new FormValues(exchange, operation, parameters.get('charset'));
  try {
    await readBody(exchange.request, bodyBudget(exchange.service, operation), (chunk) => values.push(chunk));
    return { operation, values: await values.finish() };
  } catch (error) {
    throw asServiceError(error);
  }
}

function route(exchange: Exchange): CompiledOperation {
  const operation = operationOfPath(exchange.service, exchange.pathInfo);
  exchange.operation = operation;
  return operation;
}
