import type { CompiledOperation, OperationResult } from '../../contract/compiled.ts';
import type { Call } from '../../engine/call.ts';
import type { Exchange } from '../../engine/exchange.ts';
import { refusalHeaders, resultText } from '../../engine/result.ts';
import type { WireResponse } from '../../message/http.ts';
import { escapeAttribute, escapeText } from '../../xml/writer.ts';
import { perVersion, SOAP11, type SoapVersion } from './version.ts';

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const XSD = 'http://www.w3.org/2001/XMLSchema';

/** The answer of an operation that did its work, in the version of the request (wire 4.1; contract 1, rule 3). */
export function writeResult(exchange: Exchange, call: Call, result: OperationResult): WireResponse {
  const version = call.version ?? SOAP11;
  const template = templateOf(exchange, call.operation)(version);
  const text = resultText(result);
  const headers = okHeaders(version);
  return {
    status: 200,
    headers: typeof result === 'object' ? { ...headers, ...refusalHeaders(exchange, result) } : headers,
    body: text === '' ? template.empty : template.before + escapeText(text) + template.after,
  };
}

/** What stands around a Body's content; ASP.NET's prefixes and their order. */
export function envelopeAround(version: SoapVersion, header = ''): { readonly before: string; readonly after: string } {
  return {
    before: `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${version.envelope}" xmlns:xsi="${XSI}" xmlns:xsd="${XSD}">${header}<soap:Body>`,
    after: '</soap:Body></soap:Envelope>',
  };
}

const okHeaders = perVersion(({ contentType }) => ({
  'Content-Type': contentType,
  'Cache-Control': 'private, max-age=0',
}));

interface ResultTemplate {
  readonly before: string;
  readonly after: string;
  readonly empty: string;
}

const templates = new WeakMap<CompiledOperation, (version: SoapVersion) => ResultTemplate>();

/** Everything of an answer but the result itself, made once for each operation. */
function templateOf({ service }: Exchange, compiled: CompiledOperation): (version: SoapVersion) => ResultTemplate {
  let template = templates.get(compiled);
  if (template === undefined) {
    const { name } = compiled;
    const response = `<${name}Response xmlns="${escapeAttribute(service.namespace)}">`;
    template = perVersion((version) => {
      const { before, after } = envelopeAround(version);
      return {
        before: `${before}${response}<${name}Result>`,
        after: `</${name}Result></${name}Response>${after}`,
        empty: `${before}${response}<${name}Result /></${name}Response>${after}`,
      };
    });
    templates.set(compiled, template);
  }
  return template;
}
