/** What is unlike between an old contract and ours. */
export interface Difference {
  /** `''` for what concerns the whole service. */
  readonly operation: string;
  /**
   * What differs: `parameter days`, `type Forecast/low`, `result`, `SOAPAction`,
   * `binding HTTP GET`.
   */
  readonly subject: string;
  readonly aspect: Aspect;
  /** How it is in the old contract, and in ours. */
  readonly old: string;
  readonly ours: string;
  /**
   * Who would notice: `SOAP clients`; empty when no old client would, so that the difference does
   * not count.
   */
  readonly noticedBy: string;
}

/** What of a contract differs. */
export type Aspect =
  | 'presence'
  | 'name'
  | 'order'
  | 'type'
  | 'nullability'
  | 'occurrence'
  | 'namespace'
  | 'action'
  | 'style'
  | 'header'
  | 'fault'
  | 'binding'
  | 'default';

/** `GetForecast: parameter days: int, ours long (generated clients would notice)`. */
export function lineOf({ operation, subject, old, ours, noticedBy }: Difference): string {
  const where = [operation, subject].filter((part) => part !== '').join(': ');
  const who = noticedBy === '' ? 'no old client would notice' : `${noticedBy} would notice`;
  return `${where}: ${old}, ours ${ours} (${who})`;
}

export const NOTHING = 'none';

/**
 * Who notices that a name is another, and that an element has another type, may be absent, or
 * stands elsewhere.
 */
export const SOAP = 'SOAP clients';
export const TYPED = 'clients with generated types';

/**
 * Adds what each has to the differences, where that is not the same; that something is absent,
 * always.
 */
export type Report = (
  operation: string,
  subject: string,
  aspect: Aspect,
  old: string,
  ours: string,
  noticedBy: string,
) => void;

export function reportTo(differences: Difference[]): Report {
  return (operation, subject, aspect, old, ours, noticedBy) => {
    if (old !== ours || aspect === 'presence')
      differences.push({ operation, subject, aspect, old, ours, noticedBy });
  };
}

export function shownNamespace(namespace: string): string {
  return namespace === '' ? 'no namespace' : namespace;
}

/**
 * Who notices a change of a name that is not on the wire: no client that was made before, since the
 * contract is equal.
 */
export const NEW_CLIENTS = 'clients generated again, or that choose a port by its name,';
