/** The entry `./security`: authentication of callers. */

export { SECURITY_HEADER, type UsernameTokenOptions, type UsernameTokens, usernameToken } from './username-token.ts';
