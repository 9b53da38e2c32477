import { ECHO_NAMESPACE } from '../../../../apps/ws01/test/kit/echo.ts';
import { exchange, type HttpAnswer } from './http.ts';

/** A version of SOAP as a client knows it. */
export interface TestVersion {
  readonly name: string;
  readonly envelope: string;
  readonly contentType: string;
  /** What a client's own fault is called. */
  readonly sender: string;
  readonly receiver: string;
}

export const SOAP11: TestVersion = {
  name: 'SOAP 1.1',
  envelope: 'http://schemas.xmlsoap.org/soap/envelope/',
  contentType: 'text/xml; charset=utf-8',
  sender: 'soap:Client',
  receiver: 'soap:Server',
};

export const SOAP12: TestVersion = {
  name: 'SOAP 1.2',
  envelope: 'http://www.w3.org/2003/05/soap-envelope',
  contentType: 'application/soap+xml; charset=utf-8',
  sender: 'soap:Sender',
  receiver: 'soap:Receiver',
};

export const VERSIONS: readonly TestVersion[] = [SOAP11, SOAP12];

/** The Body around an operation with its content, in the namespace of the echo. */
export function call(operation: string, content = ''): string {
  return `<${operation} xmlns="${ECHO_NAMESPACE}">${content}</${operation}>`;
}

export function envelopeOf(version: TestVersion, body: string, header = ''): string {
  return `<soap:Envelope xmlns:soap="${version.envelope}">${header}<soap:Body>${body}</soap:Body></soap:Envelope>`;
}

/** An answer to a SOAP request, as far as it could be understood. */
export interface SoapAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Namespace of the answer's envelope. */
  readonly envelope: string | undefined;
  /** What the operation of the echo was called with, when it was. */
  readonly echo: Readonly<Record<string, unknown>> | undefined;
  readonly fault: { readonly code: string; readonly reason: string } | undefined;
  /** The typed detail's parts. */
  readonly detail: Readonly<
    Record<'code' | 'message' | 'parameter' | 'requestId', string | undefined>
  >;
}

/** Posts an envelope. @param headers beside or in place of the version's Content-Type; there is no SOAPAction of itself. */
export async function postSoap(
  url: string,
  version: TestVersion,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<SoapAnswer> {
  const answer = await exchange(`${url}/WS01.asmx`, {
    method: 'POST',
    headers: { 'Content-Type': version.contentType, ...headers },
    body,
  });
  return understand(answer);
}

/** Calls an operation of the echo. @param content of the operation's element. */
export function callSoap(
  url: string,
  version: TestVersion,
  operation: string,
  content = '',
): Promise<SoapAnswer> {
  return postSoap(url, version, envelopeOf(version, call(operation, content)));
}

function understand(answer: HttpAnswer): SoapAnswer {
  const { body } = answer;
  const part = (pattern: string): string | undefined => {
    const found = new RegExp(pattern).exec(body)?.[1];
    return found === undefined ? undefined : unescapeXml(found);
  };
  const code = part('<(?:faultcode|soap:Value)>([^<]*)<');
  const result = part('<\\w+Result>([^<]*)<');
  return {
    ...answer,
    envelope: part('<soap:Envelope xmlns:soap="([^"]*)"'),
    echo: result?.startsWith('{') ? JSON.parse(result) : undefined,
    fault:
      code === undefined
        ? undefined
        : { code, reason: part('<(?:faultstring|soap:Text)[^>]*>([^<]*)<') ?? '' },
    detail: {
      code: part('<code>([^<]*)<'),
      message: part('<message>([^<]*)<'),
      parameter: part('<parameter>([^<]*)<'),
      requestId: part('<requestId>([^<]*)<'),
    },
  };
}

/** A text as it was before it was escaped for XML. */
export function unescapeXml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#xD;', '\r')
    .replaceAll('&amp;', '&');
}
