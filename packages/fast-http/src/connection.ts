import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ServiceError } from '@ws01/asmx/internal/contract/errors';
import type { Endpoint } from '@ws01/asmx/internal/engine/endpoint-options';
import type { Arrival } from '@ws01/asmx/internal/exchange/intake/arrivals';
import { compress } from '@ws01/asmx/internal/message/compression';
import { cutOff } from '@ws01/asmx/internal/message/cut-off';
import {
  bytesBody,
  type WireBody,
  type WireRequest,
  type WireResponse,
} from '@ws01/asmx/internal/message/http';
import { type Linger, linger } from '@ws01/asmx/internal/node/linger';
import { ExpectedBody } from './expected-body.ts';
import { Incoming } from './incoming.ts';
import { isAlike, type RequestHead } from './request-head.ts';
import { type FastAnswer, isInMemory, writeAnswer } from './write-answer.ts';

/**
 * Answers a request that is not for the endpoint; `undefined`, at once or later: the general server
 * must.
 */
export type OtherAnswers = (request: WireRequest) => Promise<FastAnswer | undefined> | undefined;

/** What a connection is served with. */
export interface ConnectionDeps {
  readonly endpoint: Pick<Endpoint, 'request' | 'arriving'>;
  readonly others: OtherAnswers;
  /** How long a connection is kept without a request; ms, 0 for ever. */
  readonly keepAliveTimeout: number;
  /** How long a new connection may say nothing, before the general server waits for it; ms. */
  readonly headersTimeout: number;
  /**
   * Gives the socket to the general server permanently, with what came on it and is not answered.
   */
  readonly handOver: (socket: Socket, unanswered: Buffer) => void;
  /**
   * Answers a client that closed its side in the middle of a request, and closes the connection.
   */
  readonly refuseBroken: (socket: Socket) => void;
  /** Called once, when the connection is closed or handed over. */
  readonly onLeft: (connection: FastConnection) => void;
}

/** How long a body may take, before the general server waits for it; ms. */
const BODY_MS = 2_000;

/**
 * A connection on the fast path: it reads each request from the socket, has the endpoint answer it,
 * and writes the answer. A request that came behind another waits, unread, until the client has
 * taken the answer to that one. With the first that is for the general parser, or takes its time to
 * arrive, the general server has the connection.
 */
export class FastConnection {
  readonly #socket: Socket;
  readonly #deps: ConnectionDeps;
  readonly #address: string;
  readonly #encrypted: boolean;
  readonly #incoming = new Incoming();
  /** While a request is read: what has come of it is held. */
  #arrival: Arrival | undefined;
  /** Of the last request whose client was asked for the body (`Expect`). */
  #asked: RequestHead | undefined;
  /** Of the request that is being answered, while it is not whole. */
  #expected: ExpectedBody | undefined;
  /** Once that is answered. */
  #lingering: Linger | undefined;
  /**
   * New: nothing has come yet. Idle: all that came is answered. Reading: a part of a request has
   * come. Answering: the endpoint is at it, or the answer waits for its reader. Closing: the last
   * answer is written, and may wait for its reader. Left: somebody else has the socket, or nobody.
   */
  #state: 'new' | 'idle' | 'reading' | 'answering' | 'closing' | 'left' = 'new';
  /** The first check that found it in this state; ms, `undefined` before. */
  #since: number | undefined;
  /** Whether no further request is wanted, since the server stops. */
  #last = false;
  /** Whether the client has closed its side. */
  #ended = false;
  /** Ends the watch over the client of the request that is being answered. */
  readonly #toForget: (() => void)[] = [];

  constructor(socket: Socket, deps: ConnectionDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#address = socket.remoteAddress ?? '';
    this.#encrypted = 'encrypted' in socket;
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('error', ignore);
    socket.on('close', this.#onClose);
  }

  /**
   * Call it now and then: it ends the connection if it has waited too long, at the latest two
   * checks after its time is over. So no request costs a look at the clock.
   * @param now ms, monotonic.
   */
  check(now: number): void {
    const { headersTimeout, keepAliveTimeout } = this.#deps;
    this.#since ??= now;
    const waited = now - this.#since;
    if (this.#state === 'idle') {
      if (keepAliveTimeout > 0 && waited > keepAliveTimeout) this.#socket.destroy();
    } else if (this.#state === 'new' && waited > headersTimeout) this.#handOver();
    else if (this.#state === 'reading' && waited > BODY_MS) this.#readSlowly();
  }

  /** Has the next answer, if one is still asked for, be the last. */
  finish(): void {
    this.#last = true;
  }

  /** Closes it, as soon as what is answered is sent, unless a request has been begun. */
  closeIfIdle(): void {
    if (this.#state !== 'new' && this.#state !== 'idle') return;
    this.#enter('closing');
    this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#expected !== undefined) {
      this.#takeExpected(this.#expected, chunk);
      return;
    }
    // The answer said "Connection: close"; whatever the client sends after it is ignored (RFC 9112
    // 9.6).
    if (this.#state === 'closing') return;
    const mayBeWhole = this.#incoming.push(chunk);
    if (this.#state === 'answering') this.#socket.pause();
    else if (mayBeWhole) this.#read();
    else this.#hold(chunk.length);
  };

  readonly #onEnd = (): void => {
    this.#ended = true;
    if (!this.#isWholeAndAnswering) this.#close();
  };

  /** Whether a request is being answered that has arrived as a whole. */
  get #isWholeAndAnswering(): boolean {
    return this.#state === 'answering' && this.#expected === undefined;
  }

  /** Closes when the client has closed its side, and all that came whole is answered. */
  #close(): void {
    const broken = this.#state === 'reading' || this.#state === 'answering';
    if (broken) this.#tellCutOff();
    this.#enter('closing');
    if (broken) this.#deps.refuseBroken(this.#socket);
    else this.#socket.end();
  }

  readonly #onClose = (): void => {
    this.#tellCutOff();
    this.#leave();
  };

  /** Reads a request of what has come, and begins to answer it. */
  #read(): void {
    const beginning = this.#incoming.look();
    const { head } = this.#incoming;
    if (beginning === 'other') this.#handOver();
    else if (head === undefined) this.#await();
    else if (beginning === 'request') this.#readWhole(head);
    else if (beginning === 'part') {
      this.#await();
      this.#hold(this.#incoming.length);
    } else if (this.#asksAgain(head)) {
      this.#await();
      this.#askForBody();
    } else this.#expect(head);
  }

  /** Waits for the rest of a request. */
  #await(): void {
    if (this.#state !== 'reading') this.#enter('reading');
  }

  #readWhole(head: RequestHead): void {
    this.#endArrival();
    const request = this.#incoming.take();
    const body = bytesBody(request.subarray(head.bytes));
    const answering = this.#ask(head, body);
    if (answering === undefined) this.#readOther(head, body, request);
    else this.#begin(head, answering);
  }

  /** Has others answer a request that is not the endpoint's, or else the general server. */
  #readOther(head: RequestHead, body: WireBody, request: Buffer): void {
    const answering = this.#askOthers(head, body, this.#incoming.length > 0);
    if (answering === undefined) this.#handBack(request);
    else this.#begin(head, answering, request);
  }

  /** @param request its bytes, if the general server may still have to answer it. */
  #begin(head: RequestHead, answering: Promise<FastAnswer | undefined>, request?: Buffer): void {
    this.#enter('answering');
    if (this.#incoming.length > 0) this.#socket.pause();
    this.#answer(answering, head, request);
  }

  /**
   * Whether to ask for the body of a request at once, to read it as one that came without being
   * asked for: when the endpoint has asked for that of another one like it, since what it decides
   * before it reads depends on the head.
   */
  #asksAgain(head: RequestHead): boolean {
    return this.#asked !== undefined && isAlike(head, this.#asked);
  }

  /**
   * Has the endpoint answer a request whose body is yet to come, and is asked for when the endpoint
   * reads it.
   * @param isAsked whether the client has been asked already.
   */
  #expect(head: RequestHead, isAsked = false): void {
    const body = new ExpectedBody(head.bodyBytes, (hasBegun) => {
      this.#asked = head;
      if (!hasBegun && !isAsked) this.#askForBody();
      this.#socket.resume();
    });
    this.#answerBeforeBody(head, body);
  }

  /** Has the endpoint answer a request whose body is not whole. */
  #answerBeforeBody(head: RequestHead, body: ExpectedBody): void {
    const answering = this.#ask(head, body);
    if (answering === undefined) {
      this.#handOver();
      return;
    }
    this.#expected = body;
    const begun = this.#incoming.take().subarray(head.bytes);
    if (begun.length > 0) body.take(begun);
    this.#begin(head, answering);
  }

  #askForBody(): void {
    if (this.#socket.writable) this.#socket.write(CONTINUE, 'latin1');
  }

  /** The request that is being read takes its time. */
  #readSlowly(): void {
    const { head } = this.#incoming;
    this.#endArrival();
    // The general server would ask once more.
    if (head?.section.expects) this.#expect(head, true);
    else this.#handOver();
  }

  #takeExpected(body: ExpectedBody, chunk: Buffer): void {
    const rest = body.take(chunk);
    if (rest === undefined) {
      this.#lingering?.heard();
      if (!body.isWanted && this.#lingering === undefined) this.#socket.pause();
      return;
    }
    this.#expected = undefined;
    if (this.#state === 'closing') {
      this.#socket.destroySoon();
      return;
    }
    if (rest.length === 0) return;
    this.#incoming.push(rest);
    this.#socket.pause();
  }

  /** More of the request that is being read has come: it is held until the rest comes. */
  #hold(bytes: number): void {
    this.#arrival ??= this.#deps.endpoint.arriving((error) => this.#stop(error));
    try {
      this.#arrival.hold(bytes);
    } catch (error) {
      if (this.#state === 'reading') this.#stop(error as ServiceError);
    }
  }

  /** The request that is being read is not to be read further. */
  #stop(error: ServiceError): void {
    this.#endArrival();
    const head = this.#incoming.head!;
    this.#answerBeforeBody(head, stoppedBody(head, error));
  }

  #endArrival(): void {
    this.#arrival?.end();
    this.#arrival = undefined;
  }

  #ask(head: RequestHead, body: WireBody): Promise<WireResponse> | undefined {
    return this.#deps.endpoint.request(this.#requestOf(head, body));
  }

  /**
   * @param isFollowed whether more came with the request: then others have a turn of the event loop
   *   before it.
   */
  #askOthers(
    head: RequestHead,
    body: WireBody,
    isFollowed: boolean,
  ): Promise<FastAnswer | undefined> | undefined {
    // A client that sends `Expect` must be told to go on, even without a body.
    if (head.method !== 'GET' || head.section.expects) return undefined;
    const request = this.#requestOf(head, body);
    const { others } = this.#deps;
    return isFollowed ? nextTurn().then(() => others(request)) : others(request);
  }

  #requestOf({ method, target, headers }: RequestHead, body: WireBody): WireRequest {
    const remoteAddress = this.#address;
    return {
      method,
      target,
      headers,
      body,
      remoteAddress,
      encrypted: this.#encrypted,
      gone: this.#gone,
    };
  }

  readonly #gone = (): AbortSignal => {
    const gone = new AbortController();
    const socket = this.#socket;
    const abort = () => gone.abort();
    if (socket.destroyed) abort();
    else socket.once('close', abort);
    this.#toForget.push(() => socket.off('close', abort));
    return gone.signal;
  };

  /**
   * Has the endpoint, which keeps the log, know of a request whose body ended too soon; there is
   * nobody to answer.
   */
  #tellCutOff(): void {
    if (this.#expected !== undefined) this.#expected.stop(cutOff(undefined));
    else if (this.#state === 'reading' && this.#incoming.head !== undefined)
      this.#ask(this.#incoming.head, stoppedBody(this.#incoming.head, cutOff(undefined)));
  }

  /** Nothing here keeps the response while its bytes wait for their reader. */
  #answer(
    answering: Promise<FastAnswer | undefined>,
    { headers, section: { closes } }: RequestHead,
    request: Buffer | undefined,
  ): void {
    answering
      .then((response) => {
        if (response === undefined) return this.#handBack(request);
        const encoded = isInMemory(response)
          ? compress(response, headers['accept-encoding'])
          : response;
        return encoded instanceof Promise
          ? encoded.then((made) => this.#send(made, closes || this.#isLast()))
          : this.#send(encoded, closes || this.#isLast());
      })
      // The answer itself cannot be written, for example a header with a line break, or nobody
      // reads it: there is nothing left to say.
      .catch(() => this.#socket.destroy());
  }

  #isLast(): boolean {
    return (
      this.#last || this.#expected !== undefined || (this.#ended && this.#incoming.length === 0)
    );
  }

  /** @returns a promise when the answer is so long that it waits for its reader. */
  #send(response: FastAnswer, last: boolean): Promise<void> | undefined {
    const socket = this.#socket;
    if (!socket.writable || this.#state !== 'answering') return;
    const written = writeAnswer(socket, response, last ? 'close' : this.#deps.keepAliveTimeout);
    if (written !== undefined) return written.then(() => this.#sent(last));
    this.#sent(last);
  }

  #sent(last: boolean): void {
    const socket = this.#socket;
    for (const forget of this.#toForget.splice(0)) forget();
    if (last) {
      this.#enter('closing');
      if (this.#expected === undefined) socket.destroySoon();
      else this.#dropExpected(this.#expected);
    } else if (socket.writableNeedDrain) socket.once('drain', this.#next);
    else this.#next();
  }

  /** The request is answered before its body has come: that is read to its end, and dropped. */
  #dropExpected(body: ExpectedBody): void {
    body.stop(cutOff(undefined));
    this.#lingering = linger(() => this.#socket.destroySoon());
    this.#socket.resume();
  }

  /** Goes on with what has come meanwhile. */
  readonly #next = (): void => {
    this.#enter('idle');
    if (this.#incoming.length > 0) this.#read();
    if (this.#state === 'answering' ? this.#incoming.length > 0 : this.#state === 'left') return;
    if (this.#ended && !this.#isWholeAndAnswering) this.#close();
    else this.#socket.resume();
  };

  #enter(state: 'idle' | 'reading' | 'answering' | 'closing'): void {
    this.#state = state;
    this.#since = undefined;
  }

  /** The general server answers the request that was to be answered here. */
  #handBack(request: Buffer | undefined): void {
    if (this.#state === 'closing' || this.#state === 'left') return;
    for (const forget of this.#toForget.splice(0)) forget();
    if (request !== undefined) this.#incoming.putBack(request);
    this.#handOver();
  }

  #handOver(): void {
    this.#leave();
    if (!this.#socket.destroyed) this.#deps.handOver(this.#socket, this.#incoming.all());
  }

  /**
   * Lets go of the socket; but its errors are heard on, since one that nobody hears ends the
   * process.
   */
  #leave(): void {
    this.#endArrival();
    this.#lingering?.stop();
    const socket = this.#socket;
    this.#state = 'left';
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('close', this.#onClose);
    socket.off('drain', this.#next);
    this.#deps.onLeft(this);
  }
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

function ignore(): void {}

function stoppedBody({ bodyBytes }: RequestHead, error: Error): ExpectedBody {
  const body = new ExpectedBody(bodyBytes, () => {});
  body.stop(error);
  return body;
}
