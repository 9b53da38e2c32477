import { createRequire } from 'node:module';
import { it } from 'node:test';
import {
  envelopeOf,
  SOAP11,
  SOAP12,
  type TestVersion,
} from '../../../../packages/asmx/test/kit/soap.ts';
import { NAMESPACE, startService } from '../kit/service.ts';
import { type ClientCall, type ClientParams, Refused, tellStory } from './story.ts';

interface Request {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly xml: string;
}

interface Response {
  readonly response: { readonly body: string };
}

// The package's own types say an ES module, which it is not.
const soapRequest: (request: Request) => Promise<Response> = createRequire(import.meta.url)(
  'easy-soap-request',
);

/** Calls by `easy-soap-request`, for which one writes the envelope and reads the answer oneself. */
function connect(url: string, version: TestVersion): ClientCall {
  return async (operation, params) => {
    const headers = {
      'Content-Type': version.contentType,
      ...(version === SOAP11 ? { SOAPAction: `${NAMESPACE}/${operation}` } : {}),
    };
    const xml = envelopeOf(
      version,
      `<${operation} xmlns="${NAMESPACE}">${elements(params)}</${operation}>`,
    );
    try {
      const { response } = await soapRequest({ url: `${url}/WS01.asmx`, headers, xml });
      return partOf(response.body, `${operation}Result`);
    } catch (error) {
      const fault = (error as { readonly response?: { readonly data: string } }).response?.data;
      if (fault === undefined) throw error;
      throw new Refused(partOf(fault, 'code'), partOf(fault, 'message') ?? '');
    }
  };
}

function elements(params: ClientParams): string {
  const cdata = (text: string) => `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
  return Object.entries(params)
    .map(([name, value]) => `<${name}>${cdata(String(value))}</${name}>`)
    .join('');
}

function partOf(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

for (const version of [SOAP11, SOAP12]) {
  it(`easy-soap-request, ${version.name}`, async (test) => {
    const { url, database } = await startService(test);
    await tellStory(connect(url, version), await database.open());
  });
}
