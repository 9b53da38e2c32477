import type { SmppServer } from '../adapters/sms/smpp.ts';
import { urlOf } from './address-forms.ts';
import { form } from './forms.ts';

/** An SMS gateway and its connection options. */
export type SmsGatewaySetting =
  | {
      readonly kind: 'twilio';
      readonly account: string;
      /** The account, or the id of an API key. */
      readonly user: string;
      readonly password: string;
      /** The sender: a number, a name, or the id of a messaging service. */
      readonly from: string;
      /** The URL of the API, without a trailing slash. */
      readonly api: string;
    }
  | ({ readonly kind: 'smpp' } & SmppServer)
  | { readonly kind: 'webhook'; readonly url: string };

const TWILIO_API = 'https://api.twilio.com';
const SENDER = /^(?:\+?[0-9]{3,15}|MG[0-9A-Fa-f]{32}|[A-Za-z0-9 _.-]{1,11})$/;
/** Longest name or password; carriers accept longer ones than SMPP 3.4 allows. */
const LONGEST = 64;
const PORTS = { smpp: 2775, smpps: 3550 };

/** An SMS gateway. */
export const smsGateway = form<SmsGatewaySetting>(
  'twilio://sid:secret@sender, smpp://user:password@host:2775?source=…, smpps://…, or an http or https URL',
  (text) => {
    const url = urlOf(text, Object.keys(GATEWAYS));
    if (!url?.host) return undefined;
    const setting = GATEWAYS[url.protocol]!(url);
    return setting && Object.freeze(setting);
  },
);

function twilio(url: URL): SmsGatewaySetting | undefined {
  const options = optionsOf(url, ['account', 'api']);
  const user = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  const from = decodeURIComponent(url.host);
  const account = options?.get('account') ?? (user.startsWith('SK') ? '' : user);
  const api = options?.get('api') ?? TWILIO_API;
  const areIds = [user, account].every((id) => /^[A-Za-z0-9]{1,64}$/.test(id));
  if (options === undefined || urlOf(api, ['http:', 'https:']) === undefined) return undefined;
  if (!areIds || password === '' || !SENDER.test(from)) return undefined;
  return { kind: 'twilio', account, user, password, from, api: api.replace(/\/+$/, '') };
}

function smpp(url: URL): SmsGatewaySetting | undefined {
  const options = optionsOf(url, ['source', 'system_type', 'verify']);
  if (options === undefined || !url.hostname) return undefined;
  const tls = url.protocol === 'smpps:';
  // URLSearchParams reads a plus as a blank.
  const source = (options.get('source') ?? '').replace(/^ /, '+');
  const verify = { on: true, off: false }[options.get('verify') ?? 'on'];
  const systemId = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  const systemType = options.get('system_type') ?? '';
  const fits =
    isAscii(systemId, LONGEST) && isAscii(password, LONGEST) && isAscii(systemType, LONGEST);
  if (!fits || verify === undefined || (source !== '' && !SENDER.test(source))) return undefined;
  const port = url.port === '' ? PORTS[tls ? 'smpps' : 'smpp'] : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { kind: 'smpp', host, port, tls, verify, systemId, password, systemType, source };
}

function webhook(url: URL): SmsGatewaySetting | undefined {
  return url.hash === '' ? { kind: 'webhook', url: url.href } : undefined;
}

/** By the scheme of `SMS_URL`. */
const GATEWAYS: Readonly<Record<string, (url: URL) => SmsGatewaySetting | undefined>> = {
  'twilio:': twilio,
  'smpp:': smpp,
  'smpps:': smpp,
  'http:': webhook,
  'https:': webhook,
};

function optionsOf(url: URL, known: readonly string[]): URLSearchParams | undefined {
  const keys = [...url.searchParams.keys()];
  return url.hash === '' && keys.every((key) => known.includes(key)) ? url.searchParams : undefined;
}

function isAscii(text: string, longest: number): boolean {
  return text.length <= longest && /^[\x20-\x7e]*$/.test(text);
}

/** The name of the service for users. */
export const serviceName = form('a name of 1 to 40 characters in one line', (text) =>
  [...text].length <= 40 && !/\p{Cc}/u.test(text) && text.isWellFormed() ? text : undefined,
);

/**
 * The text of a message, with a placeholder for the code. It may have lines, such as the last one
 * by which phones fill the code in on one site only (WICG, Origin-bound one-time codes). `\n` is a
 * line break, for files of one line a value.
 */
export const smsText = form(
  'a text of at most 300 characters, with {code} where the code belongs',
  (given) => {
    const text = given.replaceAll(/\r\n|\\n/g, '\n').trim();
    const isText = [...text].length <= 300 && !/[^\P{Cc}\n]/u.test(text) && text.isWellFormed();
    return isText && text.includes('{code}') ? text : undefined;
  },
);

/** The most numbers with a fixed code. */
const MOST_TEST_CODES = 20;

/** Fixed codes by number in E.164. */
export const testCodes = form<ReadonlyMap<string, string>>(
  `up to ${MOST_TEST_CODES} numbers with codes of six digits, such as +12015550123=123456,…`,
  (text) => {
    const pairs = text.split(',').map((one) => /^(\+\d{5,15})=(\d{6})$/.exec(one.trim()));
    const codes = new Map(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
    const isRight = !codes.has('') && codes.size === pairs.length && codes.size <= MOST_TEST_CODES;
    return isRight ? codes : undefined;
  },
);
