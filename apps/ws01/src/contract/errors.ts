import {
  type ErrorExtras,
  type ErrorTable,
  PROTOCOL_ERRORS,
  ServiceError,
} from '@ws01/asmx/contract';
import { Sentence } from './sentence.ts';

export { RETRY_AFTER_S } from '@ws01/asmx/contract';

/**
 * The error codes of this service, besides those of the protocol (semantics 4). Codes never change.
 */
const DOMAIN_ERRORS = {
  Unauthenticated: {
    status: 403,
    side: 'client',
    meaning: 'The credential parameter is not usable.',
  },
  Forbidden: {
    status: 403,
    side: 'client',
    meaning: 'The scope is missing, or the record is another owner’s.',
  },
  NotRegistered: { status: 403, side: 'client', meaning: 'The sender is not registered.' },
  MassMailNotAllowed: {
    status: 403,
    side: 'client',
    meaning: 'More than one recipient, or a fan-out.',
  },
  DestinationBlocked: { status: 403, side: 'client', meaning: 'The target is refused by policy.' },
  NotFound: { status: 404, side: 'client', meaning: 'No such record for this caller.' },
  AlreadyExists: { status: 409, side: 'client', meaning: 'The key is in use with other content.' },
  RateLimited: {
    status: 429,
    side: 'client',
    meaning: 'Too many calls; Retry-After says how many seconds to wait.',
  },
  SmsUnavailable: {
    status: 503,
    side: 'server',
    meaning: 'No SMS can be sent now; nothing was done.',
  },
  MailUnavailable: {
    status: 503,
    side: 'server',
    meaning: 'No mail can be taken now; nothing was done.',
  },
  StorageUnavailable: {
    status: 503,
    side: 'server',
    meaning: 'Nothing can be stored or read now; the message says whether anything was done.',
  },
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
