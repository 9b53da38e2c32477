/** `npm run site:types`: writes `site/types.md`, each type with its XML and JSON, from the samples that the judges take. */
import { writeFile } from 'node:fs/promises';
import { bytesBody } from '../src/message/http.ts';
import { SAMPLES, sampleEndpoint } from '../test/system/samples.ts';

/** What each sample is about, and how it is written in a contract. */
const ABOUT: Readonly<Record<string, readonly [string, string]>> = {
  Text: ['string', 'string'],
  Bool: ['bool', 'boolean'],
  Int: ['int', 'int'],
  Long: ['long', 'long'],
  Decimal: ['decimal', 'decimal'],
  Double: ['double', 'double'],
  Float: ['float', 'float'],
  Instant: ['DateTime', 'dateTime'],
  Calendar: [
    'dates and times as texts',
    "object('Calendar', { day: date, at: time, takes: duration, name: token })",
  ],
  Numbers: [
    'the other integers',
    'byte, short, unsignedByte, unsignedShort, unsignedInt, unsignedLong',
  ],
  Bytes: ['byte[]', 'base64Binary'],
  Hex: ['byte[] as hexadecimal digits', 'hexBinary'],
  Identity: ['Guid', 'guid'],
  Choice: ['enum', "enumeration('Weather', ['Sun', 'Rain', 'Snow'])"],
  Flags: ['[Flags] enum', "enumeration('Days', ['Monday', 'Tuesday', 'Friday'], { flags: true })"],
  Nullable: [
    'T?',
    "object('Maybe', { none: nullable(int), some: nullable(int), text: string, absent: optional(int) })",
  ],
  Priced: [
    'text with attributes',
    "object('Price', { value: content(decimal), currency: attribute(string) })",
  ],
  Ints: ['T[]', 'array(int)'],
  Flat: [
    'T[] with [XmlElement]',
    "object('Flat', { numbers: array(int, { flat: true }), name: string })",
  ],
  People: [
    'a list of objects',
    "array(object('Person', { name: string, age: int, id: attribute(int) }))",
  ],
  Tree: [
    'a class that refers to itself',
    "object('Node', { name: string, get children() { return array(Node); } })",
  ],
  Zoo: ['[XmlInclude]', "array(oneOf(Animal, extended(Animal, 'Dog', { barks: boolean })))"],
  Either: ['a choice', "object('Either', { … }, { choices: [['left', 'right']] })"],
  Markup: ['XmlElement', 'xml'],
  Thing: ['object', 'anyType'],
  Data: ['DataSet', 'dataSet'],
};

export async function typesPage(): Promise<string> {
  const sections = await Promise.all(Object.keys(SAMPLES).map(section));
  return `# Types\n\nWhat a handler returns, and what goes over the wire. Written by \`npm run site:types\`, from the samples that other tools' clients\nare tried with.\n\n${sections.join('\n')}`;
}

async function section(name: string): Promise<string> {
  const [title, words] = ABOUT[name]!;
  const endpoint = sampleEndpoint(name);
  const ask = async (target: string, type: string, body: string) => {
    const request = {
      method: 'POST',
      target,
      headers: { 'content-type': type },
      body: bytesBody(Buffer.from(body)),
    };
    return String((await endpoint.request({ ...request, remoteAddress: '127.0.0.1' }))?.body);
  };
  const envelope = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Give xmlns="http://example.com/${name}" /></s:Body></s:Envelope>`;
  const answer = await ask(`/${name}.asmx`, 'text/xml; charset=utf-8', envelope);
  const xml = /<GiveResponse[^>]*>(.*)<\/GiveResponse>/s.exec(answer)?.[1] ?? '';
  const json = await ask(`/${name}.asmx/Give`, 'application/json', '{}');
  const value = shown(SAMPLES[name]![1]);
  return `## ${title}\n\n\`\`\`ts\n${words}\n// value: ${value}\n\`\`\`\n\n\`\`\`xml\n${xml}\n\`\`\`\n\n\`\`\`json\n${json}\n\`\`\`\n`;
}

function shown(value: unknown): string {
  if (value instanceof Date) return `new Date('${value.toISOString()}')`;
  if (value instanceof Uint8Array) return `Uint8Array.of(${value.join(', ')})`;
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${key}: ${shown(member)}`)
    .join(', ')} }`;
}

export const TYPES_PAGE = new URL('../../../site/types.md', import.meta.url);
if (import.meta.main) await writeFile(TYPES_PAGE, await typesPage());
