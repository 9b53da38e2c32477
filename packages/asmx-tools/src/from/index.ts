/**
 * The main entry: old services. Their WSDLs are read and compared, their traffic is recorded and
 * replayed.
 * @packageDocumentation
 */

export { UsageError } from './cli/command.ts';
export { LOAD_OPTION_TEXTS, loadOptionsOf } from './cli/load-options.ts';
export { record } from './cli/record-command.ts';
export { runReplay } from './cli/replay-command.ts';
export { type AddressPair, type Comparison, compare } from './compare/compare.ts';
export { type Aspect, type Difference, lineOf } from './compare/difference.ts';
export { reportJson, reportLines } from './compare/report.ts';
export type { LoadLimits } from './load/limits.ts';
export type { LoadOptions } from './load/load.ts';
export { type OldCall, oldCalls, oldContract } from './old-calls.ts';
export { servedContract } from './served-contract.ts';
export { type AnyOperations, type OpenOptions, openSoapClient } from './soap-of-wsdl.ts';
export { RecordingError } from './traffic/read-recording.ts';
export { createRecorder, type Recorder } from './traffic/recorder.ts';
export { type ReadContract, type ReadOptions, readWsdl, readWsdlText } from './wsdl/read-wsdl.ts';
export { WsdlError, type WsdlErrorKind } from './wsdl-error.ts';
