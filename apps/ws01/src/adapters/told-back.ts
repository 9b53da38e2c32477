/** Shorter texts stand in answers for other reasons. */
const SHORTEST = 4;

/**
 * What another server said without the secrets that it was sent, which some repeat: as they are, as
 * in a URL, or in base64.
 * @param secrets `undefined` and very short ones are passed over.
 */
export function withoutSecrets(said: string, secrets: readonly (string | undefined)[]): string {
  let told = said;
  for (const secret of secrets) {
    if (secret === undefined || secret.length < SHORTEST) continue;
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
      told = told.replaceAll(form, '(secret)');
  }
  return told;
}

/** Parts of a path or values of a query of so many characters may be a key. */
const KEY_CHARS = 12;

/** What may be a secret of a URL whose user and password are sent in another way. */
export function secretsOf(url: URL): readonly string[] {
  const parts = [...url.pathname.split('/'), ...url.searchParams.values()];
  return parts.filter(({ length }) => length >= KEY_CHARS);
}
