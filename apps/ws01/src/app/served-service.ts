import type { Config } from '../config/config.ts';
import { WS01, type Ws01 } from '../contract/service.ts';

/** Returns the contract under its configured service name, `SOAP_SERVICE_NAME`. */
export function servedService({ soapServiceName }: Pick<Config, 'soapServiceName'>): Ws01 {
  return { ...WS01, name: soapServiceName } as Ws01;
}
