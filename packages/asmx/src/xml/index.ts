/**
 * The entry `./xml`: the XML reader, and functions for writing XML.
 * @packageDocumentation
 */

export { DEFAULT_LIMITS, defineLimits, type Limits } from '../contract/limits.ts';
export {
  type Content,
  type ContentMode,
  type CreateXmlReader,
  createXmlReader,
  type XmlAttribute,
  type XmlElement,
  XmlError,
  type XmlErrorCode,
  type XmlHandler,
  type XmlReader,
  type XmlReaderOptions,
} from './reader.ts';
export { escapeAttribute, escapeText } from './writer.ts';
