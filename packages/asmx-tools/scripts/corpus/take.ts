import { projectOf } from '../../src/from/from.ts';
import { type ReadContracts, readServices } from '../../src/from/wsdl/read-wsdl.ts';
import { WsdlError } from '../../src/from/wsdl-error.ts';
import { roundTrip } from './round-trip.ts';

/** How far a WSDL came. */
export interface Outcome {
  readonly file: string;
  readonly step:
    | 'no service'
    | 'invalid'
    | 'refused'
    | 'off profile'
    | 'defect'
    | 'serve'
    | 'differs'
    | 'round trip'
    | 'compile'
    | 'passed';
  readonly reason: string;
  /** The sources of the project that was made. */
  readonly files: Readonly<Record<string, string>>;
}

/** Takes one WSDL all the way but compiling, which is done for all at once. */
export async function take(file: string): Promise<Outcome> {
  const outcome = (step: Outcome['step'], reason = '', files: Outcome['files'] = {}) => ({
    file,
    step,
    reason,
    files,
  });
  let read: ReadContracts;
  try {
    read = await readServices(file);
  } catch (error) {
    if (!(error instanceof WsdlError)) return outcome('defect', String(error));
    const { kind, component, reason, rule } = error;
    if (kind === 'unreadable') return outcome('invalid', reason);
    if (rule !== undefined) return outcome('off profile', `${component}: ${reason} ${rule}`);
    const other =
      /holds no service|has no operation|None of its ports can be served|WSDL 2\.0/.test(reason);
    return outcome(other ? 'no service' : 'refused', `${component}: ${reason}`);
  }
  try {
    const { files } = await projectOf(read, {});
    for (const { service } of read.contracts) {
      const failure = await roundTrip(service);
      if (failure !== undefined) return outcome('round trip', failure);
    }
    return outcome('passed', '', files);
  } catch (error) {
    if (!(error instanceof WsdlError))
      return outcome('defect', (error as Error).stack?.split('\n').slice(0, 3).join(' ') ?? '');
    return outcome(error.reason.startsWith('Old clients') ? 'differs' : 'refused', error.reason);
  }
}
