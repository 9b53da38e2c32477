// takes: FOLDER
/**
 * The request and response samples of npm soap's own tests, judged on this client: a folder for each, as
 * `test/request-response-samples` of github.com/vpulim/node-soap has them. A request is equal when its body is, up to
 * prefixes; an answer is read equal when the values that were read say what the sample's JSON says. What is not equal is
 * looked at by libxml2, which is neither npm soap nor this engine: many samples are wrong by the schema of their own WSDL,
 * which npm soap does not check. The reasons of the others are named below; one without a reason fails the test.
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
import { wrongByOwnSchema } from './node-soap/own-schema.ts';

const FOLDER = process.env.SYSTEM_FOLDER ?? '';
type Json = unknown;
type Outcome = 'equal' | string;
const WRONG_NAME = 'names are sent that the WSDL does not have';
const NO_XML = 'the sample is no XML with namespaces';
const NO_ENVELOPE = 'the answer is no envelope of SOAP';

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
  const ours = [...report('requests', requests), ...report('answers', answers)];
  assert.deepEqual(ours, [], 'differences without a reason outside of this client');
});

/** Prints how many are equal, and the others by their reasons. @returns those that have none. */
function report(title: keyof typeof REASONS, all: readonly [string, Outcome][]): string[] {
  const equal = all.filter(([, outcome]) => outcome === 'equal');
  const others = all.filter(([, outcome]) => outcome !== 'equal');
  const byReason = Map.groupBy(others, ([name]) => reasonOf(title, name));
  const ours = byReason.get(undefined) ?? [];
  byReason.delete(undefined);
  const sound = equal.length + ours.length;
  const share = (of: number) => `${((100 * equal.length) / of).toFixed(1)} %`;
  process.stdout.write(
    `\n${title}: ${equal.length} of ${all.length} equal, ${share(all.length)}; ` +
      `of the ${sound} that are right by their WSDL ${share(sound)}\n`,
  );
  for (const [reason, found] of [...byReason].sort((a, b) => b[1].length - a[1].length)) {
    process.stdout.write(`${found.length} ${reason}\n`);
    for (const [name, outcome] of found)
      process.stdout.write(`    ${name}\n        ${outcome.slice(0, 200)}\n`);
  }
  return ours.map(([name, outcome]) => `${name}: ${outcome}`);
}

/** What is wrong with a sample by its own schema, or in another way; `undefined` for nothing. */
function reasonOf(title: keyof typeof REASONS, name: string): string | undefined {
  const file = title === 'requests' ? 'request.xml' : 'response.xml';
  const known = Object.entries(REASONS[title]).find(([start]) => name.startsWith(start));
  if (known !== undefined) return known[1];
  const wrong = wrongByOwnSchema(
    join(FOLDER, name),
    readFileSync(join(FOLDER, name, file), 'utf8'),
  );
  return wrong === undefined ? undefined : `wrong by its own schema: ${kindOf(wrong)}`;
}

/** One kind of what libxml2 says, without the names. */
const kindOf = (wrong: string) => KINDS.find(([pattern]) => pattern.test(wrong))?.[1] ?? wrong;

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/not expected|Missing child|No matching global/, 'other elements, or in another order'],
  [/attribute '.*' is not allowed/, 'an attribute that the type does not have'],
  [/not 'nillable'/, 'xsi:nil where the element may not be nil'],
  [/not a valid value|facet|content is not allowed/, 'a value that is none of its type'],
];

/**
 * Why samples are not equal, each by the beginning of its name, where libxml2 finds nothing wrong or cannot tell: it reads
 * neither broken schemas nor operations in rpc style.
 */
const REASONS: Readonly<Record<'requests' | 'answers', Readonly<Record<string, string>>>> = {
  requests: {
    Message__Messages_suffixed: WRONG_NAME,
    Message__overriding: WRONG_NAME,
    getAvailability__: WRONG_NAME,
    get__complex_extension: WRONG_NAME,
    update__complex_extension_with_array_attributes: 'elements stand in the order of the JSON',
    Dummy__should_use_defined_xml_key_in_first: NO_XML,
    login__complex_schema_xmlns_with_array: NO_XML,
    GET_DATA__: NO_XML,
    addPets__: NO_XML,
    Login__unsupported: 'parts of an rpc message are left out, one of them a number',
    multiCall__: 'parts of an rpc message are left out, and the types of SOAP encoding',
    NoParams__: 'soap:body has no namespace; npm soap takes that of the WSDL, PHP and .NET none',
    getAttachments__: 'soap:body has a namespace; npm soap takes that of the WSDL (WS-I R2717)',
    Dummy__ref_element: 'the option overrideElementKey of npm soap gives elements other names',
    Dummy__should_work_with_imported_schemas_that_have_aliases: 'a type names an element',
    createData__: 'a type is nowhere; npm soap leaves its namespace out, though the schema has one',
    RetrieveFareQuote: 'the value of a dateTime is none',
    addList__: 'xsi:type repeats the declared type, which means the same',
  },
  answers: {
    Dummy__ref_element: NO_ENVELOPE,
    Dummy__should_extract_envelope: NO_ENVELOPE,
    getAppointmentNumber__: NO_ENVELOPE,
    SetResource__: NO_XML,
    Dummy__should_use_defined_xml_key_in_first: NO_XML,
    login__complex_schema_xmlns_with_array: NO_XML,
    addList__: WRONG_NAME,
    addPrefix__: WRONG_NAME,
    update__complex_extension: WRONG_NAME,
    getAttachments__: 'the content of base64Binary is the text cid:… of SoapUI',
    Dummy__should_handle_inline_types: 'a customDeserializer of the sample makes values of texts',
    Dummy__should_ignore_defined_namespaces: 'an option of npm soap: the key of texts',
    Dummy__should_handle_cdata: 'npm soap reads the XML that a string holds',
  },
};

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
    const headers = new Headers({ 'Content-Type': 'text/xml' });
    for (const [name, value] of Object.entries(types ?? {})) headers.set(name, value);
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
            if (!SAYS_TYPE.test(name)) flatten(each, `${path}/@${local}`);
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

/** Attributes of JSON that say which type a value has; the value that was read has it. */
const SAYS_TYPE = /^(xsi|XMLSchema-instance):|:arrayType$/;

/** A text in its value space: numbers, booleans and instants are written in several ways. */
function canonical(text: string): string {
  const trimmed = text.trim();
  const instant = /^(?:zoned|local) (-?\d+) ?(\d*)$/.exec(trimmed);
  if (instant !== null)
    return new Date(Number(instant[1]) + 1000 * Number(`.${instant[2] || 0}`)).toISOString();
  if (/^\d{4}-\d\d-\d\d(T|$)/.test(trimmed)) return new Date(trimmed).toISOString();
  if (trimmed !== '' && Number.isFinite(Number(trimmed)) && trimmed.length < 16)
    return String(Number(trimmed));
  return trimmed.replace(/\s+/g, ' ');
}
