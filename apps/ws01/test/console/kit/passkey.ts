import { generateKeyPairSync, hash } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/** What a browser answers a challenge with that makes a passkey of this id; without attestation nothing proves it. */
export function newPasskey(origin: string, challenge: string, id: Buffer): object {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
    format: 'jwk',
  });
  const key = new Map<number, number | Uint8Array<ArrayBuffer>>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x!, 'base64url'))],
    [-3, new Uint8Array(Buffer.from(y!, 'base64url'))],
  ]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(id.length);
  const authData = Buffer.concat([
    hash('sha256', new URL(origin).hostname, 'buffer'),
    // A user was present and verified, and there is a key (WebAuthn 6.1).
    Buffer.from([0x45, 0, 0, 0, 0]),
    Buffer.alloc(16),
    ...[length, id, isoCBOR.encode(key)],
  ]);
  const attestation = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', new Uint8Array(authData)],
  ]);
  const clientData = JSON.stringify({ type: 'webauthn.create', challenge, origin });
  return {
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: Buffer.from(clientData).toString('base64url'),
      attestationObject: Buffer.from(isoCBOR.encode(attestation as Map<string, string>)).toString(
        'base64url',
      ),
    },
  };
}
