import { resultName, typeName } from '../../../contract/scalar-facts.ts';
import type { Operation, Parameter } from '../../../contract/service.ts';
import { soapActionOf } from '../../../exchange/compiled.ts';
import { inBody } from '../../../values/message-plan.ts';
import { escapeAttribute, escapeText } from '../../../xml/writer.ts';
import { endpointUrl, type ServiceAddress } from '../../service-address.ts';

/** A part of a sample: literal text, a parameter's name, or a placeholder with the value that can stand for it. */
export type SamplePart = string | { readonly key: string } | Placeholder;

interface Placeholder {
  /** What ASP.NET shows: the type's name, or `length`. */
  readonly placeholder: string;
  /** The same place filled from the contract's sample values, encoded for where it stands. */
  readonly filled: string;
  /** Whose value it is, where the page may put the caller's own there. */
  readonly parameter?: string;
  /** How that is written there. */
  readonly writing?: Escape;
}

/** How a value is in the source of a program: in a shell's or PHP's or Delphi's single quotes, or in double ones. */
export type Escape = 'shell' | 'double' | 'php' | 'delphi';

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

/** The samples of an operation in every binding, in ASP.NET's order and form; JSON, which it never showed, last. */
export function samplesOf(place: ServiceAddress, operation: Operation): readonly Sample[] {
  return [
    soapSample(place, operation, SOAP11),
    soapSample(place, operation, SOAP12),
    getSample(place, operation),
    postSample(place, operation),
    jsonSample(place, operation),
  ];
}

interface SoapForm {
  readonly id: string;
  readonly title: string;
  readonly prefix: string;
  readonly envelope: string;
  readonly contentType: string;
  readonly hasActionHeader: boolean;
}

const SOAP11: SoapForm = {
  id: 'soap11',
  title: 'SOAP 1.1',
  prefix: 'soap',
  envelope: 'http://schemas.xmlsoap.org/soap/envelope/',
  contentType: 'text/xml; charset=utf-8',
  hasActionHeader: true,
};

const SOAP12: SoapForm = {
  id: 'soap12',
  title: 'SOAP 1.2',
  prefix: 'soap12',
  envelope: 'http://www.w3.org/2003/05/soap-envelope',
  contentType: 'application/soap+xml; charset=utf-8',
  hasActionHeader: false,
};

function soapSample(place: ServiceAddress, operation: Operation, form: SoapForm): Sample {
  const { name, parameters, result } = operation;
  const action = form.hasActionHeader
    ? [`SOAPAction: "${soapActionOf(place.namespace, name)}"`]
    : [];
  const children = parameters
    .filter(inBody)
    .map((parameter) => element(parameter.name, xmlValue(parameter)));
  return {
    id: form.id,
    title: form.title,
    request: message(
      [
        `POST ${pathOf(place)} HTTP/1.1`,
        `Host: ${hostOf(place)}`,
        `Content-Type: ${form.contentType}`,
      ],
      action,
      envelope(form, place.namespace, name, children),
    ),
    response: message(
      ['HTTP/1.1 200 OK', `Content-Type: ${form.contentType}`],
      [],
      envelope(form, place.namespace, `${name}Response`, [
        element(`${name}Result`, resultValue(result)),
      ]),
    ),
  };
}

function envelope(
  form: SoapForm,
  namespace: string,
  name: string,
  children: readonly (readonly SamplePart[])[],
): SamplePart[] {
  const { prefix } = form;
  const declarations =
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"';
  const open = `${name} xmlns="${escapeAttribute(namespace)}"`;
  const content: SamplePart[] =
    children.length === 0
      ? [`    <${open} />\n`]
      : [
          `    <${open}>\n`,
          ...children.flatMap((child) => ['      ', ...child, '\n']),
          `    </${name}>\n`,
        ];
  return [
    `<?xml version="1.0" encoding="utf-8"?>\n<${prefix}:Envelope ${declarations} xmlns:${prefix}="${form.envelope}">\n`,
    `  <${prefix}:Body>\n`,
    ...content,
    `  </${prefix}:Body>\n</${prefix}:Envelope>`,
  ];
}

function getSample(place: ServiceAddress, operation: Operation): Sample {
  const pairs = formPairs(operation.parameters);
  const query: SamplePart[] = pairs.length === 0 ? [] : ['?', ...pairs];
  return {
    id: 'http-get',
    title: 'HTTP GET',
    request: [
      `GET ${pathOf(place)}/${operation.name}`,
      ...query,
      ` HTTP/1.1\nHost: ${hostOf(place)}`,
    ],
    response: httpResponse(place, operation),
  };
}

function postSample(place: ServiceAddress, operation: Operation): Sample {
  const request = [
    `POST ${pathOf(place)}/${operation.name} HTTP/1.1`,
    `Host: ${hostOf(place)}`,
    `Content-Type: ${FORM}`,
  ];
  return {
    id: 'http-post',
    title: 'HTTP POST',
    request: message(request, [], formPairs(operation.parameters)),
    response: httpResponse(place, operation),
  };
}

/** `name=value` pairs; ASP.NET shows an array, which a base64Binary parameter is there, by naming it twice. */
function formPairs(parameters: readonly Parameter[]): SamplePart[] {
  const pairs = parameters.flatMap((parameter) => {
    const pair: SamplePart[] = [
      { key: parameter.name },
      '=',
      {
        placeholder: 'string',
        filled: new URLSearchParams([['', parameter.sample]]).toString().slice(1),
      },
    ];
    return parameter.type === 'base64Binary' ? [pair, pair] : [pair];
  });
  return join(pairs, '&');
}

function httpResponse(place: ServiceAddress, { result }: Operation): SamplePart[] {
  return message(
    ['HTTP/1.1 200 OK', 'Content-Type: text/xml; charset=utf-8'],
    [],
    [
      '<?xml version="1.0" encoding="utf-8"?>\n',
      `<${resultName(result)} xmlns="${escapeAttribute(place.namespace)}">`,
      resultValue(result),
      `</${resultName(result)}>`,
    ],
  );
}

function jsonSample(place: ServiceAddress, operation: Operation): Sample {
  const contentType = 'Content-Type: application/json; charset=utf-8';
  const members = operation.parameters.map((parameter): SamplePart[] => [
    '  ',
    ...jsonMember(parameter),
  ]);
  return {
    id: 'json',
    title: 'JSON',
    request: message(
      [`POST ${pathOf(place)}/${operation.name} HTTP/1.1`, `Host: ${hostOf(place)}`, contentType],
      [],
      members.length === 0 ? ['{}'] : ['{\n', ...join(members, ',\n'), '\n}'],
    ),
    response: message(
      ['HTTP/1.1 200 OK', contentType],
      [],
      operation.result === 'string'
        ? ['{"d":"', resultValue('string'), '"}']
        : ['{"d":', resultValue('boolean'), '}'],
    ),
  };
}

function jsonMember({ name, type, sample }: Parameter): SamplePart[] {
  const key: SamplePart[] = ['"', { key: name }, '": '];
  if (type === 'int' || type === 'boolean')
    return [...key, { placeholder: typeName(type), filled: sample }];
  return [
    ...key,
    '"',
    { placeholder: typeName(type), filled: JSON.stringify(sample).slice(1, -1) },
    '"',
  ];
}

function element(name: string, value: SamplePart): SamplePart[] {
  return [`<${name}>`, value, `</${name}>`];
}

function xmlValue({ type, sample }: Parameter): Placeholder {
  return { placeholder: typeName(type), filled: escapeText(sample) };
}

function resultValue(result: Operation['result']): Placeholder {
  return { placeholder: resultName(result), filled: result === 'boolean' ? 'true' : 'string' };
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

/** A sample's text with its sample values in place. */
export function filledText(pieces: readonly SamplePart[]): string {
  return pieces
    .map((piece) => (typeof piece === 'string' ? piece : 'key' in piece ? piece.key : piece.filled))
    .join('');
}

function join(lists: readonly (readonly SamplePart[])[], separator: string): SamplePart[] {
  return lists.flatMap((list, index) => (index === 0 ? list : [separator, ...list]));
}

function pathOf(place: ServiceAddress): string {
  const { pathname, search } = new URL(endpointUrl(place));
  return pathname + search;
}

function hostOf(place: ServiceAddress): string {
  return new URL(endpointUrl(place)).host;
}
