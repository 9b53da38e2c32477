import type { Service as EngineService } from '../../../asmx/src/contract/service.ts';
import { createEndpoint } from '../../../asmx/src/engine/endpoint.ts';
import { bytesBody } from '../../../asmx/src/message/http.ts';
import { escapeAttribute } from '../../../asmx/src/xml/writer.ts';
import { engineService } from '../../src/from/emit/engine-service.ts';
import type { Element, Operation, Particle, Service } from '../../src/from/normal-form.ts';
import { SampleWriter } from '../../src/from/sample/sample-xml.ts';
import { isSameValue, xmlValues } from '../../src/from/traffic/compare-answers.ts';

const PATH = '/Echo.asmx';

/**
 * Sends a value of each element of a contract to a server that gives it back.
 * @returns what was wrong first; `undefined` when everything came back as it was sent.
 */
export async function roundTrip(service: Service): Promise<string | undefined> {
  const elements = elementsOf(service);
  const echo = echoService(service, elements);
  const engine: EngineService = { ...engineService(echo), bindings: ['soap11'] };
  const handlers = Object.fromEntries(
    engine.operations.map(({ name, parameters }) => {
      const [parameter] = parameters;
      const property = parameter?.property ?? parameter?.name ?? '';
      return [name, (input: Record<string, unknown>) => input[property]];
    }),
  ) as Record<string, never>;
  const endpoint = createEndpoint(engine, {
    handlers,
    namespace: service.namespace,
    path: PATH,
    baseUrl: () => 'http://localhost',
  });
  const writer = new SampleWriter(
    service,
    service.operations.some(({ use }) => use === 'encoded'),
  );
  const defaults = defaultsOf(service);
  for (const [index, element] of elements.entries()) {
    const name = `Echo${index}`;
    const sent = writer.elements(element, service.namespace);
    const body = `<${name} xmlns="${escapeAttribute(service.namespace)}">${sent}</${name}>`;
    const envelope = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${body}</s:Body></s:Envelope>`;
    const answer = await endpoint.request({
      method: 'POST',
      target: PATH,
      headers: {
        'content-type': 'text/xml; charset=utf-8',
        soapaction: `"${echo.operations[index]!.action}"`,
      },
      body: bytesBody(Buffer.from(envelope)),
      remoteAddress: '127.0.0.1',
    })!;
    const got = String(answer.body);
    const where = `${element.name} (${typeof element.type === 'string' ? element.type : element.type.ref})`;
    if (answer.status !== 200)
      return `${where}: ${got.replace(/^.*<faultstring>|<\/faultstring>.*$/gs, '')} for ${sent.slice(0, 300)}`;
    const difference = compared(body, name, got, defaults);
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
  return [...elements.values()];
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
  return { ...service, operations };
}

/** Instants are written with milliseconds. */
function canonical(value: string): string {
  return value.replace(/(T\d\d:\d\d:\d\d)\.000(?=Z|[+-]|$)/, '$1');
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
      .filter(([path]) => path.startsWith(root) && !/@(type|nil|namespace)$/.test(path))
      .map(([path, value, names]) => [path.slice(root.length), value, names] as const);
  const all = inside(sent, `${name}/`);
  const after = inside(answer, `Envelope/Body/${name}Response/`).filter(
    ([path]) => !/\/(schema|diffgram)\b/.test(path),
  );
  const there = new Set(after.map(([path]) => path));
  // As in .NET, what is as the schema's default is left out.
  const before = all.filter(
    ([path, value]) => there.has(path) || !defaults.has(`${localName(path)}=${value}`),
  );
  for (const [index, value] of before.entries()) {
    const own = after[index] ?? (['nothing', ''] as const);
    if (value[0] !== own[0]) return `${value[0]} came back as ${own[0]}`;
    if (!isSameValue(value, own, canonical))
      return `${value[0]}: ${JSON.stringify(value[1])} came back as ${JSON.stringify(own[1])}`;
  }
  return after.length > before.length ? `${after[before.length]![0]} came back unasked` : undefined;
}

/** `name=value` of the elements and attributes that have a default. */
function defaultsOf({ types }: Service): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (particle: Particle): void => {
    if ('content' in particle) particle.content.forEach(visit);
    else if (particle.kind !== 'any' && particle.default !== undefined)
      found.add(`${particle.name}=${particle.default}`);
  };
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
