import type { Operation as EngineOperation, Service as EngineService, Parameter } from '../../contract/service.ts';
import type { ResultType, XsdType } from '../../contract/values.ts';
import type { Element, Operation, Service } from '../normal-form.ts';
import { WsdlError } from '../wsdl-error.ts';
import { isValueType, sampleOf } from './scalars.ts';

const PARAMETERS: ReadonlySet<string> = new Set<XsdType>(['string', 'int', 'boolean', 'dateTime', 'base64Binary']);
const RESULTS: ReadonlySet<string> = new Set<ResultType>(['string', 'boolean']);

/** Texts that look like credentials are never logged and never shown in recordings. */
const CREDENTIAL =
  /^(pass(word|wd|phrase|code)?|pwd|user_?pass(word)?|(access|auth|session)?_?token(_?id)?|secret|api_?key|pin)$/i;

/** Whether a parameter's name says that it is a credential. */
export function looksSecret(name: string): boolean {
  return CREDENTIAL.test(name);
}

/**
 * A contract that was read, as the engine's own.
 * @param file for messages. @throws {WsdlError} `unsupported`: what the engine does not serve, in one line.
 */
export function engineService(service: Service, file: string): EngineService {
  return {
    name: service.name,
    ...(service.documentation === undefined ? {} : { documentation: service.documentation }),
    operations: service.operations.map((operation) => engineOperation(operation, service, file)),
  };
}

function engineOperation(operation: Operation, service: Service, file: string): EngineOperation {
  const { name } = operation;
  const refuse = (what: string) =>
    new WsdlError('unsupported', file, `operation ${name}`, `The engine does not serve ${what}.`);
  if (operation.style !== 'wrapped') throw refuse(`the style ${operation.style}`);
  if (operation.use !== 'literal') throw refuse(`${operation.use} messages`);
  if (operation.operationName !== undefined) throw refuse('several operations of one name');
  if (operation.output === undefined) throw refuse('one-way operations');
  const stem = service.namespace.replace(/\/$/, '');
  if (operation.action !== `${stem}/${name}`) throw refuse(`the SOAPAction ${JSON.stringify(operation.action)}`);
  const expected = [name, `${name}Response`];
  for (const [index, body] of [operation.input, operation.output].entries()) {
    if (body.name !== expected[index] || body.namespace !== service.namespace)
      throw refuse(`the body element ${body.name}`);
  }
  if (operation.headers.in.length > 0 || operation.headers.out.length > 0) throw refuse('SOAP headers');
  if (operation.faults.length > 0) throw refuse('declared faults');
  if (operation.out.length > 0) throw refuse(`the out parameter ${operation.out[0]!.name}`);
  return {
    name,
    documentation: operation.documentation ?? '',
    parameters: operation.parameters.map((element) => parameter(element, service, refuse)),
    result: result(operation, service, refuse),
  };
}

function parameter(element: Element, service: Service, refuse: (what: string) => WsdlError): Parameter {
  const { name, type, documentation } = element;
  assertPlain(element, `the parameter ${name}`, PARAMETERS, service, refuse);
  return {
    name,
    type: type as XsdType,
    documentation: documentation ?? '',
    sample: sampleOf(type as string),
    ...(type === 'string' && looksSecret(name) ? { secret: true } : {}),
  };
}

function result(
  { name, result: element }: Operation,
  service: Service,
  refuse: (what: string) => WsdlError,
): ResultType {
  if (element === undefined) throw refuse('operations without a result');
  if (element.name !== `${name}Result`) throw refuse(`the result element ${element.name}`);
  assertPlain(element, 'the result', RESULTS, service, refuse);
  return element.type as ResultType;
}

function assertPlain(
  { name, type, min, max, nillable, default: initial, fixed, namespace }: Element,
  what: string,
  types: ReadonlySet<string>,
  service: Service,
  refuse: (what: string) => WsdlError,
): void {
  if (typeof type !== 'string' || !types.has(type)) {
    throw refuse(`${what} of the type ${typeof type === 'string' ? type : service.types[type.ref]!.name}`);
  }
  if (max !== 1) throw refuse(`${what}, which repeats`);
  if (nillable) throw refuse(`${what}, which may be nil`);
  if (initial !== undefined || fixed !== undefined) throw refuse(`${what} with a default`);
  if (min !== (isValueType(type, () => false) ? 1 : 0)) throw refuse(`${what} with minOccurs ${min}`);
  if (namespace !== service.namespace) throw refuse(`${what} as an unqualified element ${name}`);
}
