import {
  compare,
  type Difference,
  type ReadOptions,
  readWsdl,
  reportJson,
  reportLines,
  servedContract,
} from '@ws01/asmx-tools';
import { type Config, publicAddresses } from '../config/config.ts';
import { servedService } from './served-service.ts';

export { LOAD_OPTION_TEXTS, loadOptionsOf, UsageError, WsdlError } from '@ws01/asmx-tools';

/** Port used for the comparison when `PORT` is 0. */
const ANY_PORT = 8080;

/** The result of comparing an old service with this one. */
interface ComparedContract {
  /** Whether no old client would notice a difference. */
  readonly same: boolean;
  /** Lines for a person. */
  readonly lines: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
}

/**
 * Compares the WSDL of an old service with this service as configured.
 * @param source a file, or an http or https URL.
 * @throws {WsdlError} with a one-line message, when the WSDL cannot be read.
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

/** Returns the setting that removes a difference; `undefined` if there is none. */
function remedy({ operation, aspect, old }: Difference): string | undefined {
  return aspect === 'namespace' && operation === '' ? `set SOAP_NAMESPACE=${old}` : undefined;
}
