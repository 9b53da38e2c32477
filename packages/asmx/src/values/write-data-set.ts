import { DEFAULT_LIMITS } from '../contract/limits.ts';
import type { ScalarType } from '../contract/types.ts';
import type { DataChange, DataRow, DataSet } from '../contract/values.ts';
import { LexicalError } from '../lexical/lexical-error.ts';
import { DATE_TIMES, SCALARS } from '../lexical/scalars.ts';
import { XSD, XSI } from '../xml/namespace-names.ts';
import { createXmlReader } from '../xml/reader.ts';
import { escapeAttribute, escapeText, XmlWriteError } from '../xml/writer.ts';
import { isTyped, typeOf } from './any-value.ts';
import { DataSetShape, DIFFGRAM, encodeName, MSDATA, ROW_MARKS } from './data-set.ts';
import { freeXml } from './free-xml.ts';
import { ResultError } from './result-error.ts';

/**
 * The content of an element that holds a DataSet, or a DataTable: the schema of its tables, then
 * their rows as a diffgram, as .NET writes both.
 * @param isTable whether one table stands alone, where the value has no schema that says it.
 * @throws {ResultError}
 */
export function dataSetXml(value: unknown, isTable: boolean, path: string): string {
  const data = checked(value, path);
  if (data.schema === undefined) {
    const { xml, schema } = madeSchema(data, isTable, path);
    return xml + new DiffgramWriter(data, schema, path).xml();
  }
  return data.schema + new DiffgramWriter(data, readSchema(data.schema, path), path).xml();
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

/** @throws {ResultError} */
function readSchema(text: string, path: string): DataSetShape {
  const schema = new DataSetShape();
  let depth = 0;
  const reader = createXmlReader(
    {
      open(element) {
        if (depth++ > 0) schema.open(element);
        return 'elements';
      },
      text: () => {},
      close() {
        if (--depth > 0) schema.close();
      },
    },
    { limits: DEFAULT_LIMITS },
  );
  try {
    reader.push(Buffer.from(`<x>${text}</x>`));
    reader.end();
  } catch (error) {
    throw new ResultError(`${path}.schema`, error instanceof Error ? error.message : String(error));
  }
  return schema;
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

/** The schema of a value that has none. */
function madeSchema(
  data: DataSet,
  isTable: boolean,
  path: string,
): { readonly xml: string; readonly schema: DataSetShape } {
  // A table without rows is one of those that have columns. What a WSDL calls a table may be a
  // whole set.
  const filled = Object.keys(data.tables);
  const names = new Set(
    isTable && filled.length > 0 ? filled : [...Object.keys(data.columns ?? {}), ...filled],
  );
  if (isTable && names.size === 0) throw new ResultError(path, 'a DataTable must have a table.');
  const name = data.name ?? 'NewDataSet';
  const schema = new DataSetShape();
  schema.name = name;
  schema.namespace = data.namespace ?? '';
  schema.isTable = isTable && names.size === 1;
  const declared = [...names].map((table) => {
    const gone = (data.changes ?? []).flatMap((each) =>
      each.table === table && each.before !== undefined ? [each.before] : [],
    );
    const rows = [...(data.tables[table] ?? []), ...gone];
    const columns = columnsOf(rows, data.columns?.[table], `${path}.tables.${table}`);
    const places = [...columns].map(
      ([column, type]) => [column, { type, place: 'element' }] as const,
    );
    schema.tables.set(table, new Map(places));
    const elements = [...columns].map(
      ([column, type]) =>
        `<xs:element name="${encodeName(column)}" type="xs:${schemaType(type)}" minOccurs="0" />`,
    );
    return `<xs:element name="${encodeName(table)}"><xs:complexType><xs:sequence>${elements.join('')}</xs:sequence></xs:complexType></xs:element>`;
  });
  const [main] = names;
  const mainTable = schema.isTable
    ? ` msdata:MainDataTable="${escapeAttribute(encodeName(main!))}"`
    : '';
  const namespace = escapeAttribute(schema.namespace);
  const qualified =
    namespace === ''
      ? ' xmlns=""'
      : ` targetNamespace="${namespace}" elementFormDefault="qualified" xmlns="${namespace}"`;
  const xml =
    `<xs:schema id="${encodeName(name)}"${qualified} xmlns:xs="${XSD}" xmlns:msdata="${MSDATA}">` +
    `<xs:element name="${encodeName(name)}" msdata:IsDataSet="true"${mainTable} msdata:UseCurrentLocale="true">` +
    `<xs:complexType><xs:choice minOccurs="0" maxOccurs="unbounded">${declared.join('')}</xs:choice></xs:complexType>` +
    '</xs:element></xs:schema>';
  return { xml, schema };
}

const schemaType = (type: ScalarType): string =>
  type === 'guid' || type === 'char' ? 'string' : type;

/** How a row is marked in the diffgram. */
interface Marks {
  readonly id: string;
  readonly order: number;
}

class DiffgramWriter {
  readonly #data: DataSet;
  readonly #schema: DataSetShape;
  readonly #path: string;
  readonly #changes: readonly DataChange[];
  readonly #byRow = new Map<DataRow, DataChange>();
  readonly #children = new Map<DataRow, { readonly table: string; readonly row: DataRow }[]>();
  readonly #marks = new Map<DataRow, Marks>();
  readonly #ids = new Set<string>();

  constructor(data: DataSet, schema: DataSetShape, path: string) {
    this.#data = data;
    this.#schema = schema;
    this.#path = path;
    this.#changes = data.changes ?? [];
    for (const [index, change] of this.#changes.entries()) {
      if (change.row === undefined) continue;
      const row = data.tables[change.table]?.[change.row];
      if (row === undefined)
        throw new ResultError(`${path}.changes[${index}]`, 'it names a row that is not there.');
      this.#byRow.set(row, change);
    }
    for (const { table, row } of this.#current()) {
      const parent = ROW_MARKS.get(row)?.parent;
      if (parent === undefined) continue;
      const known = this.#children.get(parent);
      if (known === undefined) this.#children.set(parent, [{ table, row }]);
      else known.push({ table, row });
    }
  }

  xml(): string {
    const current = this.#current();
    const before = this.#changes.flatMap(({ table, row, before }) =>
      before === undefined ? [] : [{ table, row: before, of: row }],
    );
    // Marks of rows that were read come first, so that new rows get others.
    for (const { table, row } of [...current, ...before]) this.#mark(table, row, true);
    for (const { table, row } of [...current, ...before]) this.#mark(table, row, false);
    const known = new Set(current.map(({ row }) => row));
    const rows = current
      .filter(({ row }) => !known.has(ROW_MARKS.get(row)?.parent ?? {}))
      .map(({ table, row }) => this.#row(table, row));
    const old = before.map(({ table, row, of }) => {
      const now = of === undefined ? undefined : this.#data.tables[table]?.[of];
      const { id, order } = this.#marks.get(now ?? row)!;
      const parentId = ROW_MARKS.get(row)?.parentId;
      const inside =
        parentId === undefined ? '' : ` diffgr:parentId="${escapeAttribute(parentId)}"`;
      return this.#tagged(
        table,
        row,
        ` diffgr:id="${escapeAttribute(id)}"${inside} msdata:rowOrder="${order}"`,
        '',
      );
    });
    const { name = 'NewDataSet', isTable, namespace } = this.#schema;
    // A table that is in no set stands under a name that .NET gives it.
    const root =
      isTable && name === 'NewDataSet' ? 'DocumentElement' : encodeName(this.#data.name ?? name);
    const isEmpty = rows.length + old.length === 0;
    const content = isEmpty
      ? ''
      : `<${root} xmlns="${escapeAttribute(namespace)}">${rows.join('')}</${root}>`;
    const inside = `${content}${this.#part('before', old)}${this.#part('errors', this.#errors())}`;
    return `<diffgr:diffgram xmlns:msdata="${MSDATA}" xmlns:diffgr="${DIFFGRAM}">${inside}</diffgr:diffgram>`;
  }

  #part(name: string, rows: readonly string[]): string {
    const { namespace } = this.#schema;
    const declaration = namespace === '' ? ' xmlns=""' : ` xmlns="${escapeAttribute(namespace)}"`;
    return rows.length === 0
      ? ''
      : `<diffgr:${name}${declaration}>${rows.join('')}</diffgr:${name}>`;
  }

  #current(): { readonly table: string; readonly row: DataRow }[] {
    const names = new Set([...this.#schema.tables.keys(), ...Object.keys(this.#data.tables)]);
    return [...names].flatMap((table) =>
      (this.#data.tables[table] ?? []).map((row) => ({ table, row })),
    );
  }

  /** @param isRead whether only to keep the marks that it was read with. */
  #mark(table: string, row: DataRow, isRead: boolean): void {
    if (this.#marks.has(row)) return;
    const read = ROW_MARKS.get(row);
    const isBefore = this.#changes.some((each) => each.before === row && each.row !== undefined);
    if (isBefore) return;
    if (isRead) {
      if (read === undefined || this.#ids.has(read.id)) return;
      this.#ids.add(read.id);
      this.#marks.set(row, read);
      return;
    }
    let order = 0;
    while (this.#ids.has(`${encodeName(table)}${order + 1}`)) order++;
    const id = `${encodeName(table)}${order + 1}`;
    this.#ids.add(id);
    this.#marks.set(row, { id, order });
  }

  #row(table: string, row: DataRow): string {
    const { id, order } = this.#marks.get(row)!;
    const change = this.#byRow.get(row);
    const isChanged = change?.state === 'inserted' || change?.state === 'modified';
    const unchanged = ROW_MARKS.get(row)?.descent ? 'descent' : undefined;
    const state = isChanged ? change.state : unchanged;
    const hasErrors = change?.error !== undefined || change?.columnErrors !== undefined;
    const attributes =
      ` diffgr:id="${escapeAttribute(id)}" msdata:rowOrder="${order}"` +
      (state === undefined ? '' : ` diffgr:hasChanges="${state}"`) +
      (hasErrors ? ' diffgr:hasErrors="true"' : '');
    const children = (this.#children.get(row) ?? []).map((each) => this.#row(each.table, each.row));
    return this.#tagged(table, row, attributes, children.join(''));
  }

  #tagged(table: string, row: DataRow, marks: string, children: string): string {
    const columns = this.#schema.tables.get(table);
    const path = `${this.#path}.tables.${table}`;
    if (columns === undefined) throw notInSchema(path);
    const unknown = Object.keys(row).find((column) => !columns.has(column) && row[column] != null);
    if (unknown !== undefined) throw notInSchema(`${path}.${unknown}`);
    let attributes = marks;
    let content = '';
    for (const [column, { type, place }] of columns) {
      const value = row[column];
      if (value === null || value === undefined) continue;
      const name = encodeName(column);
      const written = cell(type, value, `${path}.${column}`);
      if (place === 'attribute') attributes += ` ${name}="${attributeText(written.text)}"`;
      else if (place === 'hidden')
        attributes += ` msdata:hidden${name}="${attributeText(written.text)}"`;
      else if (place === 'text') content += written.xml;
      else content += `<${name}${written.attributes}>${written.xml}</${name}>`;
    }
    const name = encodeName(table);
    return `<${name}${attributes}>${content}${children}</${name}>`;
  }

  #errors(): string[] {
    return this.#changes.flatMap(({ table, row, error, columnErrors }) => {
      const of = row === undefined ? undefined : this.#data.tables[table]?.[row];
      if (of === undefined || (error === undefined && columnErrors === undefined)) return [];
      const columns = Object.entries(columnErrors ?? {}).map(
        ([column, text]) => `<${encodeName(column)} diffgr:Error="${attributeText(text)}" />`,
      );
      const own = error === undefined ? '' : ` diffgr:Error="${attributeText(error)}"`;
      const name = encodeName(table);
      const id = escapeAttribute(this.#marks.get(of)!.id);
      return [`<${name} diffgr:id="${id}"${own}>${columns.join('')}</${name}>`];
    });
  }
}

const attributeText = (text: string): string => escapeAttribute(text);

interface Written {
  readonly text: string;
  readonly xml: string;
  /** Of its element. */
  readonly attributes: string;
}

/** @throws {ResultError} */
function cell(type: ScalarType, value: unknown, path: string): Written {
  if (isTyped(value) && value.xml !== undefined)
    return { text: '', xml: freeXml(value.xml, '', path), attributes: '' };
  const own = isTyped(value) ? value.$type : typeOf(value);
  const isAny = type === 'anyType' && own !== undefined && own !== 'string';
  const known = isAny ? (own as ScalarType) : type;
  const given = isTyped(value) ? value.value : value;
  const attributes = isAny ? ` xsi:type="xs:${own}" xmlns:xs="${XSD}" xmlns:xsi="${XSI}"` : '';
  try {
    // .NET takes `Z` for a time of its own zone here.
    const text =
      known === 'dateTime'
        ? DATE_TIMES.date.format(given).replace(/Z$/, '+00:00')
        : (SCALARS[known] ?? SCALARS.string).format(given);
    // Of a text of blanks alone .NET takes notice only so.
    const space = /^[ \t\r\n]+$/.test(text) ? ' xml:space="preserve"' : '';
    return { text, xml: escapeText(text), attributes: attributes + space };
  } catch (error) {
    if (error instanceof LexicalError) throw new ResultError(path, error.reason);
    if (error instanceof XmlWriteError) throw new ResultError(path, error.message);
    throw error;
  }
}

const notInSchema = (path: string): ResultError =>
  new ResultError(path, 'the schema does not have it; without a schema one is made of the rows.');
