// takes: FOLDER
/**
 * The request and response samples of npm soap's own tests, judged on this client: a folder for each, as
 * `test/request-response-samples` of github.com/vpulim/node-soap has them. A request is equal when its body is, up to
 * prefixes; an answer is read equal when the values that were read say what the sample's JSON says.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileMessages, type MessagePlan } from '../../../asmx/src/values/message-plan.ts';
import type { ElementPlan, ObjectPlan, Plan } from '../../../asmx/src/values/plan.ts';
import { XmlValueWriter } from '../../../asmx/src/values/write-xml.ts';
import { escapeAttribute, escapeText } from '../../../asmx/src/xml/writer.ts';
import { bodyOf, difference } from '../../../asmx/test/kit/xml-equal.ts';
import { engineService } from '../../src/from/emit/engine-service.ts';
import { soapClientOf } from '../../src/from/soap-of-wsdl.ts';
import { readWsdl } from '../../src/from/wsdl/read-wsdl.ts';
import type { WholeAnswer } from '../../src/soap/answer-reader.ts';
import { CLIENT_LIMITS } from '../../src/soap/limits.ts';
import { readAnswer } from '../../src/soap/read-answer.ts';

const FOLDER = process.env.SYSTEM_FOLDER ?? '';
type Json = unknown;
type Outcome = 'equal' | string;

test('every sample of a folder', async () => {
  const names = readdirSync(FOLDER).filter((name) => existsSync(join(FOLDER, name, 'soap.wsdl')));
  assert.ok(names.length > 0, 'the folder holds no samples');
  const requests: [string, Outcome][] = [];
  const answers: [string, Outcome][] = [];
  for (const name of names) {
    const { request, answer } = await judge(name).catch((error: Error) => {
      const why = `${error.name}: ${error.message}`;
      const has = (file: string) => (existsSync(join(FOLDER, name, file)) ? why : undefined);
      return { request: has('request.xml'), answer: has('response.xml') };
    });
    if (request !== undefined) requests.push([name, request]);
    if (answer !== undefined) answers.push([name, answer]);
  }
  for (const [title, all] of [
    ['requests', requests],
    ['answers', answers],
  ] as const) {
    const equal = all.filter(([, outcome]) => outcome === 'equal').length;
    const share = ((100 * equal) / all.length).toFixed(1);
    process.stdout.write(`\n${title}: ${equal} of ${all.length} equal, ${share} %\n`);
    const others = all.filter(([, outcome]) => outcome !== 'equal');
    const causes = Map.groupBy(others, ([name, outcome]) => causeOf(name, outcome));
    for (const [cause, found] of [...causes].sort((a, b) => b[1].length - a[1].length)) {
      process.stdout.write(`${cause}: ${found.length}\n`);
      for (const [name, outcome] of found) process.stdout.write(`  ${name}\n    ${outcome}\n`);
    }
  }
});

/** Why samples are not equal, where that is no matter of this client. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/undeclared prefix|Failed to parse QName/, 'the sample is no XML with namespaces'],
  [/contract has no|DummyAccount is gone/, 'npm soap writes names that the WSDL has not'],
  [
    /@\{?\}?(type|language|subsidiary)\b.*(became undefined|none)/,
    'npm soap passes on attributes that the WSDL has not',
  ],
  [/there must be a value/, 'npm soap leaves out what the WSDL requires'],
  [
    /(Addresses became .*Phones)|firstName became/,
    'npm soap writes elements in the order of the JSON, not of the schema',
  ],
  [/no envelope of SOAP|stand before the root/, 'the answer is no SOAP'],
  [
    /must have the length|not the form|not base64|"" became "false"|became "zoned/,
    'npm soap takes values that are none of their type',
  ],
  [/DummyFilter: undefined became ""/, 'npm soap writes xsi:nil where the WSDL forbids it'],
  [/MTOMService/, 'npm soap ignores the namespace of soap:body (WS-I R2717)'],
  [/none of this call|Status\/Result|Items\/Item\b/, 'the answer is not what its WSDL says'],
  [/RecordRef became undefined/, 'npm soap repeats the declared type in xsi:type'],
  [/sessionId\/@.*string|arrayType/, 'npm soap leaves out the types of SOAP encoding'],
  [
    /UniqueID became|: undefined became ""$/,
    'an option of npm soap that gives values another form',
  ],
  [/\{\}ModelCRUD|DummyStringFilter became/, 'npm soap guesses a namespace'],
  [/is nowhere/, 'the WSDL refers to a binding that is nowhere'],
  [
    /theValue|NamedNestedSimpleType|forms\/form/,
    'an option of npm soap that gives values another form',
  ],
];

function causeOf(name: string, outcome: string): string {
  const found = CAUSES.find(([pattern]) => pattern.test(outcome));
  return (
    found?.[1] ??
    (name.includes('xml_key')
      ? 'an option of npm soap that gives values another form'
      : 'of this client')
  );
}

/** What is compared of one sample; `undefined` for what it has not. */
async function judge(sample: string): Promise<{ request?: Outcome; answer?: Outcome }> {
  const text = (file: string) => {
    const path = join(FOLDER, sample, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  const json = (file: string): Json => {
    const found = text(file);
    return found === undefined ? undefined : JSON.parse(found);
  };
  const read = await readWsdl(join(FOLDER, sample, 'soap.wsdl'), { lenient: true });
  const service = engineService(read.service);
  const wanted = sample.split('__')[0]!;
  const operation = service.operations.find(({ name, operationName = name }) =>
    [name, operationName].includes(wanted),
  );
  if (operation === undefined)
    throw new Error(`there is no operation ${wanted}; ${read.notes.join(' ')}`);
  const message = compileMessages(service, service.namespace!).get(operation.name)!;
  const [requestXml, responseXml] = [text('request.xml'), text('response.xml')];
  let sent: string | undefined;
  const types = json('responseHttpHeader.json') as Record<string, string> | undefined;
  const client = soapClientOf(read, {
    url: 'http://localhost/',
    retries: 0,
    fetch: async (_, init) => {
      sent = String(init?.body);
      throw new TypeError('nothing is called');
    },
  });
  const outcome = async (judged: () => Promise<Outcome>): Promise<Outcome> =>
    judged().catch((error: Error) => `${error.name}: ${error.message}`);
  const request =
    requestXml === undefined
      ? undefined
      : await outcome(async () => {
          const input = inputOf(message, json('request.json'));
          const answered = await client.$call(operation.name, input).catch((error: Error) => error);
          return compared(requestXml, sent ?? '', answered);
        });
  const expected = json('response.json') ?? json('error_response.json');
  if (responseXml === undefined || expected === undefined) return { ...has({ request }) };
  const answer = await outcome(async () => {
    const body = types === undefined ? responseXml : responseXml.replace(/\r?\n/g, '\r\n');
    const headers = { 'Content-Type': 'text/xml', ...types };
    const wish = { message, limits: CLIENT_LIMITS, timeZone: 'UTC', stream: undefined };
    const lost = (error: unknown) => error;
    const answered = await readAnswer(new Response(body, { headers }), { ...wish, lost });
    return readEqual(message, answered, expected);
  });
  return { ...has({ request }), answer };
}

const has = ({ request }: { readonly request: Outcome | undefined }) =>
  request === undefined ? {} : { request };

function compared(expected: string, sent: string, answered: unknown): Outcome {
  if (sent === '') return `nothing was sent: ${String(answered)}`;
  // Blanks between elements are of the sample's lines.
  const [before, after] = [expected, sent].map((xml) => bodyOf(xml.replace(/>\s+</g, '><'))) as [
    ReturnType<typeof bodyOf>,
    ReturnType<typeof bodyOf>,
  ];
  if (before.length !== after.length) return `${after.length} elements in the body`;
  for (const [at, each] of before.entries()) {
    if (each.name !== after[at]!.name) return `${each.name} became ${after[at]!.name}`;
    const found = difference(each, after[at]!);
    if (found !== undefined) return found;
  }
  return 'equal';
}

/** An input as npm soap takes it, by names of elements, as the values of a contract. */
function inputOf({ request, bare }: MessagePlan, given: Json): Record<string, unknown> {
  const [only] = request.elements;
  if (!bare || only === undefined) return membersOf(request, (given ?? {}) as Record<string, Json>);
  const inside = (given as Record<string, Json> | null)?.[only.name];
  const isNamed = inside !== undefined && only.plan.kind !== 'object';
  return { [only.property]: valueFrom(only, isNamed ? inside : given) };
}

function membersOf(declared: ObjectPlan, given: Record<string, Json>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const attributes = (given.attributes ?? given.$attributes ?? {}) as Record<string, Json>;
  const said = attributes.xsi_type ?? attributes['xsi:type'];
  const type = typeof said === 'object' && said !== null ? (said as { type?: string }).type : said;
  const local = String(type).replace(/^.*:/, '');
  const plan = declared.family.get(local) ?? declared;
  if (type !== undefined) values.$type = plan.key || local;
  for (const [key, value] of Object.entries(given)) {
    if (key === 'attributes' || key === '$attributes') continue;
    if (key === '$value') {
      values.value = plan.text === undefined ? value : typedValue(plan.text, '', value);
      continue;
    }
    const local = key.replace(/^[^:]*:/, '');
    const [element] = plan.byName.get(local) ?? [];
    if (element === undefined) values[local] = value;
    else values[element.property] = elementOf(element, value);
  }
  for (const [key, value] of Object.entries(attributes)) {
    const attribute = plan.attributes.find(({ name }) => name === key.replace(/^[^:]*:/, ''));
    if (attribute !== undefined) values[attribute.property] = valueFrom(attribute, value);
  }
  return values;
}

function elementOf(element: ElementPlan, given: Json): unknown {
  if (!element.repeated) return valueFrom(element, given);
  return (Array.isArray(given) ? given : [given]).map((each) => valueFrom(element, each));
}

const valueFrom = (
  { plan, namespace }: { readonly plan: Plan; readonly namespace: string },
  given: Json,
) => typedValue(plan, namespace, given);

function typedValue(plan: Plan, namespace: string, given: Json): unknown {
  if (given === null || given === undefined) return given;
  // Of what has no type: as npm soap writes it, by the names that were given.
  if (plan.kind === 'any') return { $type: 'anyType', xml: xmlOf(given, namespace) };
  if (plan.kind === 'simple') {
    const inside = typeof given === 'object' && '$value' in given ? (given.$value as Json) : given;
    return typeof inside === 'object'
      ? inside
      : plan.parse(textOf(inside), { form: 'text', timeZone: 'UTC', now: Date.now });
  }
  if (plan.kind === 'array') {
    const items = (given as Record<string, Json>)[plan.item.name] ?? [];
    return (Array.isArray(items) ? items : [items]).map((each) => valueFrom(plan.item, each));
  }
  if (plan.kind !== 'object') return given;
  return typeof given === 'object'
    ? membersOf(plan, given as Record<string, Json>)
    : { value: plan.text === undefined ? given : typedValue(plan.text, '', given) };
}

/** npm soap writes a section of CDATA as it is; it means its text. */
const textOf = (given: Json) => String(given).replace(/^<!\[CDATA\[(.*)\]\]>$/s, '$1');

function xmlOf(given: Json, namespace: string): string {
  if (typeof given !== 'object' || given === null) return escapeText(textOf(given ?? ''));
  return Object.entries(given)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map(
        (each) =>
          `<${name} xmlns="${escapeAttribute(namespace)}">${xmlOf(each, namespace)}</${name}>`,
      ),
    )
    .join('');
}

/** Whether what was read says what the JSON of npm soap says: each text at its path. */
function readEqual(message: MessagePlan, answered: WholeAnswer, expected: Json): Outcome {
  const { fault, result } = answered;
  if (fault !== undefined) {
    const says = JSON.stringify(expected);
    return says.includes(fault.reason) ? 'equal' : `a fault: ${fault.reason}`;
  }
  const { out, result: first, response, bare } = message;
  const parts =
    out.length === 0 ? { value: result, out: {} } : (result as { value: unknown; out: object });
  const values = {
    ...(first === undefined ? {} : { [first.property]: parts.value }),
    ...parts.out,
  };
  const writer = new XmlValueWriter(false);
  writer.content(response, values, '');
  const XSD = 'http://www.w3.org/2001/XMLSchema';
  const body = `<Body>${String(writer.end())}</Body>`;
  const envelope = `<e xmlns:xsi="${XSD}-instance" xmlns:xsd="${XSD}">${body}</e>`;
  type Tree = ReturnType<typeof bodyOf>[number];
  const found: string[] = [];
  const visit = ({ name, text, children, attributes }: Tree, path: string) => {
    const here = `${path}/${name.replace(/^\{.*\}/, '')}`;
    const isNil = [...attributes.keys()].some((key) => key.endsWith('}nil'));
    for (const [key, value] of attributes)
      if (!key.includes('XMLSchema-instance'))
        found.push(`${here}/@${key.replace(/^\{.*\}/, '')}=${canonical(value)}`);
    for (const child of children) visit(child, here);
    if (children.length === 0 && (text ?? '') !== '' && !isNil)
      found.push(`${here}=${canonical(text!)}`);
  };
  for (const root of bodyOf(envelope)) {
    if (bare) for (const child of root.children) visit(child, '');
    else visit(root, '');
    if (bare)
      for (const [key, value] of root.attributes)
        if (!key.includes('XMLSchema-instance'))
          found.push(`/@${key.replace(/^\{.*\}/, '')}=${canonical(value)}`);
    if (bare && root.children.length === 0 && (root.text ?? '') !== '')
      found.push(`=${canonical(root.text!)}`);
  }
  const wanted: string[] = [];
  const flatten = (given: Json, path: string): void => {
    if (given === null || given === undefined) return;
    if (Array.isArray(given)) for (const each of given) flatten(each, path);
    else if (typeof given !== 'object') {
      if (String(given) !== '') wanted.push(`${path}=${canonical(String(given))}`);
    } else
      for (const [key, value] of Object.entries(given)) {
        if (key === '$value') flatten(value, path);
        else if (key === 'attributes' || key === '$attributes')
          for (const [name, each] of Object.entries(value as object)) {
            const local = name.replace(/^[^:]*:/, '');
            if (!name.startsWith('xsi')) flatten(each, `${path}/@${local}`);
          }
        else flatten(value, `${path}/${key.replace(/^[^:]*:/, '')}`);
      }
  };
  flatten(expected, '');
  const [left, right] = [wanted.sort(), found.sort()];
  if (JSON.stringify(left) === JSON.stringify(right)) return 'equal';
  const missing = left.filter((each) => !right.includes(each)).slice(0, 3);
  const more = right.filter((each) => !left.includes(each)).slice(0, 3);
  return `not read: ${missing.join(', ') || 'none'}; read besides: ${more.join(', ') || 'none'}`;
}

/** A text in its value space: numbers, booleans and instants are written in several ways. */
function canonical(text: string): string {
  const trimmed = text.trim();
  const instant = /^(?:zoned|local) (-?\d+) ?(\d*)$/.exec(trimmed);
  if (instant !== null)
    return new Date(Number(instant[1]) + 1000 * Number(`.${instant[2] || 0}`)).toISOString();
  if (/^\d{4}-\d\d-\d\dT/.test(trimmed)) return new Date(trimmed).toISOString();
  if (trimmed !== '' && Number.isFinite(Number(trimmed)) && trimmed.length < 16)
    return String(Number(trimmed));
  return trimmed.replace(/\s+/g, ' ');
}
