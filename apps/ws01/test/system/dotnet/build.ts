import { execFile } from 'node:child_process';
import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readWsdl } from '@ws01/asmx-tools';

const SOURCES = new URL('./', import.meta.url);

/** The environment of the SDK, which tells Microsoft nothing. */
export const QUIET = { ...process.env, DOTNET_CLI_TELEMETRY_OPTOUT: '1', DOTNET_NOLOGO: '1' };

/**
 * Builds the programs in an empty folder, with the interface that a WSDL describes.
 * @param wsdl its URL or its file.
 * @returns what `dotnet` runs.
 * @throws {Error} that says so where NuGet is not reached.
 */
export async function buildLane(folder: string, wsdl: string): Promise<string> {
  for (const name of await readdir(SOURCES))
    if (/\.cs(proj)?$/.test(name)) await copyFile(new URL(name, SOURCES), join(folder, name));
  await writeFile(join(folder, 'IWs01.cs'), await interfaceOf(wsdl));
  const out = join(folder, 'out');
  const args = ['build', '-c', 'Release', '-o', out, '--nologo', '-v', 'quiet'];
  const built = promisify(execFile)('dotnet', args, { cwd: folder, env: QUIET });
  await built.catch(({ stdout }) => {
    const missing = /NU1\d{3}|NU3\d{3}/.test(stdout) ? 'the registry of NuGet is missing: ' : '';
    throw new Error(`${missing}${stdout}`);
  });
  return join(out, 'Lane.dll');
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  int: 'int',
  boolean: 'bool',
  dateTime: 'DateTime',
  base64Binary: 'byte[]',
};

/**
 * The interface that a WCF client is made of, from a WSDL; NuGet has no generator.
 * @throws {Error} for a type that it has no C# of.
 */
async function interfaceOf(wsdl: string): Promise<string> {
  const { service } = await readWsdl(wsdl);
  const typeOf = (part: { readonly type: unknown } | undefined) => {
    const found = TYPES[String(part?.type)];
    if (found === undefined) throw new Error(`no C# type for ${JSON.stringify(part)}`);
    return found;
  };
  const methods = service.operations.map(({ name, parameters, result }) => {
    const all = parameters.map((one) => `${typeOf(one)} @${one.name}`);
    const action = `Action = "${service.namespace}/${name}", ReplyAction = "*"`;
    return `  [OperationContract(${action})] ${typeOf(result)} ${name}(${all.join(', ')});`;
  });
  return `using System.ServiceModel;
[ServiceContract(Namespace = "${service.namespace}"), XmlSerializerFormat]
public interface IWs01 {
${methods.join('\n')}
}
`;
}
