import { readWsdl } from '@ws01/asmx-tools';

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
export async function interfaceOf(wsdl: string): Promise<string> {
  const { service } = await readWsdl(wsdl);
  const typeOf = (part: { readonly type: unknown } | undefined) => {
    const found = TYPES[String(part?.type)];
    if (found === undefined) throw new Error(`no C# type for ${JSON.stringify(part)}`);
    return found;
  };
  const methods = service.operations.map(({ name, parameters, result }) => {
    const all = parameters.map((one) => `${typeOf(one)} @${one.name}`);
    const action = `${service.namespace}/${name}`;
    return `  [OperationContract(Action = "${action}", ReplyAction = "*")] ${typeOf(result)} ${name}(${all.join(', ')});`;
  });
  return `using System.ServiceModel;
[ServiceContract(Namespace = "${service.namespace}"), XmlSerializerFormat]
public interface IWs01 {
${methods.join('\n')}
}
`;
}
