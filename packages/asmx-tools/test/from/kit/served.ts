import assert from 'node:assert/strict';
import { createEndpoint } from '../../../../asmx/src/index.ts';
import { serve } from '../../../../asmx/test/values/kit.ts';
import { engineService } from '../../../src/from/emit/engine-service.ts';
import {
  compare,
  type ReadContract,
  readWsdlText,
  servedContract,
} from '../../../src/from/index.ts';

/** What a handler got, and what it answers. */
type Handler = (
  input: Readonly<Record<string, unknown>>,
  call: { readonly headers: object; readonly reply: { readonly headers: object } },
) => unknown;

/**
 * Serves what a WSDL says, without the files of a project.
 * @returns the URL of its endpoint.
 */
export async function served(
  test: { after(close: () => unknown): void },
  wsdl: string,
  handlers: Readonly<Record<string, Handler>>,
): Promise<string> {
  const { service } = await readWsdlText(wsdl, 'old.wsdl');
  const endpoint = createEndpoint(engineService(service), {
    path: '/Old.asmx',
    handlers: handlers as never,
  });
  return `${await serve(test, endpoint)}/Old.asmx`;
}

/** Checks that the WSDL of the engine in place of a service says the same. @returns what it says. */
export async function servedAlike(
  service: ReadContract['service'],
): Promise<ReadContract['service']> {
  const address = { namespace: service.namespace, baseUrl: 'http://a', path: '/a' } as const;
  const ours = await servedContract(engineService(service), address);
  assert.deepEqual(compare(service, ours.service).differences, []);
  return ours.service;
}
