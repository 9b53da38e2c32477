import { perVersion, type SoapVersion } from '../../exchange/soap-version.ts';
import type { HeaderPlan } from '../../values/message-plan.ts';
import type { ObjectPlan, WireName } from '../../values/plan.ts';
import type { Beside } from '../../values/write-tags.ts';
import { XmlValueWriter } from '../../values/write-xml.ts';
import { escapeAttribute } from '../../xml/writer.ts';

/** A message that is to be written into a Body. */
export interface BodyPlan {
  /** Its element, which a bare message has not. */
  readonly name: WireName;
  readonly plan: ObjectPlan;
  readonly bare: boolean;
  readonly rpc: boolean;
  readonly encoded: boolean;
}

/** Writes the content of a Body. @throws {ResultError} for a value that the contract forbids. */
export function writeBody(
  writer: XmlValueWriter,
  body: BodyPlan,
  values: Readonly<Record<string, unknown>>,
  version: SoapVersion,
): void {
  const { name, plan, bare, rpc, encoded } = body;
  const write = () => {
    if (bare) writer.content(plan, values, '');
    // In the styles of RPC the parts are in no namespace, so that the wrapper needs a prefix.
    else writer.wrapped(wrapperOf(body, version), plan, values, rpc ? '' : name.namespace);
  };
  if (encoded) writer.referring(plan, values, version.references, write);
  else write();
}

/** Writes headers that have a value. @throws {ResultError} for one that the contract forbids. */
export function headersXml(
  headers: readonly HeaderPlan[],
  values: Readonly<Record<string, unknown>>,
  beside: Beside,
): string {
  // Of headers only swaRef is beside: no client looks for XOP there.
  const attach = (bytes: Uint8Array) => beside.attach(bytes);
  const given = headers.filter(({ property }) => values[property] !== undefined);
  const written = given.map((header) => {
    const writer = new XmlValueWriter(header.encoded, { isXop: false, attach });
    writer.element(header, values[header.property], '', `headers.${header.property}`);
    return String(writer.end());
  });
  return written.join('');
}

/** The tags around a message: the start without its end, and the end. */
interface Wrapper {
  readonly open: string;
  readonly close: string;
}

const wrappers = perVersion(() => new WeakMap<ObjectPlan, Wrapper>());

/** The tags around the messages of a plan, made once. */
function wrapperOf({ name: named, plan, rpc, encoded }: BodyPlan, version: SoapVersion): Wrapper {
  const known = wrappers(version).get(plan);
  if (known !== undefined) return known;
  const namespace = escapeAttribute(named.namespace);
  // In no namespace there is no prefix: Namespaces in XML 1.0 forbids to undeclare one.
  const name = rpc && namespace !== '' ? `m:${named.name}` : named.name;
  const prefixed = namespace === '' ? '' : ` xmlns:m="${namespace}"`;
  const declared = rpc ? prefixed : ` xmlns="${namespace}"`;
  const style =
    encoded && version.encodingStyleOn === 'wrapper'
      ? ` soap:encodingStyle="${version.encoding}"`
      : '';
  const wrapper = { open: `<${name}${declared}${style}`, close: `</${name}>` };
  wrappers(version).set(plan, wrapper);
  return wrapper;
}
