import { Readable } from 'node:stream';
import { type TimeLimit, time } from '@ws01/asmx/time';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { withoutSecrets } from '../told-back.ts';
import { type SmtpError, SmtpFailure, type SmtpStage } from './smtp-failure.ts';

/** A mail server and the settings of its connections. */
export interface SmtpServer {
  readonly host: string;
  /** Default: 465 with `secure`, else 587. */
  readonly port: number | undefined;
  /** TLS from the first byte. */
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Use of STARTTLS: if offered, always, never. */
  readonly startTls: 'auto' | 'required' | 'off';
  /** Whether the certificate is verified. */
  readonly verify: boolean;
  /** Number of connections at once. */
  readonly connections: number;
  /** Our name in EHLO; default: the name of the machine. */
  readonly name: string | undefined;
}

/** Timeouts of a session; ms. */
export interface SmtpTimeouts {
  /** From the DNS query to the greeting, STARTTLS included. */
  readonly connect: number;
  /** For the reply to a command. */
  readonly command: number;
  /**
   * For the reply to a whole message. Servers scan before they reply, and giving up early means
   * sending twice.
   */
  readonly message: number;
}

export const TIMEOUTS: SmtpTimeouts = { connect: 30_000, command: 60_000, message: 300_000 };

/** Gets each line of the dialogue. Credentials are masked; the message itself is left out. */
export type OnSmtpLine = (side: 'client' | 'server', line: string) => void;

const GIVEN_UP = 'The attempt was given up';

/** A message and its envelope. */
interface Letter {
  readonly from: string;
  readonly to: string;
  readonly message: Uint8Array;
}

/** A connection to a mail server that sends mails one after another. */
export class SmtpSession {
  /** Whether the server supports SMTPUTF8 (RFC 6531). */
  readonly smtpUtf8: boolean;
  /** Number of mails sent over it. */
  sent = 0;
  readonly #connection: SMTPConnection;
  readonly #timeouts: SmtpTimeouts;
  #open = true;

  private constructor(connection: SMTPConnection, smtpUtf8: boolean, timeouts: SmtpTimeouts) {
    this.#connection = connection;
    this.#timeouts = timeouts;
    this.smtpUtf8 = smtpUtf8;
    // A server may end an idle session.
    connection.on('error', () => this.close());
    connection.on('end', () => {
      this.#open = false;
    });
  }

  /** Whether the session is open, as far as is known. */
  get open(): boolean {
    return this.#open;
  }

  /**
   * Connects, starts TLS and signs in.
   * @param onLine gets each line of the dialogue.
   * @throws {SmtpFailure}
   */
  static async open(
    server: SmtpServer,
    timeouts: SmtpTimeouts,
    signal: AbortSignal,
    onLine?: OnSmtpLine,
  ): Promise<SmtpSession> {
    const heard =
      onLine === undefined ? {} : { transactionLog: true, logger: listener(onLine, server) };
    const connection = new SMTPConnection({ ...connectionOptions(server, timeouts), ...heard });
    // Errors after the promise has settled.
    connection.on('error', () => {});
    const hurry = hurryUp(connection, timeouts.connect + timeouts.command);
    const opening = untilFailure(
      connection,
      signal,
      () => 'opening',
      async () => {
        await new Promise<void>((resolve, reject) => {
          connection.connect((error) => (error ? reject(error) : resolve()));
        });
        // The reply to EHLO.
        const offers = String(connection.lastServerResponse);
        await signIn(connection, server);
        return new SmtpSession(connection, /^250[ -]SMTPUTF8\b/im.test(offers), timeouts);
      },
    );
    try {
      return await opening;
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      hurry.end();
    }
  }

  /**
   * Sends a message.
   * @param mayLeave called when the server is ready for the message; `false` cancels.
   * @returns the server's reply.
   * @throws {SmtpFailure}; the session may still be {@link open} then.
   */
  async send(
    { from, to, message }: Letter,
    signal: AbortSignal,
    mayLeave: () => boolean,
  ): Promise<string> {
    const connection = this.#connection;
    let begun = false;
    const hurry = hurryUp(connection, this.#timeouts.command);
    const stream = new Readable({
      read() {
        // Read only after the server has asked for the message.
        hurry.end();
        if (!mayLeave()) {
          connection.emit('error', new Error(GIVEN_UP));
          return;
        }
        begun = true;
        this.push(message);
        this.push(null);
      },
    });
    try {
      const envelope = { from, to: [to], size: message.byteLength, use8BitMime: false };
      const { response } = await untilFailure(
        connection,
        signal,
        () => (begun ? 'message' : 'envelope'),
        () =>
          new Promise<{ response: string }>((resolve, reject) => {
            connection.send(envelope, stream, (error, info) =>
              error ? reject(error) : resolve(info),
            );
          }),
      );
      this.sent++;
      return response;
    } catch (error) {
      if (
        error instanceof SmtpFailure &&
        error.code !== undefined &&
        error.code !== 421 &&
        this.#open
      ) {
        await this.#reset(signal);
      } else {
        this.close();
      }
      throw error;
    } finally {
      hurry.end();
      stream.destroy();
    }
  }

  /** Ends the session with QUIT. */
  quit(): void {
    if (this.#open) this.#connection.quit();
    this.#open = false;
  }

  /** Closes the connection without QUIT. */
  close(): void {
    this.#open = false;
    this.#connection.close();
  }

  /** Resets the session, so that the envelope of a refused mail is gone. */
  async #reset(signal: AbortSignal): Promise<void> {
    const connection = this.#connection;
    const hurry = hurryUp(connection, this.#timeouts.command);
    try {
      await untilFailure(
        connection,
        signal,
        () => 'opening',
        () =>
          new Promise<void>((resolve, reject) => {
            connection.reset((error) => (error ? reject(error) : resolve()));
          }),
      );
    } catch {
      this.close();
    } finally {
      hurry.end();
    }
  }
}

/**
 * Closes a connection after a timeout.
 * @param limit ms.
 */
function hurryUp(connection: SMTPConnection, limit: number): TimeLimit {
  return time.limit(limit, () =>
    connection.emit('error', new Error('The mail server did not reply in time')),
  );
}

function connectionOptions(server: SmtpServer, timeouts: SmtpTimeouts) {
  const { host, port, secure, startTls, verify, name } = server;
  return {
    host,
    ...(port === undefined ? {} : { port }),
    secure,
    requireTLS: startTls === 'required',
    ignoreTLS: startTls === 'off',
    connectionTimeout: timeouts.connect,
    greetingTimeout: timeouts.connect,
    socketTimeout: timeouts.message,
    maxResponseSize: 64 * 1024,
    tls: { rejectUnauthorized: verify },
    ...(name === undefined ? {} : { name }),
  };
}

function signIn(connection: SMTPConnection, { user, password }: SmtpServer): Promise<void> {
  if (user === undefined) return Promise.resolve();
  return new Promise((resolve, reject) => {
    connection.login({ user, pass: password ?? '' }, (error) =>
      error ? reject(unsaid(error, { user, password })) : resolve(),
    );
  });
}

type Login = Pick<SmtpServer, 'user' | 'password'>;

/** Some servers repeat what they were sent to sign in. */
const secretsIn = ({ user, password }: Login) => [`\0${user}\0${password}`, password];

/** An error without the credentials that its texts repeat. */
function unsaid(error: Error, login: Login): Error {
  const texts = error as { -readonly [Key in keyof SmtpError]?: SmtpError[Key] };
  for (const key of ['message', 'response', 'stack'] as const)
    if (texts[key] !== undefined) texts[key] = withoutSecrets(texts[key], secretsIn(login));
  return error;
}

/** Runs a step of a session. An error of the connection, or the signal, ends it too. */
async function untilFailure<T>(
  connection: SMTPConnection,
  signal: AbortSignal,
  stage: () => SmtpStage,
  step: () => Promise<T>,
): Promise<T> {
  const { promise: failure, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(new Error(GIVEN_UP));
  connection.on('error', reject);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([step(), failure]);
  } catch (error) {
    const failed = new SmtpFailure(
      error as SmtpError,
      signal.aborted && stage() !== 'message' ? 'opening' : stage(),
    );
    if (failed.code === undefined || signal.aborted) connection.close();
    throw failed;
  } finally {
    connection.removeListener('error', reject);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Masks the base64 of a sign-in in a line; the library masks the rest. */
function unsecret(line: string): string {
  const [, method] = /^AUTH (\S+)/i.exec(line) ?? [];
  if (method !== undefined) return `AUTH ${method} (secret)`;
  return /^(?:EHLO|HELO|STARTTLS|MAIL|RCPT|DATA|RSET|NOOP|QUIT)\b/i.test(line) ? line : '(secret)';
}

/** Adapts the library's log; only the lines of the dialogue are used. */
function listener(onLine: OnSmtpLine, login: Login) {
  const ignore = () => {};
  const debug = (entry: { readonly tnx?: string }, line: unknown) => {
    const { tnx } = entry;
    if (tnx !== 'client' && tnx !== 'server') return;
    for (const one of String(line).split(/\r?\n/))
      if (one !== '')
        onLine(tnx, tnx === 'client' ? unsecret(one) : withoutSecrets(one, secretsIn(login)));
  };
  return {
    level: ignore,
    trace: ignore,
    debug,
    info: ignore,
    warn: ignore,
    error: ignore,
    fatal: ignore,
  } as never;
}
