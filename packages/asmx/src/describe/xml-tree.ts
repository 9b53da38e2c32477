import { escapeAttribute, escapeText } from '../xml/writer.ts';

/**
 * An element to be written: its qualified name, its attributes in order, and either elements or
 * text.
 */
export interface XmlNode {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: readonly XmlNode[] | string;
}

/**
 * An element; `xml('wsdl:part', { name: 'Body' })`. Attributes whose value is `undefined` cannot be
 * passed: leave them out.
 */
export function xml(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  content: readonly XmlNode[] | string = [],
): XmlNode {
  return { name, attributes, content };
}

/**
 * Line ends of .NET's XmlTextWriter on Windows: descriptions kept in version control stay free of
 * differences.
 */
const LINE_END = '\r\n';

/**
 * A document in the form of .NET's indenting XmlTextWriter: declaration, two blanks a level, no
 * final line end.
 */
export function writeDocument(root: XmlNode): string {
  const lines = ['<?xml version="1.0" encoding="utf-8"?>'];
  writeElement(root, '', lines);
  return lines.join(LINE_END);
}

function writeElement(
  { name, attributes, content }: XmlNode,
  indent: string,
  lines: string[],
): void {
  let tag = `${indent}<${name}`;
  for (const [key, value] of Object.entries(attributes))
    tag += ` ${key}="${escapeAttribute(value)}"`;
  if (content.length === 0) {
    lines.push(`${tag} />`);
  } else if (typeof content === 'string') {
    lines.push(`${tag}>${escapeText(content)}</${name}>`);
  } else {
    lines.push(`${tag}>`);
    for (const child of content) writeElement(child, `${indent}  `, lines);
    lines.push(`${indent}</${name}>`);
  }
}
