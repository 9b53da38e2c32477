import type { ScalarType } from '../contract/types.ts';
import type { DataRow } from '../contract/values.ts';
import { SCALARS } from '../lexical/scalars.ts';
import type { XmlElement } from '../xml/handler.ts';
import { XSD } from '../xml/namespace-names.ts';

export const DIFFGRAM = 'urn:schemas-microsoft-com:xml-diffgram-v1';
export const MSDATA = 'urn:schemas-microsoft-com:xml-msdata';

/** Where in its row a column stands: .NET's MappingType. */
type Place = 'element' | 'attribute' | 'hidden' | 'text';

interface Column {
  readonly type: ScalarType;
  readonly place: Place;
}

/** What a diffgram says of a row beside its columns and its state. */
export interface RowMarks {
  readonly id: string;
  readonly order: number;
  /** The row that it is written in, by a nested relation. */
  readonly parent?: DataRow;
  /** Of a row from before: the id of the one that it was in. */
  readonly parentId?: string;
  /** A row in it has changed, not itself. */
  readonly descent?: true;
}

/** The marks of rows that were read. They are written again with these rows. */
export const ROW_MARKS = new WeakMap<DataRow, RowMarks>();

/** An element of a schema that is open. */
interface Open {
  readonly local: string;
  readonly name: string;
  type: string | undefined;
  isTable: boolean;
}

/** Reads the schema of a DataSet, as .NET writes it, for its tables and their columns. */
export class DataSetShape {
  readonly tables = new Map<string, Map<string, Column>>();
  /** That of the DataSet. */
  name: string | undefined;
  /** That of its elements in a diffgram. */
  namespace = '';
  /** Whether it is of a DataTable alone. */
  isTable = false;
  readonly #open: Open[] = [];

  /** @returns whether it declares something. */
  open(element: XmlElement): boolean {
    const given = attributeOf(element, 'name') ?? '';
    const open = {
      local: element.local,
      name: decodeName(given),
      type: attributeOf(element, 'type'),
      isTable: false,
    };
    const around = this.#open.at(-1);
    this.#open.push(open);
    if (element.uri !== XSD) return false;
    switch (element.local) {
      case 'schema':
        if (attributeOf(element, 'elementFormDefault') === 'qualified')
          this.namespace = attributeOf(element, 'targetNamespace') ?? '';
        return false;
      case 'element':
        if (attributeOf(element, 'IsDataSet', MSDATA) === undefined) return given !== '';
        this.name = open.name;
        this.isTable = attributeOf(element, 'MainDataTable', MSDATA) !== undefined;
        return true;
      case 'complexType':
        if (around?.local === 'element' && around.name !== this.name) {
          around.isTable = true;
          this.#columnsOf(around.name);
        }
        return false;
      case 'attribute':
        this.#column(open, attributeOf(element, 'use') === 'prohibited' ? 'hidden' : 'attribute');
        return true;
      case 'restriction':
      case 'extension': {
        const text = this.#open.find(({ local }) => local === 'simpleContent');
        const type = attributeOf(element, 'base');
        if (text !== undefined) this.#column({ ...text, type }, 'text');
        else for (const each of this.#open.slice(-3)) each.type ??= type;
        return false;
      }
      case 'simpleContent':
        this.#open.push({
          ...this.#open.pop()!,
          name: attributeOf(element, 'ColumnName', MSDATA) ?? '',
        });
    }
    return false;
  }

  close(): void {
    const closed = this.#open.pop()!;
    const isColumn = closed.local === 'element' && !closed.isTable && closed.name !== this.name;
    if (isColumn) this.#column(closed, 'element');
  }

  #column({ name, type = 'string' }: Pick<Open, 'name' | 'type'>, place: Place): void {
    const table = this.#open.findLast(({ isTable }) => isTable)?.name;
    if (table === undefined || name === '') return;
    const local = type.split(':').at(-1)!;
    const known = Object.hasOwn(SCALARS, local) ? (local as ScalarType) : 'string';
    this.#columnsOf(table).set(name, { type: known, place });
  }

  #columnsOf(table: string): Map<string, Column> {
    const known = this.tables.get(table) ?? new Map<string, Column>();
    this.tables.set(table, known);
    return known;
  }
}

export function attributeOf(
  { attributes }: XmlElement,
  name: string,
  namespace = '',
): string | undefined {
  return attributes.find(({ local, uri }) => local === name && uri === namespace)?.value;
}

/** .NET writes what no XML name may have as `_x0020_`. */
export function decodeName(name: string): string {
  return name.replace(/_x([0-9A-Fa-f]{4})_/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** What no XML name may have, as .NET writes it: `Unit Price` is `Unit_x0020_Price`. */
export function encodeName(name: string): string {
  return name
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[^\p{L}\p{N}_.-]|^[^\p{L}_]/gu,
      (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    );
}
