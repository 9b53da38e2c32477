import type { JsonSchema } from '../../records/types.ts';
import type { Field, Kind } from './kinds.ts';
import { FORMAT, FORMAT_VERSION, KINDS, NOT_PORTABLE } from './kinds.ts';

/**
 * The JSON Schema of the format: under `$defs` a record of each kind, one line of its file, and the
 * manifest.
 */
export function portableSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `The portable format of WS01, version ${FORMAT_VERSION}`,
    description:
      'A line of KIND.jsonl is valid against #/$defs/KIND, manifest.json against #/$defs/manifest.',
    $defs: {
      manifest: MANIFEST_SCHEMA,
      ...Object.fromEntries(KINDS.map((kind) => [kind.name, recordSchema(kind)])),
    },
  };
}

const MANIFEST_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['format', 'version'],
  properties: {
    format: { const: FORMAT },
    version: { const: FORMAT_VERSION },
    createdAt: { type: 'string', description: 'The moment that the export is of.' },
    files: {
      type: 'object',
      description: 'What the files of records hold, by kind. A file that differs is refused.',
      additionalProperties: {
        type: 'object',
        properties: {
          records: { type: 'integer' },
          bytes: { type: 'integer' },
          sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
        },
      },
    },
    images: {
      type: 'object',
      properties: { files: { type: 'integer' }, bytes: { type: 'integer' } },
    },
  },
};

function recordSchema({ name, fields, about }: Kind): JsonSchema {
  const file = bringsFile(name)
    ? { file: { type: ['string', 'null'], description: FILE_ABOUT } }
    : {};
  return {
    type: 'object',
    description: about,
    required: fields.filter(({ absent }) => absent === 'required').map((field) => field.name),
    properties: {
      ...Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
      ...file,
    },
    additionalProperties: false,
  };
}

const FILE_ABOUT = 'The image file, a path below the folder or below --images.';

function bringsFile(kind: string): boolean {
  return kind === 'images' || kind === 'image-files';
}

function fieldSchema({ type, about, absent }: Field): JsonSchema {
  const said = { ...type.schema, description: about };
  return absent === 'required' ? said : { anyOf: [said, { type: 'null' }] };
}

/**
 * The part of the format's page that is made of the definition: a table for each kind, and what
 * stays behind.
 */
export function portableTables(): string {
  return `${KINDS.map(kindSection).join('\n')}\n## What does not travel\n\n${table(
    ['table', 'why'],
    Object.entries(NOT_PORTABLE).map(([name, why]) => [`\`${name}\``, why]),
  )}`;
}

const ABSENT: ReadonlyMap<Field['absent'], string> = new Map([
  ['required', '; required'],
  ['made', '; made when absent'],
]);

function kindSection({ name, fields, about }: Kind): string {
  const rows = fields.map(({ name, type, absent, about }) => [
    `\`${name}\``,
    `${type.means}${ABSENT.get(absent) ?? ''}`,
    about,
  ]);
  if (bringsFile(name)) rows.push(['`file`', 'path', FILE_ABOUT]);
  return `### ${name}\n\n${about}\n\n${table(['field', 'what it is', ''], rows)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return `${line(head)}${line(head.map(() => '---'))}${rows.map(line).join('')}`;
}
