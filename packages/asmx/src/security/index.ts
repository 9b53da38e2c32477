/** The entry `./security`: ways to find out who calls. */

export { SECURITY_HEADER, type UsernameTokenOptions, type UsernameTokens, usernameToken } from './username-token.ts';
