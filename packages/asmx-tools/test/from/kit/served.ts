import { createEndpoint } from '../../../../asmx/src/index.ts';
import { serve } from '../../../../asmx/test/values/kit.ts';
import { engineService } from '../../../src/from/emit/engine-service.ts';
import { readWsdlText } from '../../../src/from/index.ts';

/** What a handler got, and what it answers. */
type Handler = (input: Readonly<Record<string, unknown>>) => unknown;

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
