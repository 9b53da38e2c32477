import { it } from 'node:test';
import { createClientAsync } from 'soap';
import { startService } from '../kit/service.ts';
import { refused } from './fault.ts';
import { type ClientCall, type ClientParams, tellStory } from './story.ts';

type Method = (params: ClientParams) => Promise<readonly [Record<string, unknown>, string]>;

/** A client of the npm package `soap`, made from the service's WSDL. */
async function connect(url: string, version: '1.1' | '1.2'): Promise<ClientCall> {
  const client = await createClientAsync(`${url}/WS01.asmx?WSDL`, {
    forceSoap12Headers: version === '1.2',
  });
  return async (operation, params) => {
    const method = client[`${operation}Async`] as Method;
    try {
      const [result] = await method.call(client, params);
      return result[`${operation}Result`];
    } catch (error) {
      throw refused(error);
    }
  };
}

for (const version of ['1.1', '1.2'] as const) {
  it(`npm soap, SOAP ${version}`, async (test) => {
    const { url, database } = await startService(test);
    await tellStory(await connect(url, version), await database.open());
  });
}
