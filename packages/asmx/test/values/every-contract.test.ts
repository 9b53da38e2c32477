import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineService } from '../../../asmx-tools/src/from/emit/engine-service.ts';
import { readWsdlText } from '../../../asmx-tools/src/from/index.ts';
import type { Service } from '../../src/contract/service.ts';
import { Random, runs } from '../kit/random.ts';
import { bodyOf, difference } from '../kit/xml-equal.ts';
import { answerParts, serve, soap } from './kit.ts';
import { generatedService, NAMESPACE } from './kit-contracts.ts';
import { comparable, type Echoed, echoOf } from './kit-echo.ts';
import { ForeignWriter } from './kit-values.ts';
import { answerValidator } from './schema-kit.ts';

/** Made from the seeds that follow each other. */
const CONTRACTS = runs(400);
/** Found something: elements of a base in no namespace, before any in none; more parts than 1,000. */
const FOUND = [900_784, 901_244];
const CALLS = 6;

/** A message that a foreign client writes, and what handlers are to get. */
function requestOf(service: Service, random: Random) {
  const { parameters, style, use, headers } = service.operations[0]!;
  const isEncoded = use === 'encoded';
  const writer = new ForeignWriter(random, service, isEncoded);
  const inside = style === 'rpc' ? '' : NAMESPACE;
  const [only, more] = parameters;
  const isOne = style === 'bare' && more === undefined;
  const { value, xml } = isOne
    ? inOne(writer.element({ ...only!, name: 'Echo' }, inside), only!.name)
    : writer.members(parameters, inside);
  const wrapped = style === 'bare' ? xml : `<m:Echo xmlns:m="${NAMESPACE}">${xml}</m:Echo>`;
  const use0 = headers?.in?.[0]?.use ?? use;
  const header = writer.inUse(use0 === 'encoded', () =>
    writer.members(headers?.in ?? [], NAMESPACE),
  );
  return { value, header, content: wrapped + writer.behind, isOne, writer };
}

const inOne = (made: { readonly value: unknown; readonly xml: string }, name: string) => ({
  value: { [name]: made.value },
  xml: made.xml,
});

test('every contract: the handler gets each value that a client writes, and the answer carries each back', async (t) => {
  const first = Number(process.env.TEST_SEED ?? 1);
  for (const seed of [...FOUND, ...Array.from({ length: CONTRACTS }, (_, at) => first + at)]) {
    const random = new Random(seed);
    const service = generatedService(random);
    const echoed = echoOf(service);
    const url = `${await serve(t, echoed.endpoint)}/g.asmx`;
    const wsdl = await (await fetch(`${url}?WSDL`)).text();
    const again = await importedAgain(t, wsdl);
    const isEncoded = service.operations[0]!.use === 'encoded';
    // Of SOAP encoding there is no schema here.
    const wrong = isEncoded ? () => [] : answerValidator(wsdl);
    for (let call = 0; call < CALLS; call++) {
      const where = `TEST_SEED=${seed}, call ${call}`;
      await echoes(service, { echoed, url, again, wrong }, random, where);
      await fails(service, { echoed, url }, random, where);
    }
  }
});

/** Serves what `asmx from` makes of a WSDL. @returns its URL. */
async function importedAgain(
  t: { after(close: () => unknown): void },
  wsdl: string,
): Promise<string> {
  const { service } = await readWsdlText(wsdl, 'ours.wsdl');
  return `${await serve(t, echoOf(engineService(service)).endpoint)}/g.asmx`;
}

/** A contract that is served: by itself, and as it is imported from its own WSDL. */
interface ServedContract {
  readonly echoed: Echoed;
  readonly url: string;
  readonly again: string;
  /** What XML Schema says of an element. */
  readonly wrong: (element: string) => readonly string[];
}

async function echoes(
  service: Service,
  { echoed, url, again, wrong }: ServedContract,
  random: Random,
  where: string,
): Promise<void> {
  const { style, use } = service.operations[0]!;
  const { value, header, content, isOne, writer } = requestOf(service, random);
  const version = random.of(['1.1', '1.2'] as const);
  const action = {
    ...{ version, header: header.xml, action: `${NAMESPACE}/Echo` },
    beside: writer.parts,
  };
  const answer = await soap(url, content, action);
  const { text, files } = wholeOf(answer);
  assert.equal(answer.status, 200, `${where}: ${content}\n${text}`);
  assert.equal(answer.headers.get('x-warning'), null, `${where}: ${content}`);
  assert.deepEqual(echoed.got, comparable(value), `${where}: ${content}`);
  assert.deepEqual(echoed.headers ?? {}, comparable(header.value), `${where}: ${header.xml}`);
  const other = wholeOf(await soap(again, content, action));
  assert.equal(unlike(text, other.text), undefined, `${where}, imported again: ${content}`);
  if (use === 'encoded') {
    // What the answer says is read as the next request.
    const [, said = ''] = /<soap:Body[^>]*>(.*)<\/soap:Body>/s.exec(text) ?? [];
    const repeated = said.replaceAll('EchoResponse', 'Echo');
    const [, heads = ''] = /<soap:Header>(.*)<\/soap:Header>/s.exec(text) ?? [];
    const next = await soap(url, repeated, { ...action, header: heads, beside: files });
    assert.equal(next.status, 200, `${where}: ${repeated}\n${next.text}`);
    assert.deepEqual(echoed.got, comparable(value), `${where}: ${repeated}`);
    assert.deepEqual(echoed.headers ?? {}, comparable(header.value), `${where}: ${heads}`);
    return;
  }
  const sent = bodyOf(envelope(withBytes(content, writer.parts)));
  const answered = bodyOf(withBytes(text, files));
  const [before, after] =
    style === 'bare' ? [sent, answered] : [sent[0]!.children, answered[0]!.children];
  assert.equal(after.length, before.length, `${where}: ${content}\n${text}`);
  for (const [at, each] of before.entries()) {
    if (!isOne) assert.equal(after[at]!.name, each.name, `${where}: ${content}\n${text}`);
    const found = difference(each, after[at]!);
    assert.equal(found, undefined, `${where}: ${content}\n${text}`);
  }
  if (!writer.isValid || !(isOne || style === 'wrapped')) return;
  const said = /<soap:Body[^>]*>(.*)<\/soap:Body>/s.exec(text)?.[1] ?? '';
  for (const element of [content, said].filter((each) => each !== ''))
    assert.deepEqual(wrong(element), [], `${where}: ${element}`);
}

/** The same value as the detail of a fault. */
async function fails(
  service: Service,
  { echoed, url }: Pick<ServedContract, 'echoed' | 'url'>,
  random: Random,
  where: string,
): Promise<void> {
  const { parameters, style, use } = service.operations[1]!;
  const writer = new ForeignWriter(random, service, use === 'encoded');
  const { value, xml } = writer.members(parameters, style === 'rpc' ? '' : NAMESPACE);
  const call = (inside: string) => `<m:Fail xmlns:m="${NAMESPACE}">${inside}</m:Fail>`;
  const content = call(xml) + writer.behind;
  const version = random.of(['1.1', '1.2'] as const);
  const action = { version, action: `${NAMESPACE}/Fail`, beside: writer.parts };
  const answer = await soap(url, content, action);
  const { text, files } = wholeOf(answer);
  const [, detail = ''] = /<(?:soap:D|d)etail>(.*)<\/(?:soap:D|d)etail>/s.exec(text) ?? [];
  assert.ok(detail.startsWith('<BrokenDetail '), `${where}: ${content}\n${text}`);
  assert.deepEqual(echoed.got, comparable(value), `${where}: ${content}`);
  if (use === 'encoded') {
    const repeated = call(detail.replaceAll('BrokenDetail', parameters[0]!.name));
    await soap(url, repeated, { ...action, beside: files });
    assert.deepEqual(echoed.got, comparable(value), `${where}: ${repeated}`);
    return;
  }
  const [sent] = bodyOf(envelope(withBytes(xml, writer.parts)));
  const [answered] = bodyOf(envelope(withBytes(detail, files)));
  const found = difference(sent!, answered!);
  assert.equal(found, undefined, `${where}: ${content}\n${text}`);
}

/** The first difference between two answers. */
function unlike(one: string, other: string): string | undefined {
  for (const part of ['Header', 'Body']) {
    const inside = new RegExp(`<soap:${part}[^>]*>(.*)</soap:${part}>`, 's');
    const [before, after] = [one, other].map((text) =>
      bodyOf(envelope(inside.exec(text)?.[1] ?? '')),
    );
    if (before!.length !== after!.length) return `${part}: ${one}\n${other}`;
    for (const [at, each] of before!.entries()) {
      const found = difference(each, after![at]!);
      if (found !== undefined) return `${part}: ${found}: ${one}\n${other}`;
    }
  }
  return undefined;
}

const envelope = (body: string) =>
  `<e xmlns="urn:e" xmlns:soap="urn:soap" xmlns:xsi="${XSI}" xmlns:xsd="${XSD}"><Body>${body}</Body></e>`;

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const XSD = 'http://www.w3.org/2001/XMLSchema';

/** The envelope of an answer, and the parts beside it. */
function wholeOf(answer: { readonly headers: Headers; readonly text: string }) {
  const isAlone = !/^multipart/.test(answer.headers.get('content-type') ?? '');
  if (isAlone) return { text: answer.text, files: [] };
  const { envelope, files } = answerParts(answer);
  return {
    text: envelope,
    files: files.map(({ id, type, content }) => [id, type, content] as const),
  };
}

/** A message with the bytes of its parts in place of what refers to them. */
function withBytes(text: string, parts: readonly (readonly [string, string, string])[]): string {
  let whole = text;
  for (const [id, , content] of parts) {
    for (const url of [`cid:${encodeURIComponent(id)}`, `cid:${id}`])
      whole = whole.replaceAll(url, `bytes of ${content}`);
  }
  return whole;
}
