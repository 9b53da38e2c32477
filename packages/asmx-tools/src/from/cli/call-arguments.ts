import { readFileSync } from 'node:fs';
import { nearest } from '@ws01/asmx/internal/contract/nearest';
import type { Service } from '@ws01/asmx/internal/contract/service';
import { LexicalError } from '@ws01/asmx/internal/lexical/lexical-error';
import { compileMessages } from '@ws01/asmx/internal/values/message-plan';
import type { AttributePlan, ElementPlan, ObjectPlan, Plan } from '@ws01/asmx/internal/values/plan';
import { UsageError } from './command.ts';

type Values = Record<string, unknown>;

/**
 * What a person wrote as `name=value`, as the input of an operation: `order.lines[0].id=7` for what
 * lies inside others, `tags=a tags=b` for a list, `file=@path` for bytes. A name that is no
 * parameter may be a SOAP header: `Auth.user=ann`.
 * @throws {UsageError} with what the contract has in that place.
 */
export function callArguments(
  service: Service,
  operation: string,
  pairs: readonly string[],
): { readonly input: Values; readonly soapHeaders: Values } {
  const message = compileMessages(service, service.namespace ?? '').get(operation);
  if (message === undefined) {
    const names = service.operations.map(({ name }) => name);
    throw new UsageError(
      `The service has no operation ${operation}.${nearest(operation, names)} It has: ${names.join(', ')}`,
    );
  }
  const { request, headersIn } = message;
  const headers = headersIn.filter(({ property }) => memberOf(request, property) === undefined);
  // In one object, so that what is in neither is refused with the names of both.
  const all = { ...request, elements: [...request.elements, ...headers] };
  const given: Values = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`${JSON.stringify(pair)} is no name=value`);
    const path = [...pair.slice(0, at).matchAll(/[^.[\]]+/g)].map(([step]) => step);
    setMember(given, all, path, pair.slice(at + 1), pair.slice(0, at));
  }
  const isHeader = (name: string) => headers.some(({ property }) => property === name);
  const entries = Object.entries(given);
  return {
    input: Object.fromEntries(entries.filter(([name]) => !isHeader(name))),
    soapHeaders: Object.fromEntries(entries.filter(([name]) => isHeader(name))),
  };
}

function setMember(
  holder: Values,
  plan: ObjectPlan,
  [name = '', ...rest]: readonly string[],
  text: string,
  where: string,
): void {
  const member = memberOf(plan, name);
  if (member === undefined) {
    const names = [
      ...plan.elements.map(({ property }) => property),
      ...plan.attributes.map(({ property }) => property),
    ];
    const known = names.length === 0 ? 'nothing' : names.join(', ');
    throw new UsageError(
      `${where}: there is no ${name}.${nearest(name, names)} There is: ${known}`,
    );
  }
  const isList = 'repeated' in member && member.repeated;
  if (!isList) {
    holder[name] = valueFrom(holder[name], member.plan, rest, text, where);
    return;
  }
  holder[name] ??= [];
  setItem(holder[name] as unknown[], member.plan, rest, text, where);
}

function memberOf(plan: ObjectPlan, name: string): ElementPlan | AttributePlan | undefined {
  return (
    plan.elements.find(({ property }) => property === name) ??
    plan.attributes.find(({ property }) => property === name)
  );
}

function setItem(
  list: unknown[],
  plan: Plan,
  [index = '', ...rest]: readonly string[],
  text: string,
  where: string,
): void {
  const isNumbered = /^\d{1,4}$/.test(index);
  const at = isNumbered ? Math.min(Number(index), list.length) : list.length;
  const steps = isNumbered || index === '' ? rest : [index, ...rest];
  list[at] = valueFrom(list[at], plan, steps, text, where);
}

/** The value of a type. @param before what was said of it so far. */
function valueFrom(
  before: unknown,
  plan: Plan,
  rest: readonly string[],
  text: string,
  where: string,
): unknown {
  if (plan.kind === 'object') {
    const value = (before ?? {}) as Values;
    if (rest.length > 0) setMember(value, plan, rest, text, where);
    else if (plan.text !== undefined) value.value = parsed(plan.text, text, where);
    else
      throw new UsageError(
        `${where}: it is an object; give its members, such as ${where}.name=value`,
      );
    return value;
  }
  if (plan.kind === 'array') {
    const list = (before ?? []) as unknown[];
    setItem(list, plan.item.plan, rest, text, where);
    return list;
  }
  if (rest.length > 0) throw new UsageError(`${where}: there is nothing inside it`);
  return plan.kind === 'simple' ? parsed(plan, text, where) : text;
}

function parsed(plan: Plan & { kind: 'simple' }, text: string, where: string): unknown {
  if (plan.bytes !== undefined && text.startsWith('@'))
    return new Uint8Array(readFileSync(text.slice(1)));
  try {
    return plan.parse(text, { form: 'text', timeZone: 'UTC', now: Date.now });
  } catch (error) {
    if (error instanceof LexicalError) throw new UsageError(`${where}: ${error.reason}`);
    throw error;
  }
}
