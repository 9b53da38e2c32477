import type { Service as EngineService } from '../../../../asmx/src/contract/service.ts';
import { createEndpoint } from '../../../../asmx/src/engine/endpoint.ts';
import type { Endpoint } from '../../../../asmx/src/index.ts';
import { escapeAttribute } from '../../../../asmx/src/xml/writer.ts';
import { ask } from '../../../../asmx/test/kit/ask.ts';
import { engineService } from '../../../src/from/emit/engine-service.ts';
import type { Element, Operation, Particle, Service } from '../../../src/from/normal-form.ts';
import { OldSamples, SampleTooLarge } from '../../../src/from/samples.ts';
import { isSameValue, xmlValues } from '../../../src/from/traffic/compare-answers.ts';

const PATH = '/Echo.asmx';

/** A server that gives back a value of each element. */
export class Echo {
  readonly #service: Service;
  readonly #elements: readonly Element[];
  readonly #echo: Service;
  readonly #endpoint: ReturnType<typeof createEndpoint>;
  readonly #writer: OldSamples;
  /** What the handler got last. */
  #got: unknown;

  constructor(service: Service, elements: readonly Element[]) {
    this.#service = service;
    this.#echo = echoService(service, elements.map(inEnvelope));
    this.#elements = this.#echo.operations.flatMap(({ parameters }) => parameters);
    const engine: EngineService = { ...engineService(this.#echo), bindings: ['soap11'] };
    const handlers = Object.fromEntries(
      engine.operations.map(({ name, parameters }) => {
        const [parameter] = parameters;
        const property = parameter?.property ?? parameter?.name ?? '';
        return [
          name,
          (input: Record<string, unknown>) => {
            this.#got = input[property];
            return this.#got;
          },
        ];
      }),
    ) as Record<string, never>;
    const baseUrl = () => 'http://localhost';
    this.#endpoint = createEndpoint(engine, { handlers, path: PATH, baseUrl });
    this.#writer = new OldSamples(this.#echo);
  }

  /** Sends a sample of an element. @returns it, the value that was read of it, and the answer. */
  async send(index: number) {
    const name = `Echo${index}`;
    const { namespace } = this.#service;
    const sent = this.#writer.elements(this.#elements[index]!, namespace);
    const body = `<${name} xmlns="${escapeAttribute(namespace)}">${sent}</${name}>`;
    const { action } = this.#echo.operations[index]!;
    const answer = await soapCall(this.#endpoint, PATH, { action, body });
    return { name, sent, body, answer, got: this.#got };
  }
}

const VERSIONS = {
  soap11: {
    uri: 'http://schemas.xmlsoap.org/soap/envelope/',
    headers: (action: string) => ({
      'content-type': 'text/xml; charset=utf-8',
      soapaction: `"${action}"`,
    }),
  },
  soap12: {
    uri: 'http://www.w3.org/2003/05/soap-envelope',
    headers: (action: string) => ({
      'content-type': `application/soap+xml; charset=utf-8; action="${action}"`,
    }),
  },
} as const;

/** The envelope of an answer, which may have parts beside it. */
function envelopeOf(answer: string): string {
  const [boundary = ''] = /^--\S+/.exec(answer) ?? [];
  if (boundary === '') return answer;
  const [root = ''] = answer.slice(boundary.length).split(`\r\n${boundary}`);
  return root.slice(root.indexOf('\r\n\r\n') + 4);
}

/** A call by SOAP. */
export async function soapCall(
  endpoint: Endpoint,
  path: string,
  { action, body }: { readonly action: string; readonly body: string },
  version: keyof typeof VERSIONS = 'soap11',
) {
  const { uri, headers } = VERSIONS[version];
  const answer = await ask(endpoint, {
    target: path,
    headers: headers(action),
    body: `<s:Envelope xmlns:s="${uri}"><s:Body>${body}</s:Body></s:Envelope>`,
  });
  const text = envelopeOf(String(answer.body));
  return { status: answer.status, warning: answer.headers['X-Warning'], text };
}

/**
 * Sends a value of each element of a contract to a server that gives it back.
 * @returns what was wrong first; `undefined` when everything came back as it was sent.
 */
export async function roundTrip(service: Service): Promise<string | undefined> {
  const elements = elementsOf(service);
  const echo = new Echo(service, elements);
  const defaults = defaultsOf(service, elements);
  for (const [index, element] of elements.entries()) {
    const { name, sent, body, answer } = await echo.send(index).catch((error) => {
      if (error instanceof SampleTooLarge) return { sent: undefined } as never;
      throw error;
    });
    if (sent === undefined) continue;
    const where = `${element.name} (${typeof element.type === 'string' ? element.type : element.type.ref})`;
    if (answer.status !== 200)
      return `${where}: ${answer.text.replace(/^.*<faultstring>|<\/faultstring>.*$/gs, '')} for ${sent.slice(0, 300)}`;
    const difference = compared(body, name, answer.text, defaults);
    if (difference !== undefined) return `${where}: ${difference} for ${sent.slice(0, 300)}`;
  }
  return undefined;
}

/** Every element that messages carry, each type once. */
function elementsOf({ operations }: Service): readonly Element[] {
  const elements = new Map<string, Element>();
  for (const { parameters, result, out, headers, faults } of operations) {
    const carried = [
      ...parameters,
      ...(result === undefined ? [] : [result]),
      ...out,
      ...headers.in,
      ...headers.out,
    ];
    for (const element of [...carried, ...faults.map((fault) => fault.element)]) {
      const { type, max, namespace } = element;
      const key = `${typeof type === 'string' ? type : `#${type.ref}`} ${max === 1} ${namespace === ''}`;
      if (!elements.has(key)) elements.set(key, element);
    }
  }
  return [...elements.values()].map(inEnvelope);
}

/** The same bytes inside the envelope: what they are beside it is seen in the calls. */
function inEnvelope({ attachment: _, ...element }: Element): Element {
  return element;
}

/** A service that gives back what it is given. Encoded arrays are written as literal ones are. */
function echoService(service: Service, elements: readonly Element[]): Service {
  const operations = elements.map((element, index): Operation => {
    const name = `Echo${index}`;
    return {
      name,
      style: 'wrapped',
      use: 'literal',
      action: `${service.namespace.replace(/\/$/, '')}/${name}`,
      input: { name, namespace: service.namespace },
      parameters: [element],
      output: { name: `${name}Response`, namespace: service.namespace },
      result: element,
      out: [],
      headers: { in: [], out: [] },
      faults: [],
    };
  });
  const echo = { ...service, operations };
  return JSON.parse(JSON.stringify(echo).replaceAll('"type":"swaRef"', '"type":"base64Binary"'));
}

/** Instants are written with milliseconds, and numbers without the zeros that a bound of a type begins with. */
function canonical(value: string): string {
  return value.replace(/(T\d\d:\d\d:\d\d)\.000(?=Z|[+-]|$)/, '$1').replace(/^0+(?=\d+$)/, '');
}

/** What was sent and what came back, by what they say. */
function compared(
  sent: string,
  name: string,
  answer: string,
  defaults: ReadonlySet<string>,
): string | undefined {
  const inside = (text: string, root: string) =>
    (xmlValues(text) ?? [])
      .filter(([path]) => path.startsWith(root) && !/@(type|nil|namespace|arrayType)$/.test(path))
      .map(([path, value, names]) => [path.slice(root.length), value, names] as const)
      // A data set is written anew: its values are compared in the calls.
      .filter(([path]) => !/\/(schema|diffgram)\b/.test(path));
  const all = inside(sent, `${name}/`);
  const after = inside(answer, `Envelope/Body/${name}Response/`);
  const there = new Set(after.map(([path]) => path));
  // As in .NET, what is as the schema's default is left out.
  const before = all.filter(
    ([path, value]) => there.has(path) || !defaults.has(`${localName(path)}=${value}`),
  );
  for (const [index, value] of before.entries()) {
    const own = after[index] ?? (['nothing', ''] as const);
    if (value[0] !== own[0]) return `${value[0]} came back as ${own[0]}`;
    if (!isSameValue(value, own, (theirs, ours) => canonical(theirs) === canonical(ours)))
      return `${value[0]}: ${JSON.stringify(value[1])} came back as ${JSON.stringify(own[1])}`;
  }
  return after.length > before.length ? `${after[before.length]![0]} came back unasked` : undefined;
}

/** `name=value` of the elements and attributes that have a default. */
function defaultsOf({ types }: Service, elements: readonly Element[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (particle: Particle): void => {
    if ('content' in particle) particle.content.forEach(visit);
    else if (particle.kind !== 'any' && particle.default !== undefined)
      found.add(`${particle.name}=${particle.default}`);
  };
  elements.forEach(visit);
  for (const type of Object.values(types)) {
    if (type.kind !== 'object') continue;
    type.content.forEach(visit);
    for (const { name, default: initial } of type.attributes)
      if (initial !== undefined) found.add(`${name}=${initial}`);
  }
  return found;
}

function localName(path: string): string {
  return path.replace(/^.*\/@?/, '').replace(/\[\d+\]$/, '');
}
