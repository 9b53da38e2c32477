import type { Call } from '../../exchange/call.ts';
import type { CompiledOperation } from '../../exchange/compiled.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type ReadParts, readByPath, readWhole } from '../by-path.ts';
import { JsonReader } from './json-reader.ts';
import { JsonValues } from './values.ts';

/** Reads a call whose arguments are one JSON object (wire 14). @throws {FailedCall} */
export function read(exchange: Exchange): Promise<Call> {
  return readByPath(exchange, 'json', readObject);
}

async function readObject(exchange: Exchange, operation: CompiledOperation): Promise<ReadParts> {
  const values = new JsonValues(exchange, operation);
  exchange.intake.reads('json', operation, values);
  const charset = exchange.contentType.parameters.get('charset');
  const reader = new JsonReader(values, { limits: exchange.service.limits, charset });
  await readWhole(exchange, operation, reader, values);
  return { input: await values.finish(), ignored: values.ignored };
}
