import type { WriteName } from '../lexical/lexical-context.ts';
import { XSD } from '../xml/namespace-names.ts';
import { escapeAttribute } from '../xml/writer.ts';

/** The tags of an element, and the default namespace inside. */
export interface ElementTags {
  /** Without its end. */
  readonly tag: string;
  readonly close: string;
  readonly scope: string;
}

/**
 * Collects the names with prefixes in the attributes and text of an element, and declares their
 * prefixes.
 */
export class NameScope {
  readonly #default: string;
  readonly #nextPrefix: () => string;
  readonly #prefixes = new Map<string, string>();
  #isUndeclared = false;

  /**
   * @param byDefault the default namespace of the element.
   * @param nextPrefix makes an unused prefix.
   */
  constructor(byDefault: string, nextPrefix: () => string) {
    this.#default = byDefault;
    this.#nextPrefix = nextPrefix;
  }

  readonly write: WriteName = (namespace, local) => {
    if (namespace === '') {
      this.#isUndeclared = this.#default !== '';
      return local;
    }
    // Where some name is in no namespace, there is no default one.
    const known = this.#prefixes.get(namespace) ?? (namespace === XSD ? 'xsd' : this.#nextPrefix());
    this.#prefixes.set(namespace, known);
    return `${known}:${local}`;
  };

  /**
   * The tags of the element with the declarations. Where a name is in no namespace, there can be no
   * default namespace: the element gets a prefix of its own.
   */
  around(tag: string, close: string): ElementTags {
    let declarations = '';
    for (const [namespace, prefix] of this.#prefixes) {
      if (namespace !== XSD) declarations += ` xmlns:${prefix}="${escapeAttribute(namespace)}"`;
    }
    if (!this.#isUndeclared) return { tag: tag + declarations, close, scope: this.#default };
    const prefix = this.#nextPrefix();
    const own = ` xmlns:${prefix}="${escapeAttribute(this.#default)}" xmlns=""`;
    const renamed = tag.replace(
      /^<([^ ]+)(?: xmlns="[^"]*")?/,
      (_, name) => `<${prefix}:${name}${own}`,
    );
    return { tag: renamed + declarations, close: `</${prefix}:${close.slice(2)}`, scope: '' };
  }
}
