import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { Admin } from '../domain/admins/admins.ts';
import { consumeChallenge, isOurs, newChallenge } from '../domain/admins/challenges.ts';
import { findPasskey, type NewPasskey, passkeysOf } from '../domain/admins/sign-in-methods.ts';
import type { ConsoleDeps, Visit } from './visit.ts';

type Deps = Pick<ConsoleDeps, 'store' | 'clock' | 'challengeKeys'>;
type Transports = NonNullable<RegistrationResponseJSON['response']['transports']>;

const NAME = 'WS01';

/** EdDSA, ES256 and RS256 (COSE). The library's default also tries ML-DSA, for which Node prints a warning. */
const ALGORITHMS = [-8, -7, -257];

/** Returns the options for a browser to create a passkey. */
export async function creationOptions(deps: Deps, { origin }: Visit, admin: Admin) {
  const known = await passkeysOf(deps.store, admin);
  return generateRegistrationOptions({
    challenge: await newChallenge(deps),
    rpName: NAME,
    rpID: hostOf(origin),
    userName: admin.name,
    userID: Buffer.from(admin.id),
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known.map(({ id, transports }) => ({
      id,
      transports: transportsOf(transports),
    })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** Verifies a new passkey against our challenge; `undefined` if it is not valid. */
export async function verifiedPasskey(
  deps: Deps,
  { origin }: Visit,
  response: RegistrationResponseJSON,
): Promise<NewPasskey | undefined> {
  try {
    const answered = answeredChallenge(deps);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: answered.isOurs,
      expectedOrigin: origin,
      expectedRPID: hostOf(origin),
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified || !(await answered.consume())) return undefined;
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return { id, public_key: Buffer.from(publicKey), counter, transports: transports.join(',') };
  } catch {
    // The library throws for any invalid input from a browser.
    return undefined;
  }
}

/** Returns the options for a browser to sign in with a passkey. */
export async function signInOptions(deps: Deps, { origin }: Visit) {
  const challenge = await newChallenge(deps);
  return generateAuthenticationOptions({
    challenge,
    rpID: hostOf(origin),
    userVerification: 'required',
  });
}

/** Verifies a sign-in with a passkey against our challenge; returns the passkey and its counter, or `undefined`. */
export async function verifiedSignIn(
  deps: Deps,
  { origin }: Visit,
  response: AuthenticationResponseJSON,
): Promise<{ readonly id: string; readonly counter: number } | undefined> {
  const passkey =
    typeof response?.id === 'string' && PASSKEY_ID.test(response.id)
      ? await findPasskey(deps.store, response.id)
      : undefined;
  if (passkey === undefined) return undefined;
  try {
    const answered = answeredChallenge(deps);
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: answered.isOurs,
      expectedOrigin: origin,
      expectedRPID: hostOf(origin),
      requireUserVerification: true,
      credential: {
        id: passkey.id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.counter),
        transports: transportsOf(passkey.transports),
      },
    });
    if (!verified || !(await answered.consume())) return undefined;
    return { id: passkey.id, counter: authenticationInfo.newCounter };
  } catch {
    return undefined;
  }
}

/** The challenge of an answer. It is used, which writes, when the answer is known to be right: anybody may send one. */
function answeredChallenge(deps: Deps) {
  let answered = '';
  return {
    isOurs: (challenge: string) => {
      answered = challenge;
      return isOurs(deps, challenge);
    },
    consume: () => consumeChallenge(deps, answered),
  };
}

/** Base64url of at most 1,023 bytes (WebAuthn 5.1). */
const PASSKEY_ID = /^[\w-]{1,1364}$/;

const hostOf = (origin: string) => new URL(origin).hostname;
const transportsOf = (stored: string) => (stored === '' ? [] : (stored.split(',') as Transports));
