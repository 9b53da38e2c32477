import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { Admin } from '../domain/admins/admins.ts';
import { findPasskey, keepChallenge, type NewPasskey, passkeysOf, takeChallenge } from '../domain/admins/ways-in.ts';
import type { ConsoleDeps, Visit } from './visit.ts';

type Deps = Pick<ConsoleDeps, 'store' | 'clock'>;
type Transports = NonNullable<RegistrationResponseJSON['response']['transports']>;

const NAME = 'WS01';

/** EdDSA, ES256 and RS256 (COSE); the library's own choice has Node warn of ML-DSA, which it tries out. */
const ALGORITHMS = [-8, -7, -257];

/** What a browser needs to make a passkey. */
export async function creationOptions({ store, clock }: Deps, { origin }: Visit, admin: Admin) {
  const known = await passkeysOf(store, admin);
  const options = await generateRegistrationOptions({
    rpName: NAME,
    rpID: hostOf(origin),
    userName: admin.name,
    userID: Buffer.from(admin.id),
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports: transportsOf(transports) })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await keepChallenge(store, options.challenge, clock);
  return options;
}

/** A passkey that was made for a challenge of ours; `undefined` when it was not. */
export async function verifiedPasskey(
  { store, clock }: Deps,
  { origin }: Visit,
  response: RegistrationResponseJSON,
): Promise<NewPasskey | undefined> {
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => takeChallenge(store, challenge, clock),
      expectedOrigin: origin,
      expectedRPID: hostOf(origin),
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return undefined;
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return { id, public_key: Buffer.from(publicKey), counter, transports: transports.join(',') };
  } catch {
    // The library throws whatever is wrong with what a browser sent.
    return undefined;
  }
}

/** What a browser needs to sign in with a passkey. */
export async function signInOptions({ store, clock }: Deps, { origin }: Visit) {
  const options = await generateAuthenticationOptions({ rpID: hostOf(origin), userVerification: 'required' });
  await keepChallenge(store, options.challenge, clock);
  return options;
}

/** The passkey that answered a challenge of ours, and its counter now; `undefined` when none did. */
export async function verifiedSignIn(
  { store, clock }: Deps,
  { origin }: Visit,
  response: AuthenticationResponseJSON,
): Promise<{ readonly id: string; readonly counter: number } | undefined> {
  const passkey = typeof response?.id === 'string' ? await findPasskey(store, response.id) : undefined;
  if (passkey === undefined) return undefined;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => takeChallenge(store, challenge, clock),
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
    return verified ? { id: passkey.id, counter: authenticationInfo.newCounter } : undefined;
  } catch {
    return undefined;
  }
}

const hostOf = (origin: string) => new URL(origin).hostname;
const transportsOf = (stored: string) => (stored === '' ? [] : (stored.split(',') as Transports));
