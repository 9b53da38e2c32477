/** Texts that look like credentials are never logged and never shown in recordings. */
const CREDENTIAL =
  /^(pass(word|wd|phrase|code)?|pwd|user_?pass(word)?|(access|auth|session)?_?token(_?id)?|secret|api_?key|pin)$/i;

/** Whether a parameter's name says that it is a credential. */
export function looksSecret(name: string): boolean {
  return CREDENTIAL.test(name);
}
