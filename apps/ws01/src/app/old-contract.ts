import {
  compare,
  type Difference,
  type ReadOptions,
  readWsdl,
  reportJson,
  reportLines,
  servedContract,
} from '@ws01/asmx/from';
import { type Config, publicAddresses } from '../config/config.ts';

export { WsdlError } from '@ws01/asmx/from';

/** Where the service would listen where PORT is 0. */
const ANY_PORT = 8080;

/** What came of comparing an old service with this one. */
import { servedService } from './served-service.ts';

interface ComparedContract {
  /** Whether no old client would notice. */
  readonly same: boolean;
  /** For a person, a line each. */
  readonly lines: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
}

/**
 * Compares an old service's WSDL with this service as it is set up.
 * @param source a file, or an http or https URL.
 * @throws {WsdlError} when it cannot be read, in one line.
 */
export async function compareOldContract(
  source: string,
  config: Config,
  options: ReadOptions = {},
): Promise<ComparedContract> {
  const { baseUrl } = publicAddresses(config, config.port || ANY_PORT);
  const old = await readWsdl(source, options);
  const ours = await servedContract(servedService(config), {
    namespace: config.soapNamespace,
    baseUrl,
    path: config.servicePaths[0]!,
  });
  const comparison = compare(old.service, ours.service);
  return {
    same: comparison.same,
    lines: reportLines(old, comparison, remedy),
    json: reportJson(old, comparison, remedy),
  };
}

/** What to set, where a setting does it. */
function remedy({ operation, aspect, old }: Difference): string | undefined {
  return aspect === 'namespace' && operation === '' ? `set SOAP_NAMESPACE=${old}` : undefined;
}
