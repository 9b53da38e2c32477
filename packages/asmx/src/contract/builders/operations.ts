/**
 * Builder functions for operations and services. They return the plain data of `service.ts`, and
 * infer the types of the handlers.
 */

import { checkNamespace } from '../namespace.ts';
import type { BindingName, Operation, Service } from '../service.ts';
import type { TypedService } from '../typed-service.ts';
import type { Nothing, Refusal } from '../values.ts';
import { TypeCollector } from './collect-types.ts';
import type { AnyField, Field, Fields, Given, Infer, ObjectOf } from './field.ts';

/** A SOAP header. */
export function header<const F extends Fields>(
  fields: F,
  options: { readonly required?: true; readonly namespace?: string } = {},
): HeaderField<ObjectOf<F>> {
  return { fields, ...options };
}
/** What `header` makes: a SOAP header for `headers` of an operation. */
export interface HeaderField<Value> {
  readonly '~value'?: Value;
  readonly fields: Fields;
  readonly required?: true;
  readonly namespace?: string;
}
type Headers = Readonly<Record<string, HeaderField<unknown>>>;
type HeaderValues<H> = keyof H extends never
  ? None
  : { readonly [K in keyof H]?: (H[K] extends HeaderField<infer V> ? V : never) | undefined };

/**
 * What `operation` takes: the parameters, the result, and how the operation is called on the wire.
 */
export interface OperationDefinition<
  I extends Fields,
  R extends AnyField,
  O extends Fields,
  HI extends Headers,
  HO extends Headers,
  F extends Fields,
> extends Pick<
    Operation,
    'oneWay' | 'style' | 'use' | 'action' | 'errors' | 'help' | 'readOnly' | 'destructive'
  > {
  /** What it does, one sentence. */
  readonly summary?: string;
  readonly input?: I;
  /** Void when absent. */
  readonly result?: R;
  /** .NET's out and ref parameters: the handler returns `{ value, out }`. */
  readonly out?: O;
  readonly headers?: { readonly in?: HI; readonly out?: HO };
  /** What errors carry in their detail, by code. */
  readonly faults?: F;
}

type ResultValue<R> = R extends { readonly '~value'?: infer V }
  ? V extends boolean
    ? V | Refusal
    : R extends Given
      ? V
      : V | undefined | null
  : Nothing;

/**
 * The types of an operation's handler. No interface: declarations of a user's operations write it
 * out.
 */
type TypesOf<I, R, O, HI, HO, F> = {
  readonly input: ObjectOf<I>;
  readonly result: keyof O extends never
    ? ResultValue<R>
    : { readonly value?: ResultValue<R>; readonly out: ObjectOf<O> };
  readonly headersIn: HeaderValues<HI>;
  readonly headersOut: HeaderValues<HO>;
  readonly faults: { readonly [Code in keyof F]: Infer<F[Code]> };
};

/**
 * What `operation` makes: an operation for `operations` of a service, with the types of its
 * handler.
 */
export interface OperationField<T> {
  readonly '~types'?: T;
  // biome-ignore lint/suspicious/noExplicitAny: its types are in T
  readonly definition: OperationDefinition<any, any, any, any, any, any>;
}

// biome-ignore lint/complexity/noBannedTypes: no fields
type None = {};

/**
 * Describes an operation; its name is the key that it gets in `operations` of {@link service}.
 * @returns the operation, from which the types of its handler are inferred.
 */
export function operation<
  const I extends Fields = None,
  R extends AnyField = Field<Nothing, 'given'>,
  const O extends Fields = None,
  const HI extends Headers = None,
  const HO extends Headers = None,
  const F extends Fields = None,
>(
  definition: OperationDefinition<I, R, O, HI, HO, F>,
): OperationField<TypesOf<I, R, O, HI, HO, F>> {
  return { definition };
}

/** What `service` takes beside the name. */
export interface ServiceDefinition<O> {
  /** If absent, the option of `createEndpoint`. */
  readonly namespace?: string;
  readonly summary?: string;
  readonly operations: O;
  /** All when absent. */
  readonly bindings?: readonly BindingName[];
}

type OperationFields = Readonly<Record<string, OperationField<unknown>>>;
type OperationsOf<O> = {
  readonly [K in keyof O]: O[K] extends OperationField<infer T> ? T : never;
};

/**
 * Builds a contract.
 * @throws {TypeError} with the path of the invalid member: two types with the same name, or a value
 *   that is not a field.
 */
export function service<const O extends OperationFields>(
  name: string,
  definition: ServiceDefinition<O>,
): TypedService<OperationsOf<O>> {
  checkService(name, definition);
  const types = new TypeCollector();
  const operations = Object.entries(definition.operations).map(([key, made]) =>
    types.operation(key, made as never),
  );
  const plain: Service = {
    name,
    ...(definition.namespace === undefined ? {} : { namespace: definition.namespace }),
    ...(definition.summary === undefined ? {} : { documentation: definition.summary }),
    operations,
    ...(definition.bindings === undefined ? {} : { bindings: definition.bindings }),
    ...types.collected(),
  };
  return deepFreeze(plain);
}

/** @throws {TypeError} for what JavaScript lets through. */
function checkService(name: unknown, definition: Partial<ServiceDefinition<unknown>>): void {
  const { operations, namespace } = definition ?? {};
  if (typeof name !== 'string' || typeof operations !== 'object' || operations === null)
    throw new TypeError(
      "service: it takes a name and its parts, like service('Hello', { namespace: 'urn:hello', operations: { … } }).",
    );
  checkNamespace(namespace, 'namespace');
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
