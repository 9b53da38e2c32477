import type { CompiledOperation } from '../../compiled.ts';
import type { Exchange } from '../../exchange.ts';

/** Collects the values of a form by parameter position; a repeated scalar is joined with commas, as ASP.NET does. */
export class FormValues {
  #operation: CompiledOperation;
  #charset: string | undefined;
  #chunks: Uint8Array[] = [];

  constructor(_exchange: Exchange, operation: CompiledOperation, charset?: string) {
    this.#operation = operation;
    this.#charset = charset;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  async finish(): Promise<readonly unknown[]> {
    const values: (string | undefined)[] = new Array(this.#operation.operation.parameters.length).fill(undefined);
    const decoder = new TextDecoder(this.#charset ?? 'utf-8');
    for (const pair of Buffer.concat(this.#chunks).toString('latin1').split('&')) {
      const equals = pair.indexOf('=');
      if (equals < 0) continue;
      const decode = (text: string) =>
        decoder.decode(
          Buffer.from(
            text
              .replaceAll('+', ' ')
              .replace(/%([0-9a-fA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
            'latin1',
          ),
        );
      const index = this.#operation.indexByLowerName.get(decode(pair.slice(0, equals)).toLowerCase());
      if (index === undefined) continue;
      const value = decode(pair.slice(equals + 1));
      values[index] = values[index] === undefined ? value : `${values[index]},${value}`;
    }
    return values;
  }
}
