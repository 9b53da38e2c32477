import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { envelopeAround, soapHeader } from '@ws01/asmx/internal/bindings/soap/envelope-text';
import { ServiceError } from '@ws01/asmx/internal/contract/errors';
import type { Service as EngineService } from '@ws01/asmx/internal/contract/service';
import { createEndpoint } from '@ws01/asmx/internal/engine/endpoint';
import { SOAP11, SOAP12, type SoapVersion } from '@ws01/asmx/internal/exchange/soap-version';
import { type FetchHandler, fetchHandler } from '@ws01/asmx/internal/fetch/index';
import { SoapFault } from '../soap/errors.ts';
import type { SoapAnswer, SoapCallOptions } from '../soap/options.ts';
import { createSoapClient } from '../soap/soap-client.ts';
import { inHeader } from '../soap/write-request.ts';
import { engineService } from './emit/engine-service.ts';
import type { BindingKind, Element, Fault, Operation, Service } from './normal-form.ts';
import { OldSamples, SampleTooLarge, sampleBody } from './samples.ts';

/** One call of an old client at the service that replaces the old one. */
export interface OldCall {
  /** `GetOrder`, `GetOrder by SOAP 1.2`, `GetOrder with the fault NotFound`. */
  readonly name: string;
  /** Why it cannot be made: no message of it can be written. `false` where it can. */
  readonly skip: string | false;
  /**
   * Makes the call.
   * @throws what the client does with an answer that the old WSDL does not allow.
   */
  run(): Promise<CallValues>;
}

/** The same values on both sides of the wire, if nothing was lost. */
interface CallValues {
  /** What the client sent: parameters, SOAP headers. */
  readonly sent: unknown;
  /** What the handler got. */
  readonly received: unknown;
  /** What the handler answered: result and out parameters, SOAP headers; the detail of a fault. */
  readonly answered: unknown;
  /** What the client read. */
  readonly read: unknown;
}

/** An old contract as `asmx from` keeps it: JSON, compressed. */
export async function oldContract(file: URL): Promise<Service> {
  return JSON.parse(String(await promisify(gunzip)(await readFile(file))));
}

/**
 * Calls of each operation in each way that the old service offered. The client knows the old
 * contract alone; the handlers are samples, and answer a value of every type, and each fault. A
 * service is moved if the values are the same on both sides.
 * @param contract what is served now. @param path where, the path of the old address.
 */
export function oldCalls(
  old: Service,
  contract: EngineService,
  path: `/${string}`,
): readonly OldCall[] {
  const sides = new Sides(old, contract, path);
  const kinds = BINDINGS.filter(({ kind }) => old.ports.some((port) => port.kind === kind));
  return old.operations.flatMap((operation) => {
    const offered = kinds.filter(({ kind }) => isOffered(old, kind, operation));
    const calls = offered.flatMap(({ kind, by, soap }, index) => {
      const name = index === 0 ? operation.name : `${operation.name} by ${by}`;
      if (soap === undefined) return [{ name, run: () => sides.form(operation, kind) }];
      const faults = operation.faults.map((fault) => ({
        name: `${name} with the fault ${fault.name}`,
        run: () => sides.fault(operation, fault, soap),
      }));
      return [{ name, run: () => sides.call(operation, soap) }, ...faults];
    });
    const skip = unwritten(old, operation);
    return calls.map(({ name, run }) => ({ name, skip, run: async () => said(await run()) }));
  });
}

const BINDINGS: readonly {
  readonly kind: BindingKind;
  readonly by: string;
  readonly soap?: SoapVersion;
}[] = [
  { kind: 'soap11', by: 'SOAP 1.1', soap: SOAP11 },
  { kind: 'soap12', by: 'SOAP 1.2', soap: SOAP12 },
  { kind: 'get', by: 'GET' },
  { kind: 'post', by: 'POST' },
];

function isOffered({ ports }: Service, kind: BindingKind, { name }: Operation): boolean {
  return ports.some((port) => port.kind === kind && port.operations.includes(name));
}

/** Why an operation has no sample. */
function unwritten(old: Service, operation: Operation): string | false {
  try {
    sampleBody(old, operation, 'input');
    sampleBody(old, operation, 'output');
    return false;
  } catch (error) {
    if (error instanceof SampleTooLarge) return error.message;
    throw error;
  }
}

/** What a handler got. */
interface Received {
  readonly values: unknown;
  readonly headers: unknown;
}

/** Answers one call. */
type Handler = (received: Received, headers: Record<string, unknown>) => unknown;

/** What is found in a file part, or in a part beside the envelope. */
const FILE = new Uint8Array([1, 2, 3]);

/** The old client, and what serves it. */
class Sides {
  readonly #old: Service;
  readonly #before: EngineService;
  readonly #contract: EngineService;
  readonly #path: `/${string}`;
  /** By contract: the server, whose handler is {@link #handler}. */
  readonly #servers = new Map<EngineService, FetchHandler>();
  readonly #clients = new Map<SoapVersion, Client>();
  /** What answers the client. */
  #reply: (request: Request) => Promise<Response>;
  #handler: Handler = () => undefined;

  constructor(old: Service, contract: EngineService, path: `/${string}`) {
    this.#old = old;
    // The old contract reads the samples, which are SOAP, whatever the service offered.
    this.#before = { ...engineService(old), bindings: ['soap11', 'soap12', 'get', 'post'] };
    this.#contract = contract;
    this.#path = path;
    this.#reply = (request) => this.#asked(this.#contract, request);
  }

  /** A call by SOAP that is answered. */
  async call(operation: Operation, soap: SoapVersion): Promise<CallValues> {
    const sent = await this.#sampleRequest(operation, soap);
    const header = this.#elements(operation, operation.headers.out);
    const sample = envelope(soap, header, sampleBody(this.#old, operation, 'output'));
    const answered = withFiles(operation, await this.#read(operation, soap, sent, sample));
    let received: unknown;
    this.#handler = (got, headers) => {
      received = got;
      Object.assign(headers, answered.headers);
      return answered.value;
    };
    const answer = await this.#ask(operation, soap, sent);
    return { sent, received, answered, read: valuesOf(answer) };
  }

  /** A call by SOAP that is refused. */
  async fault(operation: Operation, fault: Fault, soap: SoapVersion): Promise<CallValues> {
    const sent = await this.#sampleRequest(operation, soap);
    const detail = this.#elements(operation, [fault.element]);
    const sample = envelope(soap, '', soap.fault(soap.faultCodes.server, 'a sample', detail));
    const caught = async (asked: Promise<unknown>) => {
      const error = await asked.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error instanceof SoapFault) return { fault: error.fault, detail: error.detail };
      throw error;
    };
    const known = await caught(this.#read(operation, soap, sent, sample));
    // Faults of one element are one to clients.
    const answered = { ...known, fault: known.fault ?? fault.name };
    let received: unknown;
    this.#handler = (got) => {
      received = got;
      throw new ServiceError(answered.fault, 'a sample', { detail: answered.detail });
    };
    const read = await caught(this.#ask(operation, soap, sent));
    return { sent, received, answered, read };
  }

  /** A call by a form, which is to be answered as the old contract does. */
  async form(operation: Operation, kind: BindingKind): Promise<CallValues> {
    const samples = new OldSamples(this.#old);
    const values = new URLSearchParams(
      operation.parameters.map((each) => [each.name, samples.text(each)]),
    );
    const asked = () => {
      const url = this.#url(`/${encodeURIComponent(operation.name)}`);
      return kind === 'get'
        ? new Request(`${url}?${values}`)
        : new Request(url, { method: 'POST', body: values });
    };
    const sent = await this.#sampleRequest(operation, SOAP11);
    const sample = envelope(SOAP11, '', sampleBody(this.#old, operation, 'output'));
    const { value } = await this.#read(operation, SOAP11, sent, sample);
    const exchange = async (contract: EngineService) => {
      let got: unknown;
      this.#handler = ({ values }) => {
        got = values;
        return value;
      };
      const answer = await this.#asked(contract, asked());
      return { got, answer: `${answer.status} ${await answer.text()}` };
    };
    const [before, now] = [await exchange(this.#before), await exchange(this.#contract)];
    return { sent: before.got, received: now.got, answered: before.answer, read: now.answer };
  }

  #url(below = ''): string {
    return `http://127.0.0.1${this.#path}${below}`;
  }

  async #asked(contract: EngineService, request: Request): Promise<Response> {
    let server = this.#servers.get(contract);
    if (server === undefined) {
      const handlers = contract.operations.map(({ name }) => [
        name,
        (values: unknown, call: { headers: unknown; reply: { headers: object } }) =>
          this.#handler(
            { values, headers: call.headers },
            call.reply.headers as Record<string, unknown>,
          ),
      ]);
      server = fetchHandler(
        createEndpoint<Record<string, never>, undefined>(contract, {
          path: this.#path,
          handlers: Object.fromEntries(handlers),
          strict: true,
        }),
      );
      this.#servers.set(contract, server);
    }
    const answer = server(request);
    if (answer === undefined) throw new TypeError(`Nothing is at ${request.url}.`);
    return answer;
  }

  /** The values of a sample, as the old contract reads it. */
  async #sampleRequest(operation: Operation, soap: SoapVersion): Promise<Received> {
    const body = sampleBody(this.#old, operation, 'input');
    const header = this.#elements(operation, operation.headers.in);
    const { action, action12 = action } = operation;
    const [base, named] = [soap.contentType, inHeader(soap === SOAP12 ? action12 : action)];
    const headers: Record<string, string> =
      soap === SOAP12
        ? { 'content-type': named === '' ? base : `${base}; action="${named}"` }
        : { 'content-type': base, soapaction: `"${named}"` };
    let sent: Received | undefined;
    this.#handler = (received) => {
      sent = received;
      throw new ServiceError('NotImplemented', 'This is a sample.');
    };
    const request = { method: 'POST', headers, body: envelope(soap, header, body) };
    const answer = await this.#asked(this.#before, new Request(this.#url(), request));
    if (sent === undefined) throw new Error(`The sample is refused: ${await answer.text()}`);
    const files = operation.parameters.filter(({ attachment }) => attachment !== undefined);
    return { ...sent, values: Object.assign({}, sent.values, filesOf(files)) };
  }

  /** What the old client reads in an answer that is given as a text. */
  async #read(operation: Operation, soap: SoapVersion, sent: Received, answer: string) {
    this.#reply = async () => new Response(answer, { headers: { 'content-type': 'text/xml' } });
    try {
      return valuesOf(await this.#ask(operation, soap, sent));
    } finally {
      this.#reply = (request) => this.#asked(this.#contract, request);
    }
  }

  #ask(operation: Operation, soap: SoapVersion, { values, headers }: Received) {
    let client = this.#clients.get(soap);
    if (client === undefined) {
      client = createSoapClient(this.#before, {
        url: this.#url(),
        soap: soap === SOAP12 ? '1.2' : '1.1',
        fetch: (input, init) => this.#reply(new Request(input, init)),
        retries: 0,
      }) as unknown as Client;
      this.#clients.set(soap, client);
    }
    return client.$call(operation.name, values as object, { soapHeaders: headers as object });
  }

  #elements(operation: Operation, elements: readonly Element[]): string {
    const samples = new OldSamples(this.#old, operation.use);
    return elements.map((element) => samples.element(element)).join('');
  }
}

/** The client of a contract whose types nobody knows. */
interface Client {
  $call(name: string, input: object, more: SoapCallOptions): Promise<SoapAnswer<unknown>>;
}

function valuesOf({ result, soapHeaders, ignored }: SoapAnswer<unknown>) {
  return { value: result, headers: soapHeaders, ...(ignored.length === 0 ? {} : { ignored }) };
}

/** Values without the members that are undefined: they are as those that are absent. */
function said<T>(value: T): T {
  if (Array.isArray(value)) return value.map(said) as T;
  if (value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const members = Object.entries(value as object).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, said(member)])) as T;
}

function filesOf(elements: readonly Element[]) {
  return Object.fromEntries(elements.map(({ name, property = name }) => [property, FILE]));
}

/** An answer with its parts beside the envelope, which a sample has not. */
function withFiles({ result, out }: Operation, answered: ReturnType<typeof valuesOf>) {
  const files = out.filter(({ attachment }) => attachment !== undefined);
  const own = result?.attachment === undefined ? answered.value : FILE;
  if (out.length === 0) return { ...answered, value: own };
  const { value, out: outs } = answered.value as { value?: unknown; out: object };
  const first = result === undefined ? {} : { value: result.attachment ? FILE : value };
  return { ...answered, value: { ...first, out: { ...outs, ...filesOf(files) } } };
}

function envelope(soap: SoapVersion, header: string, body: string): string {
  const { before, after } = envelopeAround(soap, soapHeader(header));
  return before + body + after;
}
