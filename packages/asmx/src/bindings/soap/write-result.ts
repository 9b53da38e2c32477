import type { CompiledOperation, OperationResult } from '../../contract/compiled.ts';
import type { Exchange } from '../../engine/exchange.ts';
import { refusalHeaders, resultText } from '../../engine/result.ts';
import type { WireResponse } from '../../message/http.ts';
import { escapeAttribute, escapeText } from '../../xml/writer.ts';
import { contentTypeOf, SOAP11, SOAP12, type SoapVersion } from './version.ts';

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const XSD = 'http://www.w3.org/2001/XMLSchema';

/** What stands around a Body's content; ASP.NET's prefixes and their order. */
export function envelopeAround(version: SoapVersion, header = ''): { readonly before: string; readonly after: string } {
  return {
    before: `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${version.envelope}" xmlns:xsi="${XSI}" xmlns:xsd="${XSD}">${header}<soap:Body>`,
    after: '</soap:Body></soap:Envelope>',
  };
}

/** The version of the request's envelope, which is the answer's (wire 1, behaviour 4). */
export function versionOf(exchange: Exchange): SoapVersion {
  return exchange.protocol === 'soap12' ? SOAP12 : SOAP11;
}

interface EnvelopeText {
  readonly before: string;
  readonly after: string;
  readonly empty: string;
}

const frames = new WeakMap<CompiledOperation, { soap11: EnvelopeText; soap12: EnvelopeText }>();

/** Everything of an answer but the result itself, made once for each operation. */
function frameOf(exchange: Exchange, compiled: CompiledOperation): EnvelopeText {
  let both = frames.get(compiled);
  if (both === undefined) {
    const make = (version: SoapVersion): EnvelopeText => {
      const { before, after } = envelopeAround(version);
      const { name } = compiled;
      const response = `<${name}Response xmlns="${escapeAttribute(exchange.service.namespace)}">`;
      return {
        before: `${before}${response}<${name}Result>`,
        after: `</${name}Result></${name}Response>${after}`,
        empty: `${before}${response}<${name}Result /></${name}Response>${after}`,
      };
    };
    both = { soap11: make(SOAP11), soap12: make(SOAP12) };
    frames.set(compiled, both);
  }
  return both[versionOf(exchange).name];
}

const OK_HEADERS = {
  soap11: { 'Content-Type': contentTypeOf(SOAP11), 'Cache-Control': 'private, max-age=0' },
  soap12: { 'Content-Type': contentTypeOf(SOAP12), 'Cache-Control': 'private, max-age=0' },
};

/** The answer of an operation that did its work (wire 4.1; contract 1, rule 3). */
export function writeResult(exchange: Exchange, operation: CompiledOperation, result: OperationResult): WireResponse {
  const frame = frameOf(exchange, operation);
  const text = resultText(result);
  const headers = OK_HEADERS[versionOf(exchange).name];
  return {
    status: 200,
    headers: typeof result === 'object' ? { ...headers, ...refusalHeaders(exchange, result) } : headers,
    body: text === '' ? frame.empty : frame.before + escapeText(text) + frame.after,
  };
}
