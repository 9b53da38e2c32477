import type { ReceivedFile } from '../adapters/files/spool.ts';
import type { Config } from '../config/config.ts';
import { errorsOf } from '../contract/operation-errors.ts';
import { WS01, type Ws01 } from '../contract/service.ts';

/** The contract with the errors of each operation. */
const WITH_ERRORS = {
  ...WS01,
  operations: WS01.operations.map((operation) => ({ ...operation, errors: errorsOf(operation) })),
};

/** Returns the contract under its configured service name, `SOAP_SERVICE_NAME`. */
export function servedService({
  soapServiceName,
}: Pick<Config, 'soapServiceName'>): Ws01<ReceivedFile> {
  return { ...WITH_ERRORS, name: soapServiceName } as unknown as Ws01<ReceivedFile>;
}
