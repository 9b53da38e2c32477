import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { type SmtpError, SmtpFailure, type SmtpStage } from './smtp-failure.ts';

/** A mail server and how to talk to it. */
export interface SmtpServer {
  readonly host: string;
  /** 465 with `secure` and 587 without when absent. */
  readonly port: number | undefined;
  /** TLS from the first byte. */
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** STARTTLS: where offered, always, never. */
  readonly startTls: 'auto' | 'required' | 'off';
  /** Whether the certificate must be good. */
  readonly verify: boolean;
  /** Connections at once. */
  readonly connections: number;
  /** What we call ourselves in EHLO; the machine's own name when absent. */
  readonly name: string | undefined;
}

/** How patient a session is; ms. */
export interface SmtpPatience {
  /** From the name's look-up to the greeting and through STARTTLS. */
  readonly connect: number;
  /** For the reply to a command. */
  readonly command: number;
  /** For the reply to a whole message: servers scan before they answer, and giving up early means sending twice. */
  readonly message: number;
}

export const PATIENCE: SmtpPatience = { connect: 30_000, command: 60_000, message: 300_000 };

/** Told a line of the dialogue as it may be shown: credentials are masked, the message itself is not told. */
export type OnSmtpLine = (side: 'client' | 'server', line: string) => void;

const GIVEN_UP = 'The attempt was given up';

/** A message, and whose envelope it goes in. */
interface Letter {
  readonly from: string;
  readonly to: string;
  readonly message: Uint8Array;
}

/** One connection to a mail server, over which mails go one after another. */
export class SmtpSession {
  /** Whether the server takes addresses in any script (RFC 6531). */
  readonly smtpUtf8: boolean;
  /** Mails sent over it. */
  sent = 0;
  readonly #connection: SMTPConnection;
  readonly #patience: SmtpPatience;
  #open = true;

  private constructor(connection: SMTPConnection, smtpUtf8: boolean, patience: SmtpPatience) {
    this.#connection = connection;
    this.#patience = patience;
    this.smtpUtf8 = smtpUtf8;
    // A server that ends an idle session is no failure.
    connection.on('error', () => this.close());
    connection.on('end', () => {
      this.#open = false;
    });
  }

  /** Whether mails can be sent over it, as far as is known. */
  get open(): boolean {
    return this.#open;
  }

  /**
   * Connects, secures and signs in.
   * @param onLine told each line of the dialogue.
   * @throws {SmtpFailure}
   */
  static async open(
    server: SmtpServer,
    patience: SmtpPatience,
    signal: AbortSignal,
    onLine?: OnSmtpLine,
  ): Promise<SmtpSession> {
    const heard = onLine === undefined ? {} : { transactionLog: true, logger: listener(onLine) };
    const connection = new SMTPConnection({ ...connectionOptions(server, patience), ...heard });
    // What fails once nobody waits any more.
    connection.on('error', () => {});
    const hurry = hurryUp(connection, patience.connect + patience.command);
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
        return new SmtpSession(connection, /^250[ -]SMTPUTF8\b/im.test(offers), patience);
      },
    );
    try {
      return await opening;
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      clearTimeout(hurry);
    }
  }

  /**
   * Sends a message.
   * @param mayLeave asked when the server has asked for the message; on `false` it gets none.
   * @returns the server's reply.
   * @throws {SmtpFailure}; the session may still be {@link open} then.
   */
  async send({ from, to, message }: Letter, signal: AbortSignal, mayLeave: () => boolean): Promise<string> {
    const connection = this.#connection;
    let begun = false;
    const hurry = hurryUp(connection, this.#patience.command);
    const stream = new Readable({
      read() {
        // Read only when the server has asked for the message.
        clearTimeout(hurry);
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
            connection.send(envelope, stream, (error, info) => (error ? reject(error) : resolve(info)));
          }),
      );
      this.sent++;
      return response;
    } catch (error) {
      if (error instanceof SmtpFailure && error.code !== undefined && error.code !== 421 && this.#open) {
        await this.#reset(signal);
      } else {
        this.close();
      }
      throw error;
    } finally {
      clearTimeout(hurry);
      stream.destroy();
    }
  }

  /** Says good-bye. */
  quit(): void {
    if (this.#open) this.#connection.quit();
    this.#open = false;
  }

  /** Ends the session without a word. */
  close(): void {
    this.#open = false;
    this.#connection.close();
  }

  /** A mail that was refused must not leave its envelope behind. */
  async #reset(signal: AbortSignal): Promise<void> {
    const connection = this.#connection;
    const hurry = hurryUp(connection, this.#patience.command);
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
      clearTimeout(hurry);
    }
  }
}

/** Fails whatever a connection is doing when it takes too long. @param limit ms. */
function hurryUp(connection: SMTPConnection, limit: number): NodeJS.Timeout {
  return setTimeout(() => connection.emit('error', new Error('The mail server did not reply in time')), limit);
}

function connectionOptions(server: SmtpServer, patience: SmtpPatience) {
  const { host, port, secure, startTls, verify, name } = server;
  return {
    host,
    ...(port === undefined ? {} : { port }),
    secure,
    requireTLS: startTls === 'required',
    ignoreTLS: startTls === 'off',
    connectionTimeout: patience.connect,
    greetingTimeout: patience.connect,
    socketTimeout: patience.message,
    maxResponseSize: 64 * 1024,
    tls: { rejectUnauthorized: verify },
    ...(name === undefined ? {} : { name }),
  };
}

function signIn(connection: SMTPConnection, { user, password }: SmtpServer): Promise<void> {
  if (user === undefined) return Promise.resolve();
  return new Promise((resolve, reject) => {
    connection.login({ user, pass: password ?? '' }, (error) => (error ? reject(error) : resolve()));
  });
}

/** Runs a step of a session; a failure of the connection itself, or the signal, ends it too. */
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
    const failed = new SmtpFailure(error as SmtpError, signal.aborted && stage() !== 'message' ? 'opening' : stage());
    if (failed.code === undefined || signal.aborted) connection.close();
    throw failed;
  } finally {
    connection.removeListener('error', reject);
    signal.removeEventListener('abort', onAbort);
  }
}

/** What may be shown of a line of ours: all but what signs in, which the library has masked already, in base64. */
function unsecret(line: string): string {
  const [, method] = /^AUTH (\S+)/i.exec(line) ?? [];
  if (method !== undefined) return `AUTH ${method} (secret)`;
  return /^(?:EHLO|HELO|STARTTLS|MAIL|RCPT|DATA|RSET|NOOP|QUIT)\b/i.test(line) ? line : '(secret)';
}

/** The library's log, of which only the lines of the dialogue are taken. */
function listener(onLine: OnSmtpLine) {
  const ignore = () => {};
  const debug = (entry: { readonly tnx?: string }, line: unknown) => {
    const { tnx } = entry;
    if (tnx !== 'client' && tnx !== 'server') return;
    for (const one of String(line).split(/\r?\n/)) if (one !== '') onLine(tnx, tnx === 'client' ? unsecret(one) : one);
  };
  return { level: ignore, trace: ignore, debug, info: ignore, warn: ignore, error: ignore, fatal: ignore } as never;
}
