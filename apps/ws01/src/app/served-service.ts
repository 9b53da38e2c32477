import type { Config } from '../config/config.ts';
import { WS01, type Ws01 } from '../contract/service.ts';

/** The contract under the name that the old service had. */
export function servedService({ soapServiceName }: Pick<Config, 'soapServiceName'>): Ws01 {
  return { ...WS01, name: soapServiceName } as Ws01;
}
