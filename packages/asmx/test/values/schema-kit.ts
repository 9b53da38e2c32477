import {
  XmlBufferInputProvider,
  XmlDocument,
  XsdValidator,
  xmlRegisterInputProvider,
} from 'libxml2-wasm';

const XSD = 'http://www.w3.org/2001/XMLSchema';

/** The schemas of the WSDL that is looked at, by the places that imports name. */
const schemas = new XmlBufferInputProvider({});
let isRegistered = false;

/** Checks elements against the schemas of a WSDL. @returns what is wrong with one. @throws where a schema is wrong. */
export function answerValidator(wsdl: string): (body: string) => readonly string[] {
  if (!isRegistered) isRegistered = xmlRegisterInputProvider(schemas);
  const declared = /<wsdl:definitions ([^>]*?) targetNamespace=/.exec(wsdl)?.[1] ?? '';
  const texts = (wsdl.match(/<s:schema .*?<\/s:schema>/gs) ?? []).map((text) => {
    const [, namespace = ''] = /targetNamespace="([^"]*)"/.exec(text) ?? [];
    return { namespace, text: text.replace('<s:schema ', `<s:schema ${declared} `) };
  });
  const placeOf = (namespace: string) =>
    `mem://${texts.findIndex((each) => each.namespace === namespace)}.xsd`;
  const isHere = (namespace: string) => texts.some((each) => each.namespace === namespace);
  for (const { namespace, text } of texts) {
    const whole = text
      // Other documents, and XML Schema's own schema, cannot be fetched here.
      .replace(/<s:import namespace="([^"]*)"[^>]*>/g, (_, of: string) =>
        isHere(of) ? `<s:import namespace="${of}" schemaLocation="${placeOf(of)}" />` : '',
      )
      .replaceAll('<s:element ref="s:schema" />', '<s:any processContents="skip" />')
      .replaceAll('<s:any />', '<s:any processContents="skip" />');
    schemas.addBuffer(placeOf(namespace), Buffer.from(whole));
  }
  const imports = texts.map(
    ({ namespace }) =>
      `<s:import namespace="${namespace}" schemaLocation="${placeOf(namespace)}"/>`,
  );
  const root = `<s:schema xmlns:s="${XSD}">${imports.join('')}</s:schema>`;
  const validator = XsdValidator.fromDoc(XmlDocument.fromString(root));
  for (const { namespace } of texts) schemas.removeBuffer(placeOf(namespace));
  return (body) => {
    const named = body.replace(
      /^<[\w:]+/,
      `$& xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="${XSD}"`,
    );
    const document = XmlDocument.fromString(named);
    try {
      validator.validate(document);
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    } finally {
      document.dispose();
    }
  };
}
