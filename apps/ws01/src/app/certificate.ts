import { readFileSync } from 'node:fs';
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
      `TLS_CERT_FILE and TLS_KEY_FILE cannot be used together: ${code ?? message}.`,
    );
  }
  return certificate;
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
