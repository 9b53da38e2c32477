import { Refused } from './story.ts';

/** How `soap` and `strong-soap` hand out a fault: as the objects they made of its XML, in either version. */
interface FaultError {
  readonly root?: { readonly Envelope: { readonly Body: { readonly Fault: Fault } } };
}

interface Fault {
  readonly faultstring?: string;
  readonly Reason?: { readonly Text: string | { readonly $value: string } };
  readonly detail?: Detail;
  readonly Detail?: Detail;
}

interface Detail {
  readonly error: { readonly code: string };
}

/** What was refused, of what a client's call failed with; anything else as it is. */
export function refused(error: unknown): unknown {
  const fault = (error as FaultError).root?.Envelope.Body.Fault;
  if (fault === undefined) return error;
  const text = fault.Reason?.Text;
  const reason = typeof text === 'object' ? text.$value : text;
  return new Refused((fault.detail ?? fault.Detail)?.error.code, fault.faultstring ?? reason ?? '');
}
