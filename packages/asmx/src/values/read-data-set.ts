import type { ScalarType } from '../contract/types.ts';
import type { DataChange, DataRow, DataSet, DataValue } from '../contract/values.ts';
import type { LexicalContext } from '../lexical/index.ts';
import { LexicalError } from '../lexical/lexical-error.ts';
import { DATE_TIMES, SCALARS } from '../lexical/scalars.ts';
import type { ContentMode, XmlElement } from '../xml/handler.ts';
import { XSD, XSI } from '../xml/namespace-names.ts';
import { valueOfType } from './any-value.ts';
import { attributeOf, DataSetShape, DIFFGRAM, decodeName, MSDATA, ROW_MARKS } from './data-set.ts';
import { XmlCapture } from './xml-capture.ts';

/** A cell as it was read. */
interface Cell {
  readonly text: string | undefined;
  readonly xml: string;
  /** `xsi:type`, by its local name. */
  readonly type: string | undefined;
}

type Row = Record<string, DataValue | Cell>;
type Part = 'current' | 'before' | 'errors';

/** A change as it is put together. */
type Change = { -readonly [K in keyof DataChange]: DataChange[K] };

type Open =
  | { readonly kind: 'schema' | 'diffgram' | 'none' }
  | { readonly kind: 'rows'; readonly part: Part }
  | {
      readonly kind: 'row';
      readonly part: Part;
      readonly table: string;
      readonly row: Row;
      readonly id: string;
    }
  | {
      readonly kind: 'cell';
      readonly row: Row;
      readonly column: string;
      readonly capture: XmlCapture;
      readonly type: string | undefined;
    };

/**
 * Reads what .NET writes for a DataSet or DataTable: a schema, which says the types of columns,
 * keys and relations, and a diffgram with the rows, what they were before, and their errors. A
 * column that is absent or empty against its type is null.
 */
export class DataSetReader {
  readonly #context: LexicalContext;
  readonly #count: () => void;
  readonly #schema = new DataSetShape();
  readonly #schemaText = new XmlCapture('drop', true);
  readonly #tables = new Map<string, Row[]>();
  /** By the id of the row. */
  readonly #changes = new Map<string, Change>();
  /** Every row with its table, those from before the changes, too. */
  readonly #rows: { readonly table: string; readonly row: Row }[] = [];
  readonly #open: Open[] = [];
  #root: string | undefined;

  constructor(context: LexicalContext, count: () => void) {
    this.#context = context;
    this.#count = count;
  }

  open(element: XmlElement): ContentMode {
    const around = this.#open.at(-1);
    const opened = this.#opened(element, around);
    this.#open.push(opened);
    if (opened.kind === 'none') return 'skip';
    return opened.kind === 'cell' || opened.kind === 'row' ? 'text' : 'elements';
  }

  #opened(element: XmlElement, around: Open | undefined): Open {
    switch (around?.kind) {
      case undefined: {
        if (element.uri === DIFFGRAM) return { kind: 'diffgram' };
        if (element.uri !== XSD || element.local !== 'schema') return { kind: 'none' };
        return this.#openSchema(element);
      }
      case 'schema':
        return this.#openSchema(element);
      case 'diffgram': {
        if (element.uri === DIFFGRAM)
          return { kind: 'rows', part: element.local === 'errors' ? 'errors' : 'before' };
        this.#root = decodeName(element.local);
        return { kind: 'rows', part: 'current' };
      }
      case 'rows':
        return this.#openRow(element, around.part, undefined);
      case 'row':
        return this.#openInRow(element, around);
      case 'cell':
        around.capture.open(element);
        return around;
      default:
        return { kind: 'none' };
    }
  }

  #openSchema(element: XmlElement): Open {
    this.#schemaText.open(element);
    if (this.#schema.open(element)) this.#count();
    return { kind: 'schema' };
  }

  #openRow(element: XmlElement, part: Part, parent: Row | undefined): Open {
    this.#count();
    const table = decodeName(element.local);
    const row: Row = {};
    const id = attributeOf(element, 'id', DIFFGRAM) ?? `${table} ${this.#rows.length}`;
    const state = attributeOf(element, 'hasChanges', DIFFGRAM);
    if (part === 'errors') {
      const change = this.#changeOf(id, table);
      const error = attributeOf(element, 'Error', DIFFGRAM);
      if (error !== undefined) change.error = error;
      return { kind: 'row', part, table, row, id };
    }
    const parentId = attributeOf(element, 'parentId', DIFFGRAM);
    const rows = this.#tables.get(table) ?? [];
    for (const { local, uri, value } of element.attributes) {
      const isHidden = uri === MSDATA && local.startsWith('hidden');
      const column = decodeName(isHidden ? local.slice('hidden'.length) : local);
      if (uri === '' || isHidden) row[column] = cellOf(value);
    }
    this.#rows.push({ table, row });
    ROW_MARKS.set(row as DataRow, {
      id,
      order: Number(attributeOf(element, 'rowOrder', MSDATA) ?? rows.length),
      ...(parent === undefined ? {} : { parent: parent as DataRow }),
      ...(parentId === undefined ? {} : { parentId }),
      ...(state === 'descent' ? { descent: true } : {}),
    });
    if (part === 'before') {
      // In their own order, which those that were modified have, too.
      const { row: at } = this.#changes.get(id) ?? {};
      this.#changes.delete(id);
      const known =
        at === undefined
          ? { table, state: 'deleted' as const }
          : { table, row: at, state: 'modified' as const };
      this.#changes.set(id, { ...known, before: row as DataRow });
    } else {
      if (state === 'inserted' || state === 'modified')
        this.#changes.set(id, { table, row: rows.length, state });
      else if (attributeOf(element, 'hasErrors', DIFFGRAM) !== undefined)
        this.#changes.set(id, { table, row: rows.length, state: 'unchanged' });
      this.#tables.set(table, [...rows, row]);
    }
    return { kind: 'row', part, table, row, id };
  }

  #changeOf(id: string, table: string): Change {
    const known = this.#changes.get(id) ?? { table, state: 'unchanged' as const };
    this.#changes.set(id, known);
    return known;
  }

  #openInRow(element: XmlElement, around: Open & { kind: 'row' }): Open {
    const { part, table, row, id } = around;
    const column = decodeName(element.local);
    if (part === 'errors') {
      const change = this.#changeOf(id, table);
      const error = attributeOf(element, 'Error', DIFFGRAM) ?? '';
      change.columnErrors = { ...change.columnErrors, [column]: error };
      return { kind: 'none' };
    }
    const isRow =
      this.#schema.tables.has(column) && this.#schema.tables.get(table)?.has(column) !== true;
    if (isRow) return this.#openRow(element, part, row);
    this.#count();
    const type = attributeOf(element, 'type', XSI)?.split(':').at(-1);
    return { kind: 'cell', row, column, type, capture: new XmlCapture('keep') };
  }

  text(piece: string): void {
    const open = this.#open.at(-1);
    if (open?.kind === 'cell') open.capture.text(piece);
    else if (open?.kind === 'row') {
      const columns = this.#schema.tables.get(open.table) ?? [];
      const [column] = [...columns].find(([, { place }]) => place === 'text') ?? [];
      if (column === undefined) return;
      const before = open.row[column] as Cell | undefined;
      open.row[column] = cellOf((before?.text ?? '') + piece);
    }
  }

  /** @returns false when the element around ends. */
  close(): boolean {
    const closed = this.#open.pop();
    if (closed === undefined) return false;
    if (closed.kind === 'schema') {
      this.#schemaText.close();
      this.#schema.close();
    } else if (closed.kind === 'cell' && !closed.capture.close()) {
      const { capture, type, row, column } = closed;
      row[column] = { text: capture.textOnly, xml: capture.content ?? '', type };
    }
    return true;
  }

  /** Converts what was read: when the call was let in. */
  finish(): DataSet {
    for (const { table, row } of this.#rows)
      for (const column of Object.keys(row))
        row[column] = this.#value(table, column, row[column] as Cell);
    const name = this.#schema.name ?? this.#root;
    const schema = this.#schemaText.content;
    const columns = [...this.#schema.tables].map(([table, of]) => [
      table,
      Object.fromEntries([...of].map(([column, { type }]) => [column, type])),
    ]);
    const { namespace } = this.#schema;
    return {
      ...(name === undefined ? {} : { name }),
      ...(namespace === '' ? {} : { namespace }),
      tables: Object.fromEntries(this.#tables) as DataSet['tables'],
      columns: Object.fromEntries(columns) as NonNullable<DataSet['columns']>,
      ...(this.#changes.size === 0 ? {} : { changes: [...this.#changes.values()] }),
      ...(schema === undefined ? {} : { schema }),
    };
  }

  #value(table: string, column: string, { text, xml, type }: Cell): DataValue {
    if (text === undefined) return { $type: 'anyType', xml };
    const declared = this.#schema.tables.get(table)?.get(column)?.type ?? 'string';
    const isTyped = declared === 'anyType' && type !== undefined && Object.hasOwn(SCALARS, type);
    const known = isTyped ? (type as ScalarType) : declared;
    const form = known === 'dateTime' ? DATE_TIMES.date : SCALARS[known];
    if (!form.emptyIsValue && text.trim() === '') return null;
    try {
      const value = form.parse(text, this.#context) as DataValue;
      return isTyped ? (valueOfType(known, value) as DataValue) : value;
    } catch (error) {
      if (!(error instanceof LexicalError)) throw error;
      // A column may hold what its schema does not say: the handler decides.
      return text;
    }
  }
}

function cellOf(text: string): Cell {
  return { text, xml: '', type: undefined };
}
