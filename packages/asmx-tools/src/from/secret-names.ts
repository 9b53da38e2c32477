import { words } from '@ws01/asmx/internal/contract/words';

/** Words that say by themselves that a name is one of a secret. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  words(
    'password passwords passwd passwort kennwort passphrase passcode pwd psw secret secrets token',
    'tokens ticket jwt bearer cookie nonce signature hmac credential credentials pin otp totp cvv',
    'cvc sid apikey',
  ),
);

/** Words that say so at the end of a name: a `passThrough` is none. */
const SECRET_ENDS: ReadonlySet<string> = new Set(['pass', 'pw', 'session']);

/** Words that say so together, one behind the other. */
const SECRET_PAIRS: readonly (readonly [first: RegExp, second: RegExp])[] = [
  [/^session$/, /^(id|ids|key|guid|handle|code|string|hash|no|number|value|uid|uuid)$/],
  [
    /^(api|app|access|auth|account|private|secret|license|licence|security|client|shared|service|signing)$/,
    /^keys?$/,
  ],
  [
    /^(encryption|decryption|product|activation|registration|master|user|web|ws|hash|integration)$/,
    /^keys?$/,
  ],
  [
    /^(access|auth|authorization|authorisation|security|verification|pass|login|activation)$/,
    /^(code|string|hash)$/,
  ],
  [/^(pass|cipher)$/, /^(word|wd|phrase|value)$/],
  [/^security$/, /^answer$/],
];

/**
 * What is long enough to be found within a name that is written in one, as `strpassword` or
 * `SESSIONID`.
 */
const SECRET_PARTS =
  /passw(?:or)?d|passphrase|passwort|kennwort|pwd|secret(?!ar)|credential|api_?key|licen[cs]ekey|accesskey|privatekey|session(?:id|key|token|guid)|token|authkey|signature|(?:auth|user|login|wc|sz|str|txt|my)(?:ticket|pass|pin|pw)$/;

/** Last words of names that tell something about a secret. */
const ABOUT: ReadonlySet<string> = new Set(
  words(
    'type count length size price date time expires expiry expiration expired status lifetime',
    'policy required valid enabled changed days category priority subject',
  ),
);

/** Words of operations whose result lets the caller in later. */
const SIGN_IN =
  /^(?:login|logon|signin|signon|authenticate|authentication|authenticated|authorize|authorise|handshake)$/;
const SIGN_IN_PAIRS =
  /^(?:log|sign) (?:in|on)$|^(?:open|create|start|begin|new|get|init|request|connect) session$/;

/**
 * Whether the name of a parameter, member, element, attribute or query pair says that its value is
 * a secret.
 */
export function looksSecret(name: string): boolean {
  const words = wordsOf(name);
  if (ABOUT.has(words.at(-1) ?? '')) return false;
  if (words.some((word) => SECRET_WORDS.has(word) || SECRET_PARTS.test(word))) return true;
  if (SECRET_ENDS.has(words.at(-1) ?? '')) return true;
  return words.some((word, index) =>
    SECRET_PAIRS.some(([first, second]) => first.test(word) && second.test(words[index + 1] ?? '')),
  );
}

/**
 * Whether what an operation answers is a secret by its name: a ticket of `Login`, the token of
 * `GetToken`.
 */
export function answersSecret(operation: string): boolean {
  const words = wordsOf(operation);
  return (
    looksSecret(operation) ||
    words.some(
      (word, index) =>
        SIGN_IN.test(word) || SIGN_IN_PAIRS.test(`${word} ${words[index + 1] ?? ''}`),
    )
  );
}

/** How much of a name is looked at: characters. */
const MOST_CHARS = 200;

/**
 * The words of a name in lower case: `strUserPassword2`, `USER_PASSWORD` and `user-password` have
 * the same two last ones.
 */
function wordsOf(name: string): string[] {
  const known = name.slice(0, MOST_CHARS);
  return known
    .replaceAll(/([a-z])(?=[A-Z])/g, '$1 ')
    .replaceAll(/([A-Z])(?=[A-Z][a-z])/g, '$1 ')
    .split(/[^\p{L}]/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}
