import type { Service } from '../contract/service.ts';
import type { ServiceAddress } from '../describe/service-address.ts';
import { wsdl } from '../describe/wsdl/wsdl.ts';
import { NO_LIMITS } from './load/limits.ts';
import { type ReadContract, readWsdlText } from './wsdl/read-wsdl.ts';

/** A service as its own WSDL shows it to clients, to be compared with an old one. */
export function servedContract(service: Service, address: ServiceAddress): Promise<ReadContract> {
  return readWsdlText(wsdl(service, address), `${service.name}'s own WSDL`, { limits: NO_LIMITS });
}
