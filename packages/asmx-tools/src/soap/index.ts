/**
 * The entry `./soap`: a SOAP client with the types of a contract, on `fetch`. It needs Node, Bun or
 * Deno.
 * @packageDocumentation
 */

export { type TypedService, typedService } from '@ws01/asmx/internal/contract/typed-service';
export type { AnyValue, DataSet, Nothing, Refusal } from '@ws01/asmx/internal/contract/values';
export { SoapCallError, type SoapCallErrorKind, SoapFault } from './errors.ts';
export { CLIENT_LIMITS } from './limits.ts';
export type {
  Attachment,
  HeaderTexts,
  SoapAnswer,
  SoapCallOptions,
  SoapClient,
  SoapClientOptions,
  UsernameToken,
} from './options.ts';
export { createSoapClient } from './soap-client.ts';
