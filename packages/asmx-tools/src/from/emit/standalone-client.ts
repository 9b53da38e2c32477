import { comment, quote } from '@ws01/asmx/internal/describe/source-text';
import { importsOf, typescriptOf } from '@ws01/asmx/internal/describe/typescript';
import type { ReadContract } from '../wsdl/read-wsdl.ts';
import { engineService } from './engine-service.ts';
import { literal } from './literal.ts';
import { constantOf } from './project-parts.ts';

/** One file with the types of a contract and a client that has them; it imports the entry `./client` alone. */
export function standaloneClient({ service: old, file }: ReadContract): string {
  const { bindings: _, ...service } = engineService(old);
  const types = typescriptOf(service);
  const name = constantOf({ service });
  const imports = [
    'type ClientOptions',
    'createClient',
    'typedService',
    ...importsOf(service, types).map((each) => `type ${each}`),
  ];
  const address =
    old.ports.find(({ kind }) => kind === 'soap11' || kind === 'soap12')?.location ??
    old.ports[0]?.location;
  const url = address === undefined || !URL.canParse(address) ? undefined : address;
  return `import { ${imports.join(', ')} } from '@ws01/asmx-tools/client';

${types}
/** The contract, read from ${comment(/^https?:/i.test(file) ? file : (file.split(/[\\\\/]/).at(-1) ?? ''))}. */
const contract = typedService<Operations>(${literal(service)});

/** Calls ${comment(service.name)} by JSON, which its server must have switched on. */
export function create${name}Client(options: ${url === undefined ? 'ClientOptions' : 'Partial<ClientOptions> = {}'}) {
  return createClient(contract, ${url === undefined ? 'options' : `{ url: ${quote(url)}, ...options }`});
}
`;
}
