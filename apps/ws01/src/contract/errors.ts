import {
  type ErrorExtras,
  type ErrorTable,
  PROTOCOL_ERRORS,
  ServiceError,
} from '@ws01/asmx/contract';
import { Sentence } from './sentence.ts';

export { RETRY_AFTER_S } from '@ws01/asmx/contract';

const client = (status: number, meaning: string) => ({ status, side: 'client', meaning }) as const;
const unavailable = (meaning: string) => ({ status: 503, side: 'server', meaning }) as const;

/**
 * The error codes of this service, besides those of the protocol (semantics 4). Codes never change.
 */
const DOMAIN_ERRORS = {
  Unauthenticated: client(403, 'The credential parameter is not usable.'),
  Forbidden: client(403, 'The scope is missing, or the record is another owner’s.'),
  NotRegistered: client(403, 'The sender is not registered.'),
  MassMailNotAllowed: client(403, 'More than one recipient, or a fan-out.'),
  DestinationBlocked: client(403, 'The target is refused by policy.'),
  NotFound: client(404, 'No such record for this caller.'),
  AlreadyExists: client(409, 'The key is in use with other content.'),
  RateLimited: client(429, 'Too many calls; Retry-After says how many seconds to wait.'),
  SmsUnavailable: unavailable('No SMS can be sent now; nothing was done.'),
  MailUnavailable: unavailable('No mail can be taken now; nothing was done.'),
  StorageUnavailable: unavailable(
    'Nothing can be stored or read now; the message says whether anything was done.',
  ),
} as const satisfies ErrorTable;

/** Why `InsertArticleImageFile` answered `false`, in the header `X-Error-Code`. */
export const IMAGE_REFUSALS = ['ImageUnreadable', 'ImageTypeRefused', 'ImageTooLarge'] as const;
export type ImageRefusalCode = (typeof IMAGE_REFUSALS)[number];

/** Every error code of the service: those of the protocol and its own. */
export const ERRORS = { ...PROTOCOL_ERRORS, ...DOMAIN_ERRORS } as const satisfies ErrorTable;
export type ErrorCode = keyof typeof ERRORS;

/** An error of an operation, with one of this service's codes. */
export class Ws01Error extends ServiceError<ErrorCode> {
  /** The message, as it is translated. */
  readonly sentence: Sentence;

  constructor(code: ErrorCode, message: string | Sentence, parts?: ErrorExtras) {
    super(code, String(message), parts);
    this.sentence = typeof message === 'string' ? new Sentence(message) : message;
  }
}
