import type { IncomingHttpHeaders } from 'node:http';
import { exchange, type HttpAnswer, postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { unescapeXml } from '../../../../packages/asmx/test/kit/soap.ts';
import { NAMESPACE } from './names.ts';

export { exchange };

/** What a call came back with, whatever the binding. */
export interface CallAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The result's text when the call went well. */
  readonly result: string | undefined;
  /** The error's code when it did not. */
  readonly code: string | undefined;
  readonly message: string | undefined;
}

export type Params = Readonly<Record<string, string | undefined>>;

/** One way to call the service, with requests written out by hand as a client in the field sends them. */
export interface TestBinding {
  readonly name: 'soap11' | 'soap12' | 'get' | 'post' | 'json';
  call(url: string, operation: string, params: Params): Promise<CallAnswer>;
}

/** Text as XML content. */
export function xml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#xD;');
}

/** A SOAP envelope as a .NET client writes it. */
export function envelope(version: 'soap11' | 'soap12', operation: string, params: Params): string {
  const uri =
    version === 'soap11'
      ? 'http://schemas.xmlsoap.org/soap/envelope/'
      : 'http://www.w3.org/2003/05/soap-envelope';
  const children = Object.entries(params)
    .map(([name, value]) => (value === undefined ? '' : `<${name}>${xml(value)}</${name}>`))
    .join('');
  return (
    '<?xml version="1.0" encoding="utf-8"?>' +
    `<soap:Envelope xmlns:soap="${uri}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">` +
    `<soap:Body><${operation} xmlns="${NAMESPACE}">${children}</${operation}></soap:Body></soap:Envelope>`
  );
}

function soapBinding(version: 'soap11' | 'soap12'): TestBinding {
  const headers = (operation: string): Record<string, string> =>
    version === 'soap11'
      ? { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${NAMESPACE}/${operation}"` }
      : { 'Content-Type': 'application/soap+xml; charset=utf-8' };
  return {
    name: version,
    async call(url, operation, params) {
      const body = envelope(version, operation, params);
      const answer = await postTo(`${url}/WS01.asmx`, body, headers(operation));
      return understand(answer, `${operation}Result`);
    },
  };
}

/** Parameters as a form, or the query of a GET. */
export function formOf(params: Params): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) form.append(name, value);
  return form;
}

/** The four bindings of the contract, for suites that run over all of them. */
export const TEST_BINDINGS: readonly TestBinding[] = [
  soapBinding('soap11'),
  soapBinding('soap12'),
  {
    name: 'get',
    call: async (url, operation, params) =>
      understand(
        await exchange(`${url}/WS01.asmx/${operation}?${formOf(params)}`),
        '(?:string|boolean)',
      ),
  },
  {
    name: 'post',
    call: async (url, operation, params) =>
      understand(
        await postTo(
          `${url}/WS01.asmx/${operation}`,
          String(formOf(params)),
          'application/x-www-form-urlencoded',
        ),
        '(?:string|boolean)',
      ),
  },
];

/** The fifth, beside the contract's four. */
export const JSON_BINDING: TestBinding = {
  name: 'json',
  async call(url, operation, params) {
    const answer = await postTo(
      `${url}/WS01.asmx/${operation}`,
      JSON.stringify(params),
      'application/json',
    );
    const { d, code, detail } = JSON.parse(answer.body);
    return { ...answer, result: d === undefined ? undefined : String(d), code, message: detail };
  },
};

function understand(answer: HttpAnswer, element: string): CallAnswer {
  const part = (name: string): string | undefined => {
    const found = new RegExp(`<(${name})(?: [^>]*)?(?:/>|>([^<]*)</\\1>)`).exec(answer.body);
    return found === null ? undefined : unescapeXml(found[2] ?? '');
  };
  return answer.status === 200
    ? { ...answer, result: part(element), code: undefined, message: undefined }
    : { ...answer, result: undefined, code: part('code'), message: part('message') };
}
