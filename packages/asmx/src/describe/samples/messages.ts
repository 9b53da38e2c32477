import {
  type BindingName,
  headerField,
  type Operation,
  type Parameter,
  type Service,
} from '../../contract/service.ts';
import type { Element } from '../../contract/types.ts';
import { soapActionOf } from '../../exchange/compiled.ts';
import { SOAP11, SOAP12, type SoapVersion } from '../../exchange/soap-version.ts';
import { inBody, messageElements, resultElement } from '../../values/message-plan.ts';
import { XSD, XSI } from '../../xml/namespace-names.ts';
import { endpointUrl, type ServiceAddress } from '../service-address.ts';
import { formOperations } from '../wsdl/http-messages.ts';
import { SampleJson } from './json.ts';
import { filledText, joined, type Placeholder, type SamplePart } from './parts.ts';
import { isSaid, SampleTypes } from './types.ts';
import { SampleXml } from './xml.ts';

/** One binding's sample. */
export interface Sample {
  /** Of its section: `soap11`. */
  readonly id: string;
  /** As ASP.NET titles it: `SOAP 1.1`. */
  readonly title: string;
  readonly request: readonly SamplePart[];
  readonly response: readonly SamplePart[];
}

const FORM = 'application/x-www-form-urlencoded';

/** What is asked for a page of samples. */
export interface Sampled {
  readonly service: Service;
  readonly place: ServiceAddress;
  readonly operation: Operation;
}

/**
 * Whether an operation can be called by a binding: GET and POST carry scalars and lists of such.
 */
export function isServedBy({ service, operation }: Sampled, binding: BindingName): boolean {
  const isOn = service.bindings?.includes(binding) ?? true;
  const needsForm = binding === 'get' || binding === 'post';
  return isOn && (!needsForm || formOperations(service).includes(operation));
}

/**
 * The samples of an operation in the bindings that it can be called by, in ASP.NET's order and
 * form; JSON, which it never
 * showed, last.
 */
export function samplesOf(sampled: Sampled): readonly Sample[] {
  const makers: { readonly [B in BindingName]: () => Sample } = {
    soap11: () => soapSample(sampled, SOAP11),
    soap12: () => soapSample(sampled, SOAP12),
    get: () => getSample(sampled),
    post: () => postSample(sampled),
    json: () => jsonSample(sampled),
  };
  return (Object.keys(makers) as BindingName[])
    .filter((binding) => isServedBy(sampled, binding))
    .map((binding) => makers[binding]());
}

function soapSample({ service, place, operation }: Sampled, version: SoapVersion): Sample {
  const { name, action = soapActionOf(place.namespace, name), headers, input, output } = operation;
  const own = version.hasSoapAction ? [`SOAPAction: "${action}"`] : [];
  const written = (kind: 'input' | 'output') => {
    const group = kind === 'input' ? headers?.in : headers?.out;
    const [given, usual] = kind === 'input' ? [input, name] : [output, `${name}Response`];
    const body = { name: given?.name ?? usual, namespace: given?.namespace ?? place.namespace };
    const prefix = version === SOAP11 ? 'soap' : 'soap12';
    return envelope(prefix, version.envelope, [
      ...section(prefix, 'Header', headerLines(service, place, group ?? [])),
      ...section(prefix, 'Body', bodyLines({ service, place, operation }, kind, body), true),
    ]);
  };
  const { name: id, title, contentType } = version;
  return {
    id,
    title,
    request: message(posted(pathOf(place), place, contentType), own, written('input')),
    response: responseOf(operation, contentType, () => written('output')),
  };
}

function envelope(prefix: string, uri: string, content: readonly SamplePart[]): SamplePart[] {
  const declarations = `xmlns:xsi="${XSI}" xmlns:xsd="${XSD}"`;
  return [
    `<?xml version="1.0" encoding="utf-8"?>\n<${prefix}:Envelope ${declarations} xmlns:${prefix}="${uri}">\n`,
    ...content,
    `</${prefix}:Envelope>`,
  ];
}

/** A part of the envelope; one that holds nothing is left out, unless it must be there. */
function section(
  prefix: string,
  name: string,
  lines: readonly SamplePart[],
  always = false,
): SamplePart[] {
  if (lines.length === 0 && !always) return [];
  return [`  <${prefix}:${name}>\n`, ...lines, `  </${prefix}:${name}>\n`];
}

function headerLines(
  service: Service,
  { namespace }: ServiceAddress,
  headers: readonly Element[],
): SamplePart[] {
  const values = xmlOf(service, namespace);
  return headers.flatMap((each) =>
    values.elements(each, { outer: '', inner: namespace, indent: '    ' }),
  );
}

function bodyLines(
  { service, place, operation }: Sampled,
  kind: 'input' | 'output',
  body: { readonly name: string; readonly namespace: string },
): SamplePart[] {
  const elements = messageElements(operation, kind).filter(inBody);
  const inner = operation.style === 'rpc' ? '' : place.namespace;
  const values = xmlOf(service, place.namespace);
  return values.body(elements, operation, body, { inner, indent: '    ' });
}

function xmlOf(service: Service, namespace: string): SampleXml {
  return new SampleXml(new SampleTypes(service, namespace), { isPage: true });
}

function getSample({ service, place, operation }: Sampled): Sample {
  const pairs = formPairs(service, place, operation.parameters);
  const query: SamplePart[] = pairs.length === 0 ? [] : ['?', ...pairs];
  return {
    id: 'http-get',
    title: 'HTTP GET',
    request: [
      `GET ${pathOf(place)}/${operation.name}`,
      ...query,
      ` HTTP/1.1\nHost: ${hostOf(place)}`,
    ],
    response: httpResponse({ service, place, operation }),
  };
}

function postSample({ service, place, operation }: Sampled): Sample {
  const head = posted(`${pathOf(place)}/${operation.name}`, place, FORM);
  return {
    id: 'http-post',
    title: 'HTTP POST',
    request: message(head, [], formPairs(service, place, operation.parameters)),
    response: httpResponse({ service, place, operation }),
  };
}

/**
 * `name=value` pairs; ASP.NET shows an array, which a base64Binary parameter is there, by naming it
 * twice.
 */
function formPairs(
  service: Service,
  { namespace }: ServiceAddress,
  parameters: readonly Parameter[],
): SamplePart[] {
  const values = new SampleTypes(service, namespace);
  const pairs = parameters.flatMap((parameter) => {
    const { name, type, sample } = parameter;
    const named = typeof type === 'string' ? undefined : service.types?.[type.ref];
    const isArray = type === 'base64Binary' || named?.kind === 'array';
    const own = named?.kind === 'array' ? named.item.type : type;
    const text = isSaid(type, sample) ? sample : values.text(own);
    const filled = new URLSearchParams([['', text]]).toString().slice(1);
    const pair: SamplePart[] = [{ key: name }, '=', { placeholder: 'string', filled }];
    return isArray ? [pair, pair] : [pair];
  });
  return joined(pairs, '&');
}

function httpResponse({ service, place, operation }: Sampled): SamplePart[] {
  const result = resultElement(operation);
  if (result === undefined) return ['HTTP/1.1 200 OK'];
  const types = new SampleTypes(service, place.namespace);
  const root = { ...result, ...types.rootOf(result.type) };
  const values = new SampleXml(types, { isPage: true });
  const written = values.elements(root, { outer: '', inner: place.namespace, indent: '' });
  return message(
    ['HTTP/1.1 200 OK', 'Content-Type: text/xml; charset=utf-8'],
    [],
    ['<?xml version="1.0" encoding="utf-8"?>\n', ...withoutEnd(written)],
  );
}

/** Lines without the end of the last. */
function withoutEnd(parts: readonly SamplePart[]): SamplePart[] {
  return [...parts.slice(0, -1), (parts.at(-1) as string).trimEnd()];
}

function jsonSample(sampled: Sampled): Sample {
  const { service, place, operation } = sampled;
  const contentType = 'application/json; charset=utf-8';
  const values = new SampleJson(new SampleTypes(service, place.namespace));
  const fields = (operation.headers?.in ?? []).flatMap((header) => {
    const field = headerField(header.name);
    if (field === undefined) return [];
    return [`${field}: ${JSON.stringify(JSON.parse(filledText(values.element(header, ''))))}`];
  });
  const head = posted(`${pathOf(place)}/${operation.name}`, place, contentType);
  const answer = () => ['{"d":', ...jsonResult(operation, values), '}'];
  return {
    id: 'json',
    title: 'JSON',
    request: message(head, fields, jsonArguments(sampled)),
    response: responseOf(operation, contentType, answer),
  };
}

/** The body of a call by JSON. */
export function jsonArguments({ service, place, operation }: Sampled): readonly SamplePart[] {
  const values = new SampleJson(new SampleTypes(service, place.namespace));
  const members = operation.parameters.map((each): SamplePart[] => [
    '  "',
    { key: each.property ?? each.name },
    '": ',
    ...values.element(each, '  '),
  ]);
  return members.length === 0 ? ['{}'] : ['{\n', ...joined(members, ',\n'), '\n}'];
}

function jsonResult(operation: Operation, values: SampleJson): SamplePart[] {
  const elements = messageElements(operation, 'output');
  const [result] = elements;
  if (result === undefined) return ['null'];
  if ((operation.out ?? []).length === 0) return values.element(result, '');
  const members = elements.map((each): SamplePart[] => [
    `  ${JSON.stringify(each.property ?? each.name)}: `,
    ...values.element(each, '  '),
  ]);
  return ['{\n', ...joined(members, ',\n'), '\n}'];
}

function posted(path: string, place: ServiceAddress, contentType: string): readonly string[] {
  return [`POST ${path} HTTP/1.1`, `Host: ${hostOf(place)}`, `Content-Type: ${contentType}`];
}

function responseOf(
  { oneWay }: Operation,
  contentType: string,
  body: () => readonly SamplePart[],
): readonly SamplePart[] {
  if (oneWay === true) return ['HTTP/1.1 202 Accepted'];
  return message(['HTTP/1.1 200 OK', `Content-Type: ${contentType}`], [], body());
}

/** An HTTP message: its head, the length of its body, further headers, a blank line, the body. */
function message(
  head: readonly string[],
  more: readonly string[],
  body: readonly SamplePart[],
): SamplePart[] {
  const length: Placeholder = {
    placeholder: 'length',
    filled: String(Buffer.byteLength(filledText(body))),
  };
  const tail = more.map((line) => `\n${line}`).join('');
  return [`${head.join('\n')}\nContent-Length: `, length, `${tail}\n\n`, ...body];
}

function pathOf(place: ServiceAddress): string {
  const { pathname, search } = new URL(endpointUrl(place));
  return pathname + search;
}

function hostOf(place: ServiceAddress): string {
  return new URL(endpointUrl(place)).host;
}
