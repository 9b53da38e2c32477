import { ProtocolError } from '../../contract/errors.ts';
import type { Call } from '../../exchange/call.ts';
import type { CompiledOperation } from '../../exchange/compiled.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { lostBytes } from '../../message/lost-bytes.ts';
import { type ReadParts, readByPath, readWhole } from '../by-path.ts';
import { FormReader } from './form-reader.ts';
import { MultipartFormReader } from './multipart-form.ts';
import { FormValues } from './values.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data';

/** Reads a call by HTTP GET: the query alone (wire 7). @throws {FailedCall} */
export function readGet(exchange: Exchange): Promise<Call> {
  return readByPath(exchange, 'get', readQuery);
}

/** Reads a call by HTTP POST: the body alone (wire 7). @throws {FailedCall} */
export function readPost(exchange: Exchange): Promise<Call> {
  return readByPath(exchange, 'post', readForm);
}

async function readQuery(exchange: Exchange, operation: CompiledOperation): Promise<ReadParts> {
  const { limits } = exchange.service;
  if (exchange.query.length > limits.queryChars) {
    throw new ProtocolError(
      'TooLarge',
      `The query is over the limit queryChars of ${limits.queryChars} characters; use POST.`,
    );
  }
  const values = new FormValues(exchange, operation);
  exchange.intake.reads('get', operation, values);
  // ASP.NET reads the query in the charset of the Content-Type, too; a fragment is no part of it.
  const reader = new FormReader(values, {
    limits,
    charset: exchange.contentType.parameters.get('charset'),
  });
  reader.push(Buffer.from(exchange.query.split('#', 1)[0]!, 'latin1'));
  reader.end();
  return partsOf(reader, values);
}

async function readForm(exchange: Exchange, operation: CompiledOperation): Promise<ReadParts> {
  const values = new FormValues(exchange, operation);
  exchange.intake.reads('post', operation, values);
  const reader = createReader(exchange, values);
  await readWhole(exchange, operation, reader, values);
  return partsOf(reader, values);
}

async function partsOf(
  reader: FormReader | MultipartFormReader,
  values: FormValues,
): Promise<ReadParts> {
  const input = await values.finish();
  return { input, warnings: lostBytes(reader.replacedIn), ignored: values.ignored };
}

/** The reader that the content type asks for. @throws {ProtocolError} UnsupportedMediaType */
function createReader(exchange: Exchange, values: FormValues): FormReader | MultipartFormReader {
  const { base, parameters } = exchange.contentType;
  const { limits } = exchange.service;
  const charset = parameters.get('charset');
  if (base === FORM_TYPE) return new FormReader(values, { limits, charset });
  if (base === MULTIPART_TYPE) {
    return new MultipartFormReader(values, {
      limits,
      charset,
      boundary: parameters.get('boundary'),
    });
  }
  throw new ProtocolError(
    'UnsupportedMediaType',
    `Request format is invalid: ${base.slice(0, 100)}. An operation's path takes ${FORM_TYPE}, ${MULTIPART_TYPE} or application/json.`,
  );
}
