import { WSDL } from '../load/load.ts';
import type { XmlTree } from '../load/xml-document.ts';
import type { BindingKind } from '../normal-form.ts';

const WSDL_SOAP = 'http://schemas.xmlsoap.org/wsdl/soap/';
const WSDL_SOAP12 = 'http://schemas.xmlsoap.org/wsdl/soap12/';
const WSDL_HTTP = 'http://schemas.xmlsoap.org/wsdl/http/';
export const WSDL_MIME = 'http://schemas.xmlsoap.org/wsdl/mime/';

/** A port that the engine can serve. */
export interface BoundPort {
  readonly name: string;
  readonly kind: BindingKind;
  readonly binding: XmlTree;
  /** The namespace of the binding's own elements. */
  readonly uri: string;
  readonly location: string;
}

/** Which of the engine's bindings a WSDL binding is; the reason when it is none. */
export function bindingKind(
  binding: XmlTree,
): { readonly kind: BindingKind; readonly uri: string } | string {
  for (const [uri, kind] of [
    [WSDL_SOAP, 'soap11'],
    [WSDL_SOAP12, 'soap12'],
  ] as const) {
    const soap = binding.first(uri, 'binding');
    if (soap === undefined) continue;
    const transport = soap.attribute('transport') ?? 'http://schemas.xmlsoap.org/soap/http';
    const http =
      /^https?:\/\/(schemas\.xmlsoap\.org\/soap\/http|www\.w3\.org\/2003\/05\/soap\/bindings\/HTTP)\/?$/i;
    return http.test(transport) ? { kind, uri } : `its transport is ${transport}`;
  }
  const verb = binding.first(WSDL_HTTP, 'binding')?.attribute('verb')?.toUpperCase();
  if (verb === 'GET') return { kind: 'get', uri: WSDL_HTTP };
  if (verb === 'POST') return { kind: 'post', uri: WSDL_HTTP };
  if (verb !== undefined) return `its HTTP verb is ${verb}`;
  return 'it is neither SOAP nor HTTP';
}

/** The address of a port; empty when it says none. */
export function locationOf(port: XmlTree): string {
  const address = port.children.find((child) => child.uri !== WSDL && child.local === 'address');
  return address?.attribute('location')?.trim() ?? '';
}

/**
 * WS-Addressing 1.0 in a WSDL: its WSDL Binding, and its Metadata, which took the place of that.
 */
const ADDRESSING = [
  'http://www.w3.org/2006/05/addressing/wsdl',
  'http://www.w3.org/2007/05/addressing/metadata',
] as const;
const POLICY_ID =
  '{http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd}Id';

/**
 * Whether a binding says that clients send WS-Addressing headers, itself or by a policy that it
 * refers to.
 */
export function asksForAddressing(binding: XmlTree): boolean {
  const root = binding.parent;
  const says = (tree: XmlTree): boolean =>
    (ADDRESSING.includes(tree.uri as never) &&
      (tree.local === 'UsingAddressing' || tree.local === 'Addressing')) ||
    tree.children.some(says);
  return binding.children.some((child) => {
    if (child.local !== 'PolicyReference') return child.uri !== WSDL && says(child);
    const id = child.attribute('URI')?.replace(/^#/, '');
    return root?.children.some((each) => each.attribute(POLICY_ID) === id && says(each)) ?? false;
  });
}

/** The WS-Addressing action that a port type gives to a message. */
export function addressingAction(message: XmlTree): string | undefined {
  for (const uri of ADDRESSING) {
    const action = message.attribute(`{${uri}}Action`);
    if (action !== undefined) return action;
  }
  return undefined;
}
