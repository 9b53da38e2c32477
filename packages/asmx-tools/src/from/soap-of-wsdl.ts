import type { SoapClient, SoapClientOptions } from '../soap/options.ts';
import { createSoapClient } from '../soap/soap-client.ts';
import { engineService } from './emit/engine-service.ts';
import type { Service } from './normal-form.ts';
import { type ReadContract, type ReadOptions, readWsdl } from './wsdl/read-wsdl.ts';

/** Operations of any name, whose types only the WSDL knows. */
export type AnyOperations = Readonly<
  // biome-ignore lint/suspicious/noExplicitAny: what a WSDL says is known when the program runs
  Record<string, { readonly input: { readonly [name: string]: any }; readonly result: any }>
>;

/** How a WSDL is read, beside the options of its client. */
export interface OpenOptions extends Partial<SoapClientOptions> {
  /** Which of several services. */
  readonly service?: string;
  /** What reading the WSDL may take. */
  readonly load?: Omit<ReadOptions, 'service' | 'lenient'>;
  /**
   * Accepts a WSDL whose elements or types are missing or wrong, with any XML in their place; gets
   * a line for each. Such a WSDL is refused when absent.
   */
  readonly lenient?: (note: string) => void;
}

/**
 * Reads a WSDL and creates a SOAP client of it. Its url is the WSDL's own when the options have
 * none.
 * @param source a path, or an http or https URL.
 * @throws {WsdlError} in one line. @throws {TypeError} as `createSoapClient`.
 */
export async function openSoapClient(
  source: string,
  { service, load, lenient, ...options }: OpenOptions = {},
): Promise<SoapClient<AnyOperations>> {
  const chosen = service === undefined ? {} : { service };
  const read = await readWsdl(source, { ...load, ...chosen, lenient: lenient !== undefined });
  if (lenient !== undefined) for (const note of read.notes) lenient(note);
  return soapClientOf(read, options);
}

/** A SOAP client of a contract that was read. @throws {TypeError} */
export function soapClientOf(
  { service, file }: ReadContract,
  options: Partial<SoapClientOptions>,
): SoapClient<AnyOperations> {
  const { url = soapAddress(service), ...more } = options;
  if (url === undefined)
    throw new TypeError(`${file} names no address of SOAP; give the option url.`);
  return createSoapClient<AnyOperations>(engineService(service), { ...more, url });
}

/** Where a service is called by SOAP, as its WSDL says; `undefined` where it names no URL. */
export function soapAddress({ ports }: Service): string | undefined {
  const address =
    ports.find(({ kind }) => kind === 'soap11') ?? ports.find(({ kind }) => kind === 'soap12');
  return address?.location !== undefined && URL.canParse(address.location)
    ? address.location
    : undefined;
}
