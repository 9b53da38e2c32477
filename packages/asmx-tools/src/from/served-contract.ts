import type { Service } from '@ws01/asmx/internal/contract/service';
import type { ServiceAddress } from '@ws01/asmx/internal/describe/service-address';
import { wsdl } from '@ws01/asmx/internal/describe/wsdl/wsdl';
import { NO_LIMITS } from './load/limits.ts';
import { type ReadContract, readWsdlText } from './wsdl/read-wsdl.ts';

/** A service as its own WSDL shows it to clients, to be compared with an old one. */
export function servedContract(service: Service, address: ServiceAddress): Promise<ReadContract> {
  // The schemas of typed DataSets are documents of their own, at its address.
  const beside = Object.values(service.dataSets ?? {}).map(({ schema }) => schema);
  const whole = wsdl(service, address).replace('</wsdl:types>', (end) => beside.join('') + end);
  return readWsdlText(whole, `${service.name}'s own WSDL`, { limits: NO_LIMITS });
}
