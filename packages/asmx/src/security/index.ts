/**
 * The entry `./security`: authentication of callers.
 * @packageDocumentation
 */

export type { NonceAnswer, NonceStore, UsedNonce } from './nonce-cache.ts';
export {
  SECURITY_HEADER,
  type UsernameTokenOptions,
  type UsernameTokens,
  usernameToken,
} from './username-token.ts';
