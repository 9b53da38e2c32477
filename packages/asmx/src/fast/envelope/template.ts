import type { CompiledOperation, CompiledService } from '../../exchange/compiled.ts';
import { type SoapVersion, versionOfEnvelope } from '../../exchange/soap-version.ts';
import { clark, type ElementPlan, isScalar } from '../../values/plan.ts';
import { isSpace } from '../../xml/chars.ts';
import { XMLNS_URI } from '../../xml/elements/namespaces.ts';
import { XmlRefusal } from '../../xml/errors.ts';
import { readDeclaration } from '../../xml/input/declaration.ts';
import { XML } from '../../xml/namespace-names.ts';

/** What stands around the values of an envelope: the same in each call of a client. */
export interface EnvelopeTemplate {
  /** Everything up to the operation's start tag, that included; all of it ASCII. */
  readonly bytes: Buffer;
  readonly version: SoapVersion;
  readonly operation: CompiledOperation;
  /** How the elements of the parameters are written, by position. */
  readonly tags: readonly ParameterTags[];
  /**
   * Behind which parameter which came last time, by position, and at the end which came first: the
   * one to look for.
   */
  readonly followers: number[];
  /** The end tags of the operation, the Body and the envelope. */
  readonly end: readonly [string, string, string];
}

interface ParameterTags {
  readonly open: string;
  readonly close: string;
  /** The element without content. */
  readonly empty: readonly [string, string];
}

/** The bounds of a template; a larger envelope is for the general reader. */
export const MOST = {
  /** The parameters' elements are in the operation's, in the Body's, in the envelope's. */
  depth: 4,
  parameters: 100,
  templateBytes: 2048,
  /** Characters, which are ASCII. */
  declarationUnits: 100,
  nameUnits: 128,
  prefixUnits: 64,
  uriUnits: 256,
  /** Namespace declarations on one element. */
  declarations: 8,
};

/**
 * Understands what an envelope begins with: an XML declaration of UTF-8 or none, the envelope, an
 * empty header or none, the Body, the operation; all of it without attributes other than namespace
 * declarations.
 *
 * @param routed the operation that the headers name, `undefined` when they name none.
 * @returns `undefined` when the envelope begins otherwise, well-formed or not.
 */
function parseTemplate(
  service: CompiledService,
  routed: CompiledOperation | undefined,
  written: Buffer,
): EnvelopeTemplate | undefined {
  // No pattern below has anything but ASCII, so it does not matter what other characters become
  // here.
  const text = written.toString('latin1', 0, MOST.templateBytes);
  const from = skipXmlDeclaration(text);
  if (from === undefined) return undefined;
  // A header that is read is not for this way.
  if (service.headers.size > 0) return undefined;
  const reader = new StartTagReader(text, from);
  const envelope = reader.open('Envelope');
  const version = envelope === undefined ? undefined : versionOfEnvelope(envelope.uri);
  if (envelope === undefined || version === undefined) return undefined;
  reader.skipEmpty('Header', version.envelope);
  const body = reader.open('Body');
  if (body?.uri !== version.envelope) return undefined;
  const element = reader.open(routed?.message.input.name);
  const operation = element === undefined ? undefined : operationOf(service, routed, element);
  if (element === undefined || operation === undefined || !canBeFast(operation)) return undefined;
  const prefix = element.name.slice(0, element.name.length - element.local.length);
  return {
    bytes: Buffer.from(text.slice(0, reader.at), 'latin1'),
    version,
    operation,
    tags: operation.message.request.elements.map(({ name }) => tagsOf(prefix + name)),
    followers: [...operation.message.request.elements.map((_, index) => index + 1), 0],
    end: [`</${element.name}>`, `</${body.name}>`, `</${envelope.name}>`],
  };
}

/** The operation whose request the element is; of several, the one that the headers name. */
function operationOf(
  service: CompiledService,
  routed: CompiledOperation | undefined,
  { uri, local }: StartTag,
): CompiledOperation | undefined {
  if (routed === undefined) return service.byElement.get(clark(uri, local));
  const { namespace, name } = routed.message.input;
  return uri === namespace && local === name ? routed : undefined;
}

/** Whether its request is a wrapper around texts in its own namespace. */
function canBeFast({ message: { request, input, bare, encoded } }: CompiledOperation): boolean {
  const { elements } = request;
  const isText = (each: ElementPlan) =>
    isScalar(each) && !each.streams && each.namespace === input.namespace;
  return !bare && !encoded && elements.length <= MOST.parameters && elements.every(isText);
}

function tagsOf(name: string): ParameterTags {
  return { open: `<${name}>`, close: `</${name}>`, empty: [`<${name}/>`, `<${name} />`] };
}

/**
 * @returns the index behind the XML declaration, if there is one; `undefined` when it is not one of
 *   UTF-8.
 */
function skipXmlDeclaration(text: string): number | undefined {
  if (!text.startsWith('<?')) return text.startsWith('<') ? 0 : undefined;
  const end = text.indexOf('>') + 1;
  if (end > MOST.declarationUnits || !text.startsWith('<?xml')) return undefined;
  try {
    const { encoding } = readDeclaration(text.slice(0, end));
    return encoding === undefined || encoding.toLowerCase() === 'utf-8' ? end : undefined;
  } catch (error) {
    if (error instanceof XmlRefusal) return undefined;
    throw error;
  }
}

interface StartTag {
  /** As written, with its prefix. */
  readonly name: string;
  readonly local: string;
  /** The namespace it resolves to. */
  readonly uri: string;
  /** Whether it declares namespaces. */
  readonly declares: boolean;
}

/**
 * An ASCII name without a colon. Each pattern is one class repeated, so that nothing is tried
 * twice.
 */
const NAME = /[A-Za-z_][\w.-]*/y;
/**
 * A value that stands for itself: printable ASCII without references, markup and its own quotes.
 */
const QUOTED = /[ !#-%'-;=-~]+/y;
const IN_APOSTROPHES = /[ -%(-;=-~]+/y;

/**
 * Namespaces that have a prefix of their own, which no other may have (Namespaces in XML 1.0
 * section 3).
 */
const RESERVED = [XML, XMLNS_URI];

/** Reads start tags, one inside the other; `undefined` is what the general reader is for. */
class StartTagReader {
  at: number;
  readonly #text: string;
  /** The namespace of each prefix in scope, `''` being the default's. */
  readonly #scope = new Map<string, string>();

  constructor(text: string, from: number) {
    this.#text = text;
    this.at = from;
  }

  /** Reads `<p:local xmlns:…>`; with whatever local name when that is `undefined`. */
  open(local: string | undefined): StartTag | undefined {
    const tag = this.#start(local);
    return tag !== undefined && this.#take('>') ? tag : undefined;
  }

  /**
   * Reads `<p:local/>` or `<p:local></p:local>`, which declare nothing, if that is what stands
   * here.
   */
  skipEmpty(local: string, uri: string): void {
    const from = this.at;
    const tag = this.#start(local);
    if (tag?.uri === uri && !tag.declares) {
      if (this.#take('/>') || (this.#take('>') && this.#take(`</${tag.name}>`))) return;
    }
    this.at = from;
  }

  /** A start tag without its end. */
  #start(expected: string | undefined): StartTag | undefined {
    if (!this.#take('<')) return undefined;
    const from = this.at;
    let local = this.#match(NAME);
    let prefix = '';
    if (this.#text[this.at] === ':') {
      prefix = local;
      this.at++;
      local = this.#match(NAME);
      if (prefix === '') return undefined;
    }
    const name = this.#text.slice(from, this.at);
    if (
      local === '' ||
      name.length > MOST.nameUnits ||
      (expected !== undefined && local !== expected)
    )
      return undefined;
    const declared = this.#declarations();
    const uri = this.#scope.get(prefix);
    if (declared === undefined || uri === undefined) return undefined;
    return { name, local, uri, declares: declared > 0 };
  }

  /** The namespace declarations of a start tag, into the scope. @returns how many there are. */
  #declarations(): number | undefined {
    const own = new Set<string>();
    while (isSpace(this.#text.charCodeAt(this.at)) && this.#take('xmlns')) {
      let prefix = '';
      if (this.#text[this.at] === ':') {
        this.at++;
        prefix = this.#match(NAME);
        if (prefix === '') return undefined;
      }
      const uri = this.#value();
      if (uri === '' || uri.length > MOST.uriUnits || RESERVED.some((one) => uri.startsWith(one)))
        return undefined;
      if (prefix.toLowerCase().startsWith('xml') || prefix.length > MOST.prefixUnits)
        return undefined;
      if (own.has(prefix) || own.add(prefix).size > MOST.declarations) return undefined;
      this.#scope.set(prefix, uri);
    }
    return own.size;
  }

  /** `="value"`; `''` when something else stands here. */
  #value(): string {
    const start = this.#text.slice(this.at, this.at + 2);
    if (start !== '="' && start !== "='") return '';
    this.at += 2;
    const value = this.#match(start === '="' ? QUOTED : IN_APOSTROPHES);
    return this.#text[this.at++] === start[1] ? value : '';
  }

  /** Reads a text, over white space. */
  #take(expected: string): boolean {
    let at = this.at;
    while (isSpace(this.#text.charCodeAt(at))) at++;
    if (!this.#text.startsWith(expected, at)) return false;
    this.at = at + expected.length;
    return true;
  }

  /** What a pattern finds here; `''` for nothing. */
  #match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }
}

/**
 * Kinds of clients that are remembered for one operation; one that writes otherwise each time
 * pushes out similar ones.
 */
const TEMPLATES_KEPT = 8;

/** The templates seen lately, by the operation that the headers name. */
export class TemplateCache {
  readonly #service: CompiledService;
  readonly #routed = new Map<CompiledOperation | undefined, EnvelopeTemplate[]>();
  #next = 0;

  constructor(service: CompiledService) {
    this.#service = service;
  }

  /**
   * The template that an envelope begins with.
   * @param routed the operation that the headers name, `undefined` when they name none.
   */
  find(routed: CompiledOperation | undefined, body: Buffer): EnvelopeTemplate | undefined {
    let templates = this.#routed.get(routed);
    if (templates === undefined) {
      templates = [];
      this.#routed.set(routed, templates);
    }
    for (const template of templates) if (beginsWith(body, template.bytes)) return template;
    const template = parseTemplate(this.#service, routed, body);
    if (template !== undefined)
      templates[
        templates.length < TEMPLATES_KEPT ? templates.length : this.#next++ % TEMPLATES_KEPT
      ] = template;
    return template;
  }
}

function beginsWith(body: Buffer, bytes: Buffer): boolean {
  const { length } = bytes;
  return body.length >= length && body.compare(bytes, 0, length, 0, length) === 0;
}
