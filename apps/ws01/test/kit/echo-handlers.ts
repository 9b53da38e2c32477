import { formatInstant } from '@ws01/asmx/lexical';
import { type OperationHandlers, WS01 } from '../../src/contract/service.ts';

/** Results that a first parameter asks for; the recorded service had them too. */
const ASKED_FOR: Readonly<Record<string, string>> = {
  __xml: `<a b="c">&amp; ]]> 'q' \u00e9 \u4e2d \u{1f600}</a>`,
  __ws: ' lead\r\nsecond\tthird\n trail ',
  __ctl: 'x\u0001y',
  __empty: '',
};

/**
 * The contract with handlers that answer what they were given, as JSON: what the wire understood.
 * @param understood takes what a boolean operation was given, whose answer cannot show it.
 */
export function echoHandlers(
  understood: (call: string) => void = () => undefined,
): OperationHandlers<unknown> {
  const handlers = WS01.operations.map((operation) => [
    operation.name,
    (params: Record<string, unknown>) => {
      const shown: Record<string, unknown> = { op: operation.name };
      for (const { name, type } of operation.parameters)
        shown[name] = show(String(type), params[name]);
      const first = String(params[operation.parameters[0]!.name]);
      if (first === '__throw') throw new Error('Boom <tag> & "quote"');
      if (operation.result !== 'boolean') return ASKED_FOR[first] ?? asciiJson(shown);
      understood(asciiJson(shown));
      return true;
    },
  ]);
  return Object.fromEntries(handlers) as OperationHandlers<unknown>;
}

/** As the recorded server wrote it: everything outside ASCII escaped. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('\\n', '\\u000a')
    .replaceAll('\\r', '\\u000d')
    .replaceAll('\\t', '\\u0009')
    .replace(
      /[\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}

function show(type: string, value: unknown): unknown {
  if (value === undefined) return null;
  if (value instanceof Uint8Array)
    return { length: value.length, base64: Buffer.from(value).toString('base64') };
  return type === 'dateTime' ? showInstant(value as number) : value;
}

/** How the echo shows a date: as the recorded server, with milliseconds only when there are any. */
export function showInstant(instant: number): string {
  return formatInstant(instant).replace('.000Z', 'Z');
}
