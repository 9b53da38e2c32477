import type { ScalarType } from '../contract/types.ts';
import type { DataRow, DataSet } from '../contract/values.ts';
import { LexicalError } from '../lexical/lexical-error.ts';
import { DATE_TIMES, SCALARS } from '../lexical/scalars.ts';
import { XSD } from '../xml/namespace-names.ts';
import { escapeAttribute, escapeText, XmlWriteError } from '../xml/writer.ts';
import { ResultError, typeOf } from './result-error.ts';

const MSDATA = 'urn:schemas-microsoft-com:xml-msdata';
const DIFFGRAM = 'urn:schemas-microsoft-com:xml-diffgram-v1';

/**
 * The content of an element that holds a DataSet, or a DataTable: the schema of its tables, then their rows as a diffgram,
 * as .NET writes both.
 * @throws {ResultError}
 */
export function dataSetXml(value: unknown, isTable: boolean, path: string): string {
  const data = checked(value, path);
  // A table without rows is one of those that have columns. What Mono's WSDL calls a table may be a whole set.
  const filled = Object.keys(data.tables);
  const names = new Set(
    isTable && filled.length > 0 ? filled : [...Object.keys(data.columns ?? {}), ...filled],
  );
  const tables = [...names].map((table) => [table, data.tables[table] ?? []] as const);
  if (isTable && tables.length !== 1)
    throw new ResultError(path, 'a DataTable must have one table.');
  const name = data.name ?? 'NewDataSet';
  const columns = new Map(
    tables.map(([table, rows]) => [
      table,
      columnsOf(rows, data.columns?.[table], `${path}.tables.${table}`),
    ]),
  );
  // A table that is in no set stands under a name that .NET gives it.
  const root = isTable ? 'DocumentElement' : encodeName(name);
  return schemaXml(name, columns, isTable) + diffgramXml(root, tables, columns, path);
}

function checked(value: unknown, path: string): DataSet {
  const tables =
    typeof value === 'object' && value !== null ? (value as Partial<DataSet>).tables : undefined;
  if (
    typeof tables !== 'object' ||
    tables === null ||
    !Object.values(tables).every(Array.isArray)
  ) {
    throw new ResultError(path, 'a DataSet must be { tables: { name: rows } }.');
  }
  return value as DataSet;
}

/** The types of a table's columns, in the order in which they are found. */
function columnsOf(
  rows: readonly DataRow[],
  said: Readonly<Record<string, ScalarType>> = {},
  path: string,
): ReadonlyMap<string, ScalarType> {
  const columns = new Map<string, ScalarType>(Object.entries(said));
  for (const row of rows) {
    for (const [column, value] of Object.entries(row)) {
      if (value === null || value === undefined || said[column] !== undefined) continue;
      const type = typeOf(value) as ScalarType | undefined;
      if (type === undefined)
        throw new ResultError(`${path}.${column}`, 'the value has no type on the wire.');
      const known = columns.get(column);
      if (known === undefined) columns.set(column, type);
      else if (known !== type) {
        const numbers =
          (known === 'int' || known === 'double') && (type === 'int' || type === 'double');
        if (!numbers)
          throw new ResultError(
            `${path}.${column}`,
            `the column has values of the types ${known} and ${type}.`,
          );
        columns.set(column, 'double');
      }
    }
  }
  return columns;
}

function schemaXml(
  name: string,
  tables: ReadonlyMap<string, ReadonlyMap<string, ScalarType>>,
  isTable: boolean,
): string {
  const [main] = tables.keys();
  const declared = [...tables].map(([table, columns]) => {
    const elements = [...columns].map(
      ([column, type]) =>
        `<xs:element name="${encodeName(column)}" type="xs:${schemaType(type)}" minOccurs="0" />`,
    );
    return `<xs:element name="${encodeName(table)}"><xs:complexType><xs:sequence>${elements.join('')}</xs:sequence></xs:complexType></xs:element>`;
  });
  const mainTable = isTable ? ` msdata:MainDataTable="${escapeAttribute(encodeName(main!))}"` : '';
  return (
    `<xs:schema id="${encodeName(name)}" xmlns="" xmlns:xs="${XSD}" xmlns:msdata="${MSDATA}">` +
    `<xs:element name="${encodeName(name)}" msdata:IsDataSet="true"${mainTable} msdata:UseCurrentLocale="true">` +
    `<xs:complexType><xs:choice minOccurs="0" maxOccurs="unbounded">${declared.join('')}</xs:choice></xs:complexType>` +
    '</xs:element></xs:schema>'
  );
}

const schemaType = (type: ScalarType): string =>
  type === 'guid' || type === 'char' ? 'string' : type;

function diffgramXml(
  root: string,
  tables: readonly (readonly [string, readonly DataRow[]])[],
  columns: ReadonlyMap<string, ReadonlyMap<string, ScalarType>>,
  path: string,
): string {
  const rows = tables.flatMap(([table, list]) =>
    list.map((row, at) => {
      const name = encodeName(table);
      const cells = [...columns.get(table)!].map(([column, type]) =>
        cellXml(column, type, row[column], `${path}.tables.${table}[${at}].${column}`),
      );
      return `<${name} diffgr:id="${name}${at + 1}" msdata:rowOrder="${at}">${cells.join('')}</${name}>`;
    }),
  );
  const content = rows.length === 0 ? '' : `<${root} xmlns="">${rows.join('')}</${root}>`;
  return `<diffgr:diffgram xmlns:msdata="${MSDATA}" xmlns:diffgr="${DIFFGRAM}">${content}</diffgr:diffgram>`;
}

function cellXml(column: string, type: ScalarType, value: unknown, path: string): string {
  if (value === null || value === undefined) return '';
  const form = type === 'dateTime' ? DATE_TIMES.date : SCALARS[type];
  const name = encodeName(column);
  try {
    return `<${name}>${escapeText(form.format(value))}</${name}>`;
  } catch (error) {
    if (error instanceof LexicalError) throw new ResultError(path, error.reason);
    if (error instanceof XmlWriteError) throw new ResultError(path, error.message);
    throw error;
  }
}

/** What no XML name may have, as .NET writes it: `Unit Price` is `Unit_x0020_Price`. */
function encodeName(name: string): string {
  return name
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[^\p{L}\p{N}_.-]|^[^\p{L}_]/gu,
      (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    );
}
