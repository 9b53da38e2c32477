import type { ScalarType } from '../../contract/types.ts';
import { XSD } from '../../xml/namespace-names.ts';
import { escapeAttribute } from '../../xml/writer.ts';

/** An element of a namespace. */
const sampleOf = (namespace: string) =>
  `<sample xmlns="${escapeAttribute(namespace)}">text</sample>`;

const ANY = sampleOf('urn:sample');

/**
 * What stands where any element of some namespaces may (XML Schema part 1, 3.10).
 * @param target the namespace of the schema.
 */
export function anyOf(namespaces = '##any', target: string): string {
  const [first = ''] = namespaces.trim().split(/\s+/);
  if (first === '##any' || first === '##other') return ANY;
  const named: Readonly<Record<string, string>> = { '##local': '', '##targetNamespace': target };
  return sampleOf(named[first] ?? first);
}

/** What stands for scalars that are XML. */
export const MARKUP: { readonly [T in ScalarType]?: string } = {
  xml: ANY,
  DataSet: sampleRows('NewDataSet', ''),
  DataTable: sampleRows('DocumentElement', ' msdata:MainDataTable="Table"'),
};

/**
 * A table with a row, as .NET writes it: its schema, then what it holds.
 * @param inside the element around the rows.
 */
function sampleRows(inside: string, facts: string): string {
  const msdata = 'xmlns:msdata="urn:schemas-microsoft-com:xml-msdata"';
  const column = '<xs:element name="Name" type="xs:string" minOccurs="0" />';
  const row = `<xs:complexType><xs:sequence>${column}</xs:sequence></xs:complexType>`;
  const table = `<xs:element name="Table">${row}</xs:element>`;
  const tables = `<xs:choice minOccurs="0" maxOccurs="unbounded">${table}</xs:choice>`;
  const root = `name="NewDataSet" msdata:IsDataSet="true"${facts}`;
  const set = `<xs:element ${root}><xs:complexType>${tables}</xs:complexType></xs:element>`;
  const content = `<Table diffgr:id="Table1" msdata:rowOrder="0"><Name>text</Name></Table>`;
  return (
    `<xs:schema id="NewDataSet" xmlns="" xmlns:xs="${XSD}" ${msdata}>${set}</xs:schema>` +
    `<diffgr:diffgram xmlns:diffgr="urn:schemas-microsoft-com:xml-diffgram-v1" ${msdata}>` +
    `<${inside} xmlns="">${content}</${inside}></diffgr:diffgram>`
  );
}
