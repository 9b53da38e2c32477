import type { TypedService } from '@ws01/asmx/contract';
import type { Config } from '../config/config.ts';
import { errorsOf } from '../contract/operation-errors.ts';
import { WS01, type Ws01Operations } from '../contract/service.ts';

/** Returns the contract with the errors of each operation, under its configured name, `SOAP_SERVICE_NAME`. */
export function servedService({
  soapServiceName,
}: Pick<Config, 'soapServiceName'>): TypedService<Ws01Operations> {
  const operations = WS01.operations.map((operation) => ({
    ...operation,
    errors: errorsOf(operation),
  }));
  return { ...WS01, operations, name: soapServiceName };
}
