import { signalAfter } from '@ws01/asmx/time';
import smpp, { type Pdu, type Session } from 'smpp';
import { isFailureOf } from '../../failure/dependency-error.ts';
import { type OutgoingSms, type SmsGateway, secondsLeft, smsError } from './gateway.ts';
import { MAX_PARTS, segment } from './segments.ts';

/** An SMPP 3.4 server: a carrier, or a gateway such as Kannel. */
export interface SmppServer {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Whether the certificate is verified. */
  readonly verify: boolean;
  readonly systemId: string;
  readonly password: string;
  readonly systemType: string;
  /** A number or a sender's name; empty: the carrier chooses. */
  readonly source: string;
}

/** Timeout of a reply; ms. */
const TIMEOUT_MS = 15_000;

/** Interval of `enquire_link`; ms. */
const ENQUIRE_EVERY = 30_000;

const VERSION_3_4 = 0x34;
const DATA_CODING = { gsm7: 0x00, ucs2: 0x08 } as const;
const HEADER_PRESENT = 0x40;
const INTERNATIONAL = { ton: 1, npi: 1 };
const UNKNOWN = { ton: 0, npi: 1 };
const ALPHANUMERIC = { ton: 5, npi: 0 };

/** Statuses after which the same message may be accepted later (SMPP 3.4, 5.1.3). */
const PASSING: ReadonlyMap<number, string> = new Map([
  [0x08, 'system error'],
  [0x14, 'message queue full'],
  [0x45, 'submit_sm failed'],
  [0x58, 'throttled'],
  [0x64, 'temporary error of the receiving application'],
]);

/** Statuses that concern the session, not the message. */
const SESSION: ReadonlySet<number> = new Set([0x04, 0x05, 0x0d, 0x0e, 0x0f]);

/** Sends over one session. It is bound on first use, and again after it has ended. */
export class SmppGateway implements SmsGateway {
  readonly connections = 10;
  readonly #server: SmppServer;
  #session: Promise<Session> | undefined;
  #reference = 0;

  constructor(server: SmppServer) {
    this.#server = server;
  }

  async send(sms: OutgoingSms, signal: AbortSignal): Promise<string> {
    const { encoding, parts } = segment(sms.text);
    if (parts.length > MAX_PARTS) throw smsError('refused', 'The text is too long');
    const session = await this.#bound();
    const reference = this.#nextReference();
    const ids: string[] = [];
    for (const [index, part] of parts.entries()) {
      const header = parts.length === 1 ? [] : [5, 0, 3, reference, parts.length, index + 1];
      const parameters = {
        ...addressesOf(this.#server.source, sms.to),
        esm_class: header.length === 0 ? 0 : HEADER_PRESENT,
        data_coding: DATA_CODING[encoding],
        validity_period: relativeTime(secondsLeft(sms)),
        short_message: Buffer.from([...header, ...part]),
      };
      ids.push(await this.#submit(session, parameters, signal));
    }
    return `ESME_ROK ${ids.join(' ')}`.trim();
  }

  async close(): Promise<void> {
    const session = await this.#session?.catch(() => undefined);
    this.#session = undefined;
    if (session === undefined) return;
    await exchange(session, (done) => session.unbind(done), signalAfter(1_000)).catch(() => {});
    session.destroy();
  }

  /**
   * Submits one part.
   * @returns the carrier's message id; may be empty.
   */
  async #submit(
    session: Session,
    parameters: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<string> {
    try {
      const answer = await exchange(session, (done) => session.submit_sm(parameters, done), signal);
      assertTaken(answer);
      return typeof answer.message_id === 'string' ? answer.message_id : '';
    } catch (error) {
      if (isFailureOf('sms', error, 'unavailable')) session.destroy();
      throw error;
    }
  }

  #bound(): Promise<Session> {
    this.#session ??= bind(this.#server, () => {
      this.#session = undefined;
    }).catch((error) => {
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }

  /** Returns the reference number that connects the parts of a message. */
  #nextReference(): number {
    this.#reference = (this.#reference + 1) % 256;
    return this.#reference;
  }
}

/**
 * Connects and signs in.
 * @param onEnd called when the session has ended.
 */
async function bind(server: SmppServer, onEnd: () => void): Promise<Session> {
  const { host, port, tls, verify, systemId, password, systemType } = server;
  const connection = { host, port, tls, rejectUnauthorized: verify };
  const options = { ...connection, auto_enquire_link_period: ENQUIRE_EVERY };
  const session = smpp.connect(options);
  session.on('close', onEnd);
  session.on('error', () => session.destroy());
  for (const request of ['enquire_link', 'deliver_sm', 'unbind']) {
    session.on(request, (pdu: Pdu) => session.send(pdu.response()));
  }
  session.on('unbind', () => session.close());
  try {
    await exchange(
      session,
      (done) => {
        session.once(tls ? 'secureConnect' : 'connect', done);
        return true;
      },
      signalAfter(TIMEOUT_MS),
    );
    const parameters = {
      system_id: systemId,
      password,
      system_type: systemType,
      interface_version: VERSION_3_4,
    };
    const answer = await exchange(
      session,
      (done) => session.bind_transceiver(parameters, done),
      signalAfter(TIMEOUT_MS),
    );
    if (answer.command_status !== 0) {
      throw smsError('unavailable', `The bind was refused: ${statusText(answer.command_status)}`);
    }
    return session;
  } catch (error) {
    session.destroy();
    throw error;
  }
}

/**
 * Sends a request and waits for its reply.
 * @throws {DependencyError} `unavailable` when the session ends, the timeout passes or the signal
 *   fires.
 */
function exchange(
  session: Session,
  send: (done: (pdu: Pdu) => void) => boolean,
  signal: AbortSignal,
): Promise<Pdu> {
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.any([signal, signalAfter(TIMEOUT_MS)]);
    const settle = (end: () => void) => {
      session.removeListener('close', onClose);
      session.removeListener('error', onError);
      limit.removeEventListener('abort', onAbort);
      end();
    };
    const onClose = () => settle(() => reject(smsError('unavailable', 'The session ended')));
    const onError = (error: Error) =>
      settle(() => reject(smsError('unavailable', error.message, error)));
    const onAbort = () =>
      settle(() =>
        reject(smsError('unavailable', signal.aborted ? 'Given up' : 'No reply in time')),
      );
    session.on('close', onClose);
    session.on('error', onError);
    limit.addEventListener('abort', onAbort);
    if (limit.aborted) onAbort();
    else if (!send((pdu) => settle(() => resolve(pdu)))) onClose();
  });
}

/** @throws {DependencyError} unless the carrier accepted the message. */
function assertTaken({ command_status: status }: Pdu): void {
  if (status === 0) return;
  const reply = statusText(status);
  if (SESSION.has(status)) throw smsError('unavailable', reply);
  throw smsError(PASSING.has(status) ? 'busy' : 'refused', reply);
}

function statusText(status: number): string {
  const name = PASSING.get(status);
  return `command_status 0x${status.toString(16).padStart(8, '0')}${name === undefined ? '' : ` (${name})`}`;
}

function addressesOf(source: string, to: string): Readonly<Record<string, unknown>> {
  const from = kindOf(source);
  const receiver = kindOf(to);
  return {
    source_addr_ton: from.ton,
    source_addr_npi: from.npi,
    source_addr: source.replace('+', ''),
    dest_addr_ton: receiver.ton,
    dest_addr_npi: receiver.npi,
    destination_addr: to.replace('+', ''),
  };
}

function kindOf(address: string): { readonly ton: number; readonly npi: number } {
  if (address.startsWith('+')) return INTERNATIONAL;
  return /^[0-9]*$/.test(address) ? UNKNOWN : ALPHANUMERIC;
}

/** Returns a relative time in SMPP's format (3.4, 7.1.1): `YYMMDDhhmmss000R`. */
function relativeTime(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `000000${two(hours)}${two(minutes)}${two(seconds % 60)}000R`;
}
