import { comment, quote } from '@ws01/asmx/internal/describe/source-text';
import { importsOf, typescriptOf } from '@ws01/asmx/internal/describe/typescript';
import { soapAddress } from '../soap-of-wsdl.ts';
import type { ReadContract } from '../wsdl/read-wsdl.ts';
import { engineService } from './engine-service.ts';
import { literal } from './literal.ts';
import { constantOf } from './project-parts.ts';

/** By protocol: the entry that a client imports, the function that makes it, and the words of its comment. */
const KINDS = {
  soap: {
    entry: 'soap',
    options: 'SoapClientOptions',
    create: 'createSoapClient',
    calls: 'by SOAP',
  },
  json: {
    entry: 'client',
    options: 'ClientOptions',
    create: 'createClient',
    calls: 'by JSON, which its server must have switched on',
  },
} as const;

/** One file with the types of a contract and a client that has them; it imports one entry of this package alone. */
export function standaloneClient(
  { service: old, file }: ReadContract,
  over: keyof typeof KINDS,
): string {
  const { entry, options, create, calls } = KINDS[over];
  const { bindings, ...rest } = engineService(old);
  // JSON is no binding of a WSDL: a client of it does not ask.
  const service = over === 'json' || bindings === undefined ? rest : { ...rest, bindings };
  const types = typescriptOf(service);
  const name = constantOf({ service });
  const imports = [
    `type ${options}`,
    create,
    'typedService',
    ...importsOf(service, types).map((each) => `type ${each}`),
  ];
  const other = old.ports[0]?.location;
  const url = soapAddress(old) ?? (other !== undefined && URL.canParse(other) ? other : undefined);
  return `import { ${imports.join(', ')} } from '@ws01/asmx-tools/${entry}';

${types}
/** The contract, read from ${comment(/^https?:/i.test(file) ? file : (file.split(/[\\\\/]/).at(-1) ?? ''))}. */
const contract = typedService<Operations>(${literal(service)});

/** Calls ${comment(service.name)} ${calls}. */
export function create${name}Client(options: ${url === undefined ? options : `Partial<${options}> = {}`}) {
  return ${create}(contract, ${url === undefined ? 'options' : `{ url: ${quote(url)}, ...options }`});
}
`;
}
