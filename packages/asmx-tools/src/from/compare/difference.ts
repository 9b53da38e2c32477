/** What is unlike between an old contract and ours. */
export interface Difference {
  /** `''` for what concerns the whole service. */
  readonly operation: string;
  /** What differs: `parameter days`, `type Forecast/low`, `result`, `SOAPAction`, `binding HTTP GET`. */
  readonly subject: string;
  readonly aspect: Aspect;
  /** How it is in the old contract, and in ours. */
  readonly old: string;
  readonly ours: string;
  /** Who would notice: `SOAP clients`; empty when no old client would, so that the difference does not count. */
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
 * Who notices a change of a name that is not on the wire: no client that was made before, since the contract
 * is equal.
 */
export const NEW_CLIENTS = 'clients generated again, or that choose a port by its name,';
