/** The entry `./from`: old contracts. WSDLs are read, and compared with what the engine serves. */

export { type AddressPair, type Comparison, compare } from './compare/compare.ts';
export { type Aspect, type Difference, lineOf } from './compare/difference.ts';
export { reportJson, reportLines } from './compare/report.ts';
export { servedContract } from './served-contract.ts';
export { type ReadContract, type ReadOptions, readWsdl, readWsdlText } from './wsdl/read-wsdl.ts';
export { WsdlError, type WsdlErrorKind } from './wsdl-error.ts';
