import type { Header, Operation, Service } from '../contract/service.ts';
import type { Element, Type } from '../contract/types.ts';
import { PlanCompiler } from './compile-plan.ts';
import {
  type ElementPlan,
  isForm,
  leavesOf,
  type ObjectPlan,
  renamed,
  type WireName,
} from './plan.ts';

/** The messages of an operation, compiled for reading and writing. */
export interface MessagePlan {
  /** The element in the request's body. */
  readonly input: WireName;
  /**
   * The content of that element: the parameters, in order. For a bare operation, the content of the
   * body.
   */
  readonly request: ObjectPlan;
  readonly output: WireName;
  /** The content of the answer: the result, then out parameters. */
  readonly response: ObjectPlan;
  readonly result: ElementPlan | undefined;
  readonly out: readonly ElementPlan[];
  readonly bare: boolean;
  readonly rpc: boolean;
  readonly encoded: boolean;
  readonly oneWay: boolean;
  readonly headersIn: readonly HeaderPlan[];
  readonly headersOut: readonly HeaderPlan[];
  /** The parameters, and the results, that are parts beside the envelope. */
  readonly attachmentsIn: readonly ElementPlan[];
  readonly attachmentsOut: readonly ElementPlan[];
  /** By error code. */
  readonly faults: ReadonlyMap<string, BlockPlan>;
  /** Whether HTTP forms can carry its parameters: scalars, and lists of them. */
  readonly isForm: boolean;
  /** Whether something that calls hold may not be absent. */
  readonly hasMandatory: boolean;
}

/** A header, or the detail of a fault. */
export interface BlockPlan extends ElementPlan {
  /** Whether it is in SOAP encoding. */
  readonly encoded: boolean;
}

export interface HeaderPlan extends BlockPlan {
  readonly required: boolean;
}

type Use = NonNullable<Operation['use']>;

/**
 * Compiles the messages of operations, by their names.
 * @throws {TypeError} with the path of what cannot be served.
 */
export function compileMessages(
  service: Service,
  namespace: string,
): ReadonlyMap<string, MessagePlan> {
  const compiler = (isEncoded: boolean) => {
    const made = new PlanCompiler(service, namespace, isEncoded);
    made.compileAll();
    return made;
  };
  const literal = compiler(false);
  let encoded: PlanCompiler | undefined;
  const compilerOf = (use: Use) => {
    if (use === 'literal') return literal;
    encoded ??= compiler(true);
    return encoded;
  };
  return new Map(
    service.operations.map((each) => [each.name, compileMessage(each, namespace, compilerOf)]),
  );
}

function compileMessage(
  operation: Operation,
  namespace: string,
  compilerOf: (use: Use) => PlanCompiler,
): MessagePlan {
  const path = `operations.${operation.name}`;
  checkStyle(operation, path);
  const { style, use = 'literal' } = operation;
  const bare = style === 'bare';
  const rpc = style === 'rpc';
  const plans = compilerOf(use);
  const block = (element: Element, own: Use = use, at: string): BlockPlan => {
    checkUse(own, at);
    const plan = compilerOf(own).element(element, { namespace, path: at });
    return { ...plan, encoded: own === 'encoded' };
  };
  const inner = rpc ? '' : namespace;
  const { input, output } = namesOf(operation, namespace);
  const result = resultElement(operation);
  const response = plans.message(messageElements(operation, 'output'), { namespace: inner, path });
  const headers = (group: readonly Header[] | undefined, where: string): HeaderPlan[] =>
    (group ?? []).map((each) => ({
      ...block(each, each.use, `${path}.headers.${where}.${each.name}`),
      required: each.required === true,
      mandatory: false,
    }));
  const request = plans.message(operation.parameters, {
    namespace: inner,
    path: `${path}.parameters`,
    parameters: true,
  });
  return {
    input,
    output,
    request: bare ? contentOfBare(request, input) : request,
    response: bare ? contentOfBare(response, output) : response,
    result: result === undefined ? undefined : response.elements[0],
    out: response.elements.slice(result === undefined ? 0 : 1),
    bare,
    rpc,
    encoded: use === 'encoded',
    oneWay: operation.oneWay === true,
    headersIn: headers(operation.headers?.in, 'in'),
    headersOut: headers(operation.headers?.out, 'out'),
    attachmentsIn: request.elements.filter(({ attachment }) => attachment !== undefined),
    attachmentsOut: response.elements.filter(({ attachment }) => attachment !== undefined),
    faults: new Map(
      (operation.faults ?? []).map((fault) => [
        fault.name,
        block(fault.element, fault.use, `${path}.faults.${fault.name}`),
      ]),
    ),
    isForm: request.elements.every(isForm),
    // What an `xsi:type` names is compiled when it is first needed.
    get hasMandatory() {
      return plans.hasMandatory;
    },
  };
}

/** The names of the elements of its messages. */
function namesOf(operation: Operation, namespace: string): Pick<MessagePlan, 'input' | 'output'> {
  const { name, style, output } = operation;
  const [first, second] = operation.parameters.filter(inBody);
  // Several parameters of a bare operation stand side by side under their own names.
  const input = style === 'bare' && second !== undefined ? first : operation.input;
  return {
    input: { name: input?.name ?? name, namespace: input?.namespace ?? namespace },
    output: {
      name: output?.name ?? `${name}Response`,
      namespace: output?.namespace ?? namespace,
    },
  };
}

/** @throws {TypeError} for a style that there is not, and for what a style cannot have. */
function checkStyle(operation: Operation, path: string): void {
  const { style = 'wrapped', use = 'literal', oneWay, out = [] } = operation;
  if (!['wrapped', 'bare', 'rpc'].includes(style))
    throw new TypeError(`${path}.style: there is no style ${JSON.stringify(style)}.`);
  checkUse(use, path);
  if (use === 'encoded' && style === 'wrapped')
    throw new TypeError(`${path}.use: only messages of the styles rpc and bare are encoded.`);
  const hasResult = resultElement(operation) !== undefined || out.length > 0;
  if (oneWay === true && hasResult)
    throw new TypeError(`${path}.oneWay: a one-way operation has no result.`);
}

/** @throws {TypeError} */
function checkUse(use: Use, path: string): void {
  if (!['literal', 'encoded'].includes(use))
    throw new TypeError(`${path}.use: it must be literal or encoded.`);
}

/** What a message of an operation holds: the parameters; the result, then out parameters. */
export function messageElements(
  operation: Operation,
  kind: 'input' | 'output',
): readonly Element[] {
  if (kind === 'input') return operation.parameters;
  const result = resultElement(operation);
  return [...(result === undefined ? [] : [result]), ...(operation.out ?? [])];
}

/** Whether an element of a message is in the body, and no part beside the envelope. */
export function inBody({ attachment }: Pick<Element, 'attachment'>): boolean {
  return attachment === undefined;
}

/** The element of the result; `undefined` for void. */
export function resultElement({ name, result }: Operation): Element | undefined {
  if (result === undefined || result === 'void') return undefined;
  if (typeof result === 'object' && 'name' in result) return result;
  return { name: `${name}Result`, type: result as Type };
}

/** The elements of a message that are in the body. */
export function bodyOf({ content }: ObjectPlan): readonly ElementPlan[] {
  return content as readonly ElementPlan[];
}

/**
 * The content of a bare message: its element has the name of the body's element; several have their
 * own.
 */
function contentOfBare(plan: ObjectPlan, name: WireName): ObjectPlan {
  const [element, more] = bodyOf(plan);
  if (element === undefined || more !== undefined) return plan;
  const named = renamed(element, name);
  return {
    ...plan,
    content: [named],
    elements: plan.elements.map((each) => (each === element ? named : each)),
    leaves: leavesOf([named]),
    byName: new Map([[name.name, [named]]]),
  };
}
