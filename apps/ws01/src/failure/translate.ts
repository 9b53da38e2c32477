import type { Logger } from 'pino';
import { ERRORS, type ErrorCode, Ws01Error } from '../contract/errors.ts';
import { type Dependency, DependencyError } from './dependency-error.ts';

/** The answers to callers when a dependency fails, without internal details. */
interface Sentences {
  readonly code: ErrorCode;
  readonly unavailable: string;
  readonly busy: string;
}

const SENTENCES: Readonly<Record<Dependency, Sentences>> = {
  database: {
    code: 'StorageUnavailable',
    unavailable: 'Nothing can be stored or read now and nothing was done; try again later.',
    busy: 'The server is busy and did nothing; try again.',
  },
  files: {
    code: 'StorageUnavailable',
    unavailable: 'Files cannot be stored or read now and nothing was done; try again later.',
    busy: 'The file storage is busy and nothing was done; try again.',
  },
  decoders: {
    code: 'Internal',
    unavailable: 'The server cannot work on images.',
    busy: 'Too many images are being worked on and nothing was done; try again.',
  },
  mail: {
    code: 'MailUnavailable',
    unavailable: 'No mail can be taken now and nothing was done; try again later.',
    busy: 'No mail can be taken now and nothing was done; try again.',
  },
  sms: {
    code: 'SmsUnavailable',
    unavailable: 'No text message can be sent now and nothing was done; try again later.',
    busy: 'No text message can be sent now and nothing was done; try again.',
  },
};

const OUTCOME_UNKNOWN =
  'It is not known whether this was done; send the same again, which does it once and no more.';

/**
 * The error that callers get when a dependency has failed (semantics 4); `undefined` for any other
 * error, and for kind `refused`, which the operation must handle; otherwise it is a bug.
 */
export function translateFailure(error: unknown): Ws01Error | undefined {
  if (!(error instanceof DependencyError) || error.kind === 'refused') return undefined;
  const { code, unavailable, busy } = SENTENCES[error.dependency];
  const options = {
    cause: error,
    ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }),
  };
  if (error.kind === 'busy') return new Ws01Error('Busy', busy, options);
  return new Ws01Error(
    code,
    error.kind === 'outcomeUnknown' ? OUTCOME_UNKNOWN : unavailable,
    options,
  );
}

/**
 * The answer to any thrown error. An error without a code is a bug: the request id finds it in the
 * log.
 */
export function asWs01Error(error: unknown): Ws01Error {
  if (error instanceof Ws01Error) return error;
  const message = 'The server failed; the request id finds the reason in its log.';
  return translateFailure(error) ?? new Ws01Error('Internal', message, { cause: error });
}

/**
 * The answer to any thrown error, as {@link asWs01Error}; the log has what is not the client's
 * fault.
 * @param request finds it in the log: its id and path, without anything secret.
 */
export function reportedError(
  log: Logger,
  thrown: unknown,
  request: Readonly<Record<string, string>>,
): Ws01Error {
  const error = asWs01Error(thrown);
  const { status } = ERRORS[error.code];
  if (status >= 500)
    log.error({ ...request, status, error: error.code, err: error.cause ?? thrown }, 'failed');
  return error;
}
