import { readFileSync } from 'node:fs';
import { DAY_MS } from '@ws01/asmx/time';
import { type Config, ConfigError } from '../config/config.ts';
import type { Certificate } from '../web/listening.ts';

/**
 * Reads the TLS certificate and its key (`TLS_CERT_FILE`, `TLS_KEY_FILE`).
 * @returns `undefined` without TLS.
 * @throws {ConfigError} when a file cannot be read, or the key does not match the certificate.
 */
export function readCertificate({ tlsCertFile, tlsKeyFile }: Config): Certificate | undefined {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  const certificate = {
    cert: read('TLS_CERT_FILE', tlsCertFile),
    key: read('TLS_KEY_FILE', tlsKeyFile),
  };
  try {
    process.getBuiltinModule('node:tls').createSecureContext(certificate);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `TLS_CERT_FILE and TLS_KEY_FILE cannot be used together: ${FAULTS[code ?? ''] ?? code ?? message}.`,
    );
  }
  return certificate;
}

/** What OpenSSL's codes mean for the two files. */
const FAULTS: Readonly<Record<string, string>> = {
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'the key is that of another certificate',
  ERR_OSSL_PEM_NO_START_LINE: 'each must be in PEM form, the certificate first, its key second',
};

/**
 * How long before its end a certificate should have been renewed; ACME clients do it 30 days
 * before; ms.
 */
const RENEWED_MS = 10 * DAY_MS;

/**
 * What an operator must know of a certificate that ends soon, or has; `undefined` while there is
 * time.
 */
export function endOfCertificate(
  { cert }: Pick<Certificate, 'cert'>,
  now: number,
): string | undefined {
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  const end = new X509Certificate(cert).validToDate;
  if (end.getTime() - now > RENEWED_MS) return undefined;
  const ends = end.getTime() > now ? 'ends' : 'ended';
  return `The certificate in use ${ends} on ${end.toISOString().slice(0, 10)}; renew it, then systemctl reload ws01.`;
}

function read(variable: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(
      `${variable} names ${path}, which cannot be read: ${(error as NodeJS.ErrnoException).code}.`,
    );
  }
}
