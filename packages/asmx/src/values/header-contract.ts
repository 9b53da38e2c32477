import type { Header } from '../contract/service.ts';
import type { NamedType } from '../contract/types.ts';
import { PlanCompiler } from './compile-plan.ts';
import type { HeaderPlan } from './message-plan.ts';

/**
 * A SOAP header that a whole service reads, whatever its operations say, and does not show in its
 * WSDL.
 */
export interface HeaderContract {
  readonly namespace: string;
  readonly header: Header;
  readonly types?: Readonly<Record<string, NamedType>>;
}

/** @throws {TypeError} with the path of what cannot be read. */
export function compileHeader({ namespace, header, types }: HeaderContract): HeaderPlan {
  const service = { name: header.name, operations: [], ...(types === undefined ? {} : { types }) };
  const plans = new PlanCompiler(service, namespace, false);
  plans.compileAll();
  return {
    ...plans.element(header, { namespace, path: `understands.${header.name}` }),
    required: false,
    encoded: false,
  };
}
