import { it } from 'node:test';
import strongSoap from 'strong-soap';
import { startService } from '../kit/service.ts';
import { refused } from './fault.ts';
import { type ClientCall, tellStory } from './story.ts';

/** A client of the npm package `strong-soap`, made from the service's WSDL. */
function connect(url: string, version: '1.1' | '1.2'): Promise<ClientCall> {
  return new Promise((resolve, reject) => {
    strongSoap.soap.createClient(
      `${url}/WS01.asmx?WSDL`,
      { forceSoapVersion: version },
      (error, client) => {
        if (error) {
          reject(error);
          return;
        }
        resolve(
          (operation, params) =>
            new Promise((answered, refuse) => {
              client[operation]!(params, (failure, result) => {
                if (failure) refuse(refused(failure));
                else answered(result![`${operation}Result`]);
              });
            }),
        );
      },
    );
  });
}

for (const version of ['1.1', '1.2'] as const) {
  it(`strong-soap, SOAP ${version}`, async (test) => {
    const { url, database } = await startService(test);
    await tellStory(await connect(url, version), await database.open());
  });
}
