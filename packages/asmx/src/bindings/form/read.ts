import type { CompiledOperation } from '../../contract/compiled.ts';
import { ProtocolError } from '../../engine/errors.ts';
import type { Exchange, ReadCall } from '../../engine/exchange.ts';
import { bodyBudget, readBody } from '../../message/body.ts';
import { operationOfPath } from '../operation-path.ts';
import { asServiceError } from '../unreadable.ts';
import { FormReader } from './form-reader.ts';
import { MultipartFormReader } from './multipart-form.ts';
import { FormValues } from './values.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data';

/** Reads a call by HTTP GET: the query alone (wire 7). @throws {ServiceError} */
export async function readGet(exchange: Exchange): Promise<ReadCall> {
  exchange.protocol = 'get';
  const operation = route(exchange);
  const { limits } = exchange.service;
  if (exchange.query.length > limits.queryChars) {
    throw new ProtocolError('TooLarge', `The query is over the limit of ${limits.queryChars} characters; use POST.`);
  }
  try {
    const values = new FormValues(exchange, operation);
    const reader = new FormReader(values, { limits });
    reader.push(Buffer.from(exchange.query, 'latin1'));
    reader.end();
    return { operation, values: await values.finish() };
  } catch (error) {
    throw asServiceError(error);
  }
}

/** Reads a call by HTTP POST: the body alone (wire 7). @throws {ServiceError} */
export async function readPost(exchange: Exchange): Promise<ReadCall> {
  exchange.protocol = 'post';
  const operation = route(exchange);
  try {
    const values = new FormValues(exchange, operation);
    const reader = createReader(exchange, values);
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

/** The reader that the content type asks for. @throws {ProtocolError} UnsupportedMediaType */
function createReader(exchange: Exchange, values: FormValues): FormReader | MultipartFormReader {
  const { base, parameters } = exchange.contentType;
  const { limits } = exchange.service;
  const charset = parameters.get('charset');
  if (base === FORM_TYPE) return new FormReader(values, { limits, charset });
  if (base === MULTIPART_TYPE) {
    return new MultipartFormReader(values, { limits, charset, boundary: parameters.get('boundary') });
  }
  throw new ProtocolError(
    'UnsupportedMediaType',
    `Request format is invalid: ${base.slice(0, 100)}. An operation's path takes ${FORM_TYPE}, ${MULTIPART_TYPE} or application/json.`,
  );
}

function route(exchange: Exchange): CompiledOperation {
  const operation = operationOfPath(exchange.service, exchange.pathInfo);
  exchange.operation = operation;
  return operation;
}
