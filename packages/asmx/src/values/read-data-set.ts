import type { ScalarType } from '../contract/types.ts';
import type { DataRow, DataSet, DataValue } from '../contract/values.ts';
import type { LexicalContext } from '../lexical/index.ts';
import { DATE_TIMES, SCALARS } from '../lexical/scalars.ts';
import { TextCollector } from '../message/text-collector.ts';
import type { ContentMode, XmlElement } from '../xml/handler.ts';
import { XSD } from '../xml/namespace-names.ts';

const DIFFGRAM = 'urn:schemas-microsoft-com:xml-diffgram-v1';

/** Depth of rows and columns below the element that has the diffgram. */
const ROW_DEPTH = 2;
const COLUMN_DEPTH = 3;

/**
 * Reads what .NET writes for a DataSet or DataTable: a schema, which says the types of columns, and a diffgram with the
 * rows. Of rows that were changed, the current ones are read. A column that is absent or empty against its type is null.
 */
export class DataSetReader {
  readonly #context: LexicalContext;
  readonly #count: () => void;
  readonly #tables: Record<string, DataRow[]> = Object.create(null);
  readonly #columns: Record<string, Record<string, ScalarType>> = Object.create(null);
  #name: string | undefined;
  /** Depth in the schema or diffgram that is being read. */
  #depth = 0;
  #part: 'schema' | 'diffgram' | 'none' = 'none';
  /** Names of the open elements that a schema declares; '' for all others. */
  readonly #declared: string[] = [];
  #row: Record<string, DataValue> = {};
  #column: string | undefined;
  #table = '';
  readonly #text = new TextCollector();

  constructor(context: LexicalContext, count: () => void) {
    this.#context = context;
    this.#count = count;
  }

  open(element: XmlElement): ContentMode {
    const depth = this.#depth++;
    if (depth === 0) {
      this.#part =
        element.uri === XSD && element.local === 'schema'
          ? 'schema'
          : element.uri === DIFFGRAM
            ? 'diffgram'
            : 'none';
      return this.#part === 'none' ? 'skip' : 'elements';
    }
    return this.#part === 'schema'
      ? this.#openDeclaration(element)
      : this.#openData(element, depth);
  }

  text(piece: string): void {
    this.#text.add(piece);
  }

  /** @returns false when the element around ends. */
  close(): boolean {
    if (this.#depth === 0) return false;
    const depth = --this.#depth;
    if (depth === 0) this.#part = 'none';
    else if (this.#part === 'schema') this.#declared.pop();
    else if (depth === COLUMN_DEPTH && this.#column !== undefined) {
      this.#row[this.#column] = this.#text.take();
      this.#column = undefined;
    } else if (depth === ROW_DEPTH) {
      this.#tables[this.#table] ??= [];
      this.#tables[this.#table]!.push(this.#row);
    }
    return true;
  }

  /** Converts what was read: when the call was let in. */
  finish(): DataSet {
    for (const [table, rows] of Object.entries(this.#tables)) {
      for (const row of rows as Record<string, DataValue>[])
        for (const [column, text] of Object.entries(row))
          row[column] = this.#value(table, column, text as string);
    }
    return {
      ...(this.#name === undefined ? {} : { name: this.#name }),
      tables: this.#tables,
      columns: this.#columns,
    };
  }

  /** The first element declares the data set, those in it tables, those in them columns. */
  #openDeclaration(element: XmlElement): ContentMode {
    const name =
      element.uri === XSD && element.local === 'element' ? attributeOf(element, 'name') : undefined;
    const around = this.#declared.filter((each) => each !== '');
    this.#declared.push(name ?? '');
    if (name === undefined) return 'elements';
    this.#count();
    const decoded = decodeName(name);
    if (around.length === 0) this.#name ??= decoded;
    else if (around.length === 1) this.#columns[decoded] ??= Object.create(null);
    else {
      const type = attributeOf(element, 'type')?.split(':').at(-1) ?? 'string';
      const columns = this.#columns[decodeName(around[1]!)];
      if (columns !== undefined)
        columns[decoded] = Object.hasOwn(SCALARS, type) ? (type as ScalarType) : 'string';
    }
    return 'elements';
  }

  #openData(element: XmlElement, depth: number): ContentMode {
    if (depth === 1) return element.uri === DIFFGRAM ? 'skip' : 'elements';
    if (depth === ROW_DEPTH) {
      this.#count();
      this.#table = decodeName(element.local);
      this.#row = {};
      return 'elements';
    }
    if (depth !== COLUMN_DEPTH) return 'skip';
    this.#count();
    this.#column = decodeName(element.local);
    return 'text';
  }

  #value(table: string, column: string, text: string): DataValue {
    const type = this.#columns[table]?.[column] ?? 'string';
    const form = type === 'dateTime' ? DATE_TIMES.date : SCALARS[type];
    if (!form.emptyIsValue && text.trim() === '') return null;
    try {
      return form.parse(text, this.#context) as DataValue;
    } catch {
      // A column may hold what its schema does not say: the handler decides.
      return text;
    }
  }
}

function attributeOf({ attributes }: XmlElement, name: string): string | undefined {
  return attributes.find(({ local, uri }) => local === name && uri === '')?.value;
}

/** .NET writes what no XML name may have as `_x0020_`. */
function decodeName(name: string): string {
  return name.replace(/_x([0-9A-Fa-f]{4})_/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
