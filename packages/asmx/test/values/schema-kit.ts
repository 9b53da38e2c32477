import { XmlDocument, XsdValidator } from 'libxml2-wasm';

/** Checks elements against the first schema of a WSDL. @returns what is wrong with one. */
export function answerValidator(wsdl: string): (body: string) => readonly string[] {
  const declared = /<wsdl:definitions ([^>]*?) targetNamespace=/.exec(wsdl)?.[1] ?? '';
  // XML Schema's own schema, and other namespaces, cannot be fetched here.
  const text = wsdl
    .slice(wsdl.indexOf('<s:schema '), wsdl.indexOf('</s:schema>') + '</s:schema>'.length)
    .replace('<s:schema ', `<s:schema ${declared} `)
    .replace(/<s:import [^>]*>/g, '')
    .replaceAll('s1:guid', 's:string')
    .replaceAll('<s:element ref="s:schema" />', '<s:any processContents="skip" />')
    .replaceAll('<s:any />', '<s:any processContents="skip" />');
  const validator = XsdValidator.fromDoc(XmlDocument.fromString(text));
  return (body) => {
    const named = body.replace(
      /^<\w+/,
      '$& xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"',
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
