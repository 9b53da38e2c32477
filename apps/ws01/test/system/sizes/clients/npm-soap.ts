/** npm-soap.ts URL CALLS: npm's soap. Each call prints its way, its name, ok or error, and what came. */
import { readFileSync } from 'node:fs';
import { createClientAsync } from 'soap';

const [url = '', calls = ''] = process.argv.slice(2);
for (const soap12 of [false, true]) {
  const client = await createClientAsync(`${url}?WSDL`, {
    forceSoap12Headers: soap12,
    endpoint: url,
  });
  for (const line of readFileSync(calls, 'utf8').split('\n').filter(Boolean)) {
    const [name, operation, , ...pairs] = line.split('\t');
    const values = pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), readFileSync(pair.slice(at + 1), 'utf8')];
    });
    const said = await client[`${operation}Async`](Object.fromEntries(values)).then(
      ([result]: [Record<string, unknown>]) => ['ok', result[`${operation}Result`]],
      (error: Error) => ['error', error.message],
    );
    const text = said.map((part: unknown) => String(part).replaceAll(/[\n\t]/g, ' '));
    console.log([`npm soap ${soap12 ? '1.2' : '1.1'}`, name, ...text].join('\t'));
  }
}
