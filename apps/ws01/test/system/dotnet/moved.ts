import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import { createEndpoint, nodeListener, ServiceError } from '@ws01/asmx';
import { readWsdl } from '@ws01/asmx-tools';
import { originOf } from '../../../../../packages/asmx/test/kit/listen.ts';
import { engineService } from '../../../../../packages/asmx-tools/src/from/emit/engine-service.ts';

/** Calls of Moved.cs that are answered otherwise, and why. Whatever is no longer so fails, too. */
export const MOVED_KNOWN: readonly { readonly on: RegExp; readonly why: string }[] = [
  { on: /^Text [24]$/, why: 'SoapCore writes blanks alone and CR so that XML readers drop them' },
];

/** What does not give back its first parameter. */
// biome-ignore lint/suspicious/noExplicitAny: the contract was read at run time
const OTHERS: Readonly<Record<string, (input: any) => unknown>> = {
  Find: ({ key, count }: { key: string; count: number }) => ({
    value: true,
    out: { count: count + 1, found: key },
  }),
  Nothing: () => undefined,
  Fail({ how }: { how: string }) {
    throw new ServiceError('NotImplemented', how);
  },
};

/** The engine in place of a service, from its WSDL; operations give back what they get. @returns its URL. */
export async function serveMoved(test: TestContext, wsdl: string): Promise<string> {
  const { service } = await readWsdl(wsdl);
  const contract = engineService(service);
  const handlers = contract.operations.map(({ name, parameters: [first] }) => [
    name,
    OTHERS[name] ??
      ((input: Record<string, unknown>) => first && input[first.property ?? first.name]),
  ]);
  let url = '';
  const listener = nodeListener(
    createEndpoint(contract, {
      path: '/Moved.asmx',
      baseUrl: () => url,
      handlers: Object.fromEntries(handlers),
    }),
  );
  const server = createServer((req, res) => void listener(req, res));
  const origin = await originOf(test, server);
  url = origin;
  return `${url}/Moved.asmx`;
}
