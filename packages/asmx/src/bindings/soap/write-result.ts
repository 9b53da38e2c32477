import type { CompiledOperation, OperationResult } from '../../contract/compiled.ts';
import type { Call } from '../../engine/call.ts';
import type { Exchange } from '../../engine/exchange.ts';
import type { Reply } from '../../engine/reply.ts';
import { refusalHeaders, resultText } from '../../engine/result.ts';
import type { WireResponse } from '../../message/http.ts';
import { escapeAttribute, escapeText } from '../../xml/writer.ts';
import { envelopeAround, soapHeader } from './envelope-text.ts';
import { perVersion, SOAP11, type SoapVersion } from './version.ts';
import { answerAddressing, writeMessage } from './write-message.ts';

/** Writes the result of an operation in the version of the request (wire 4.1; contract 1, rule 3). */
export function writeResult(exchange: Exchange, call: Call, result: OperationResult, reply?: Reply): WireResponse {
  const { message } = call.operation;
  if (message !== undefined) return writeMessage(exchange, call, message, result, reply);
  const version = call.version ?? SOAP11;
  if (call.addressed !== undefined) return addressedResult(exchange, call, version, result);
  const template = templateOf(exchange, call.operation)(version);
  const text = resultText(result);
  const headers = okHeaders(version);
  return {
    status: 200,
    headers: typeof result === 'object' ? { ...headers, ...refusalHeaders(result) } : headers,
    body: text === '' ? template.empty : template.before + escapeText(text) + template.after,
  };
}

function addressedResult(exchange: Exchange, call: Call, version: SoapVersion, result: OperationResult): WireResponse {
  const plain = writeResult(exchange, { ...call, addressed: undefined }, result);
  const { before } = envelopeAround(version);
  const { before: withHeader } = envelopeAround(version, soapHeader(answerAddressing(exchange, call)));
  return { ...plain, body: withHeader + String(plain.body).slice(before.length) };
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

/** The text around the result in an answer, built once for each operation. */
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
