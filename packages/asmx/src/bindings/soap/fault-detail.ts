import type { ServiceError } from '../../contract/errors.ts';
import type { PartialCall } from '../../exchange/call.ts';
import { XmlValueWriter } from '../../values/write-xml.ts';

/**
 * Writes the typed detail of an error, if the operation's contract has one for its code. It stands alone, because WCF
 * clients take a fault with more in its detail for an untyped one. A detail that breaks the contract is left out with a
 * warning, so that the error itself is answered.
 * @returns `''` for none.
 */
export function faultDetail({ operation }: PartialCall, { code, detail }: ServiceError): string {
  const plan = operation?.message?.faults.get(code);
  if (plan === undefined || detail === undefined) return '';
  const writer = new XmlValueWriter(false);
  try {
    writer.element(plan, detail, '', `detail of ${code}`);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : new Error(String(error)));
    return '';
  }
  return String(writer.end());
}
