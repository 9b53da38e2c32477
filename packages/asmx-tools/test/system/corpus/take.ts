import { createEndpoint } from '../../../../asmx/src/engine/endpoint.ts';
import { ask } from '../../../../asmx/test/kit/ask.ts';
import { engineService } from '../../../src/from/emit/engine-service.ts';
import type { ProjectFiles } from '../../../src/from/emit/project-files.ts';
import { projectOf } from '../../../src/from/from.ts';
import { xmlValues } from '../../../src/from/traffic/compare-answers.ts';
import { type ReadContracts, readServices } from '../../../src/from/wsdl/read-wsdl.ts';
import { WsdlError } from '../../../src/from/wsdl-error.ts';
import { type Calls, sampleCalls } from './calls.ts';
import { roundTrip } from './round-trip.ts';

/**
 * How far a WSDL came. What is no try: no service over HTTP, no WSDL 1.1, and what is not there.
 */
export interface Outcome {
  readonly file: string;
  readonly step:
    | 'no service'
    | 'no WSDL'
    | 'dangling'
    | 'refused'
    | 'defect'
    | 'serve'
    | 'round trip'
    | 'compile'
    | 'passed';
  readonly reason: string;
  /** The sources of the project that was made. */
  readonly files: ProjectFiles;
  /** Operations that were left out, with the reason. */
  readonly leftOut: readonly string[];
  readonly calls: readonly Calls[];
  /** The WSDL that is served, of the first service. */
  readonly served: string;
}

const NO_SERVICE = /holds no service|has no operation|None of its ports can be served/;
const NO_WSDL =
  /undeclared prefix|is not declared|no WSDL 1\.1|WSDL 2\.0|neither WSDL|DTD|HTML page|Line \d|Only comments/i;

/** Takes one WSDL all the way but compiling, which is done for all at once. */
export async function take(file: string): Promise<Outcome> {
  const outcome = (step: Outcome['step'], reason = '', more: Partial<Outcome> = {}): Outcome => ({
    ...{ file, step, reason, files: {}, leftOut: [], calls: [], served: '' },
    ...more,
  });
  try {
    const read: ReadContracts = await readServices(file);
    const { files, services } = await projectOf(read, {});
    const leftOut = services.flatMap((each) =>
      each.leftOut.map(({ operation, reason }) => `${operation}: ${reason}`),
    );
    const calls: Calls[] = [];
    let served = '';
    for (const { old } of services) {
      const wsdl = await description(old);
      if (xmlValues(wsdl) === undefined) return outcome('serve', 'its WSDL is not well-formed');
      served ||= wsdl;
      const failure = await roundTrip(old);
      if (failure !== undefined) return outcome('round trip', failure);
      calls.push(await sampleCalls(old));
    }
    return outcome('passed', '', { files, leftOut, calls, served });
  } catch (error) {
    if (!(error instanceof WsdlError))
      return outcome('defect', (error as Error).stack?.split('\n').slice(0, 3).join(' ') ?? '');
    const { kind, component, reason } = error;
    const line = `${component}: ${reason}`;
    if (NO_SERVICE.test(reason)) return outcome('no service', line);
    if (kind === 'unsupported' && !/WSDL 2\.0/.test(reason)) return outcome('refused', line);
    return outcome(NO_WSDL.test(reason) ? 'no WSDL' : 'dangling', line);
  }
}

async function description(old: Parameters<typeof engineService>[0]): Promise<string> {
  const handlers = Object.fromEntries(old.operations.map(({ name }) => [name, () => undefined]));
  const endpoint = createEndpoint(engineService(old), {
    handlers: handlers as never,
    path: '/Served.asmx',
    baseUrl: () => 'http://localhost',
  });
  const { status, body } = await ask(endpoint, { target: '/Served.asmx?WSDL' });
  return status === 200 ? String(body) : '';
}
