import type { BindingKind, Element, Operation, Service } from '../normal-form.ts';
import {
  type Difference,
  NEW_CLIENTS,
  NOTHING,
  type Report,
  reportTo,
  SOAP,
  shownNamespace,
  TYPED,
} from './difference.ts';
import { distinct, paired } from './paired.ts';
import { TypeComparison } from './types.ts';

/** Where both services answer: shown, not counted, for clients are given the new address. */
export interface AddressPair {
  readonly binding: string;
  readonly old: string;
  readonly ours: string;
}

/** How two contracts differ. */
export interface Comparison {
  /** Whether no old client would notice. */
  readonly same: boolean;
  /** What an old client would notice. */
  readonly differences: readonly Difference[];
  /** What is equal on the wire, and has other names for clients that are generated again. */
  readonly names: readonly Difference[];
  /** What no old client would notice. */
  readonly unnoticed: readonly Difference[];
  readonly addresses: readonly AddressPair[];
}

const BINDING_NAMES: Readonly<Record<BindingKind, string>> = {
  soap11: 'SOAP 1.1',
  soap12: 'SOAP 1.2',
  get: 'HTTP GET',
  post: 'HTTP POST',
};

const KINDS = Object.keys(BINDING_NAMES) as BindingKind[];

/**
 * Compares an old contract with ours, operation by operation: names, order, types, nullability,
 * result, namespace, action, headers, faults, bindings. A difference that is the same everywhere,
 * such as the namespace, is reported once.
 */
export function compare(old: Service, ours: Service): Comparison {
  const found: Difference[] = [];
  const report = reportTo(found);
  const renamed = new Map<string, string>();
  if (old.namespace !== ours.namespace) {
    renamed.set(old.namespace, ours.namespace);
    const [before, after] = [shownNamespace(old.namespace), shownNamespace(ours.namespace)];
    report('', 'namespace', 'namespace', before, after, SOAP);
  }
  compareBindings(old, ours, report);
  comparePorts(old, ours, report);
  const own = new Map(ours.operations.map((operation) => [operation.name, operation]));
  const types = new TypeComparison(old, ours, renamed);
  for (const operation of old.operations) {
    const match = own.get(operation.name);
    if (match === undefined)
      report(operation.name, '', 'presence', 'an operation', NOTHING, 'every client of it');
    else {
      compareOperation(operation, match, types, renamed, report);
      types.settle();
    }
    own.delete(operation.name);
  }
  for (const name of own.keys()) report(name, '', 'presence', NOTHING, 'an operation', '');
  const all = [...found, ...types.differences];
  const differences = all.filter(({ noticedBy }) => noticedBy !== '' && noticedBy !== NEW_CLIENTS);
  return {
    same: differences.length === 0,
    differences,
    names: all.filter(({ noticedBy }) => noticedBy === NEW_CLIENTS),
    unnoticed: all.filter(({ noticedBy }) => noticedBy === ''),
    addresses: addressPairs(old, ours),
  };
}

function compareBindings(old: Service, ours: Service, report: Report): void {
  for (const kind of KINDS) {
    const [before, after] = [offered(old, kind), offered(ours, kind)];
    const name = BINDING_NAMES[kind];
    if (before.size === 0 && after.size > 0)
      report('', `binding ${name}`, 'binding', NOTHING, 'offered', '');
    if (before.size > 0 && after.size === 0) {
      report('', `binding ${name}`, 'binding', 'offered', NOTHING, `${name} clients`);
      continue;
    }
    for (const operation of before) {
      const there = ours.operations.some((each) => each.name === operation);
      if (there && !after.has(operation)) {
        report(operation, `binding ${name}`, 'binding', 'offered', NOTHING, `${name} clients`);
      }
    }
  }
}

/** The names by which clients that read the WSDL choose, and from which generators make classes. */
function comparePorts(old: Service, ours: Service, report: Report): void {
  const name = (subject: string, before: string | undefined, after: string | undefined) => {
    if (before !== undefined && after !== undefined)
      report('', subject, 'name', before, after, NEW_CLIENTS);
  };
  for (const kind of KINDS) {
    const [before, after] = [old, ours].map(({ ports }) =>
      ports.find((port) => port.kind === kind),
    );
    name(`port of ${BINDING_NAMES[kind]}`, before?.name, after?.name);
    name(`binding of ${BINDING_NAMES[kind]}`, before?.binding, after?.binding);
  }
  name('service name', old.name, ours.name);
  name('port type', old.portType, ours.portType);
  const addressing = (of: Service) => (of.addressing ? 'declared' : NOTHING);
  const who = old.addressing ? SOAP : '';
  report('', 'WS-Addressing', 'binding', addressing(old), addressing(ours), who);
}

function offered({ ports }: Service, kind: BindingKind): ReadonlySet<string> {
  return new Set(
    ports.filter((port) => port.kind === kind).flatMap(({ operations }) => operations),
  );
}

function compareOperation(
  old: Operation,
  ours: Operation,
  types: TypeComparison,
  renamed: ReadonlyMap<string, string>,
  report: Report,
): void {
  const { name } = old;
  compareAction(old, ours, renamed, report);
  report(name, 'use', 'style', old.use, ours.use, SOAP);
  // A bare message and a wrapped one differ in their contents, which are compared below.
  const rpc = ({ style }: Operation) => (style === 'rpc' ? 'rpc' : 'document');
  report(name, 'style', 'style', rpc(old), rpc(ours), TYPED);
  const body = (
    subject: string,
    before: Operation['input'] | undefined,
    after: Operation['input'] | undefined,
  ) => {
    if (before === undefined || after === undefined) {
      const [theirs, own] = [before?.name ?? NOTHING, after?.name ?? NOTHING];
      if (before !== after) report(name, subject, 'presence', theirs, own, 'every client');
      return;
    }
    report(name, subject, 'name', before.name, after.name, SOAP);
    for (const inWsdl of ['message', 'part'] as const) {
      const [theirs, own] = [before[inWsdl] ?? '', after[inWsdl] ?? ''];
      report(name, `${inWsdl} of the ${subject}`, 'name', theirs, own, NEW_CLIENTS);
    }
    if (!types.sameNamespace(before.namespace, after.namespace)) {
      const [theirs, own] = [shownNamespace(before.namespace), shownNamespace(after.namespace)];
      report(name, `${subject} namespace`, 'namespace', theirs, own, SOAP);
    }
  };
  body('request element', old.input, ours.input);
  body('response element', old.output, ours.output);
  types.encoded = old.use === 'encoded';
  types.elements(name, 'parameter ', old.parameters, ours.parameters);
  compareResult(old, ours, types, report);
  types.elements(name, 'out parameter ', old.out, ours.out);
  const used = (each: Element, of: Operation, use = of.use): UsedElement => ({ ...each, use });
  const headers = (of: Operation, kind: 'in' | 'out') =>
    of.headers[kind].map((header) => used(header, of, header.use));
  const faults = (of: Operation) => of.faults.map(({ element, use }) => used(element, of, use));
  compareSets(name, 'header', headers(old, 'in'), headers(ours, 'in'), types, report);
  compareSets(name, 'response header', headers(old, 'out'), headers(ours, 'out'), types, report);
  compareSets(name, 'fault', faults(old), faults(ours), types, report);
}

/** ASMX takes one or two slashes before the name; the action's namespace follows the service's. */
function compareAction(
  old: Operation,
  ours: Operation,
  renamed: ReadonlyMap<string, string>,
  report: Report,
): void {
  const more = (subject: string, theirs: string | undefined, own: string | undefined) => {
    const shown = (action: string | undefined) =>
      action === undefined ? NOTHING : JSON.stringify(action);
    report(old.name, subject, 'action', shown(theirs), shown(own), SOAP);
  };
  const of12 = ({ action, action12 }: Operation) => action12 ?? action;
  // Where neither has one of its own for SOAP 1.2, the action says all.
  if (old.action12 !== undefined || ours.action12 !== undefined)
    more('SOAPAction of SOAP 1.2', of12(old), of12(ours));
  more('WS-Addressing action of the answer', old.answerAction, ours.answerAction);
  const plain = (action: string) => action.replace(/\/\/(?=[^/]*$)/, '/');
  const [before, after] = [plain(old.action), plain(ours.action)];
  if (before === after) return;
  for (const [theirs, own] of renamed) {
    const moved = before.startsWith(theirs)
      ? plain(`${own.replace(/\/$/, '')}${before.slice(theirs.length)}`)
      : before;
    const trimmed = before.startsWith(theirs.replace(/\/$/, ''))
      ? `${own.replace(/\/$/, '')}${before.slice(theirs.replace(/\/$/, '').length)}`
      : before;
    if (moved === after || trimmed === after) return;
  }
  const [theirs, own] = [JSON.stringify(old.action), JSON.stringify(ours.action)];
  report(old.name, 'SOAPAction', 'action', theirs, own, SOAP);
}

function compareResult(
  { name, result: old }: Operation,
  { result: ours }: Operation,
  types: TypeComparison,
  report: Report,
) {
  if (old !== undefined && ours !== undefined) {
    report(name, 'result', 'name', old.name, ours.name, SOAP);
    types.element(name, 'result', old, ours);
  } else if (old !== ours) {
    report(name, 'result', 'presence', old?.name ?? 'void', ours?.name ?? 'void', 'every client');
  }
}

type UsedElement = Element & Pick<Operation, 'use'>;

/** Headers and faults: by name, in no order. */
function compareSets(
  operation: string,
  kind: 'header' | 'response header' | 'fault',
  old: readonly UsedElement[],
  ours: readonly UsedElement[],
  types: TypeComparison,
  report: Report,
): void {
  const aspect = kind === 'fault' ? 'fault' : 'header';
  // Two faults may have one element: clients see the element.
  const known = distinct(old);
  const { partners, added } = paired(known, distinct(ours), types.sameNamespace);
  for (const [index, element] of known.entries()) {
    const match = partners[index];
    const subject = `${kind} ${element.name}`;
    types.encoded = element.use === 'encoded';
    if (match === undefined) report(operation, subject, aspect, 'declared', NOTHING, SOAP);
    else if (element.use !== match.use)
      report(operation, subject, 'style', element.use, match.use, SOAP);
    else types.element(operation, subject, element, match);
  }
  for (const { name } of added)
    report(operation, `${kind} ${name}`, aspect, NOTHING, 'declared', '');
}

function addressPairs(old: Service, ours: Service): AddressPair[] {
  return KINDS.flatMap((kind) => {
    const location = ({ ports }: Service) =>
      ports.find((port) => port.kind === kind)?.location ?? '';
    const pair = { binding: BINDING_NAMES[kind], old: location(old), ours: location(ours) };
    return pair.old === '' && pair.ours === '' ? [] : [pair];
  });
}
