import { WSDL } from '../load/load.ts';
import type { XmlTree } from '../load/xml-document.ts';
import type { Element, Operation } from '../normal-form.ts';
import type { SchemaReader } from '../schema/schema-reader.ts';
import { WsdlError } from '../wsdl-error.ts';
import { targetNamespaceOf } from './definitions.ts';
import { type MessageSource, partType } from './messages.ts';
import type { BoundOperation } from './operations.ts';

/**
 * An operation that only GET or POST has: each part is a parameter, and the answer is an element.
 * @throws {WsdlError}
 */
export function httpOperation(
  name: string,
  { abstract }: BoundOperation,
  source: MessageSource,
): Operation {
  const { definitions, schemas } = source;
  const refuse = (reason: string) =>
    new WsdlError('unsupported', abstract.file, `operation ${name}`, reason);
  const parts = (kind: 'input' | 'output') => {
    const given = abstract.first(WSDL, kind);
    return given === undefined
      ? []
      : definitions.referred('message', given, 'message').of(WSDL, 'part');
  };
  const parameters = parts('input').map((part): Element => {
    const own = part.name;
    if (part.attribute('element') !== undefined)
      throw refuse(`Its part ${own} is an element, not a form value.`);
    return { name: own, namespace: '', type: partType(part, schemas), min: 0, max: 1 };
  });
  const [answer] = parts('output');
  const element = answer?.qname('element');
  const namespace = targetNamespaceOf(abstract);
  const documentation = abstract.documentation(WSDL);
  return {
    name,
    ...(documentation === undefined ? {} : { documentation }),
    style: 'wrapped',
    use: 'literal',
    action: `${namespace.replace(/\/$/, '')}/${name}`,
    input: { name, namespace },
    parameters,
    output: { name: `${name}Response`, namespace },
    ...(answer === undefined
      ? {}
      : {
          result:
            element === undefined
              ? partResult(answer, namespace, schemas)
              : schemas.element(element, answer),
        }),
    out: [],
    headers: { in: [], out: [] },
    faults: [],
  };
}

/** An answer that names only its type: as ASP.NET writes it, an element called like the type. */
function partResult(part: XmlTree, namespace: string, schemas: SchemaReader): Element {
  const type = partType(part, schemas);
  const named = typeof type === 'string' ? undefined : schemas.named(type.ref);
  const nillable =
    named === undefined
      ? type === 'string' || type === 'base64Binary'
      : ['object', 'array'].includes(named.kind);
  const name = named?.name ?? String(type);
  return { name, namespace, type, min: 1, max: 1, ...(nillable ? { nillable } : {}) };
}
