import { Ws01Error } from '../../contract/errors.ts';
import type { Sentence } from '../../contract/sentence.ts';
import type { OperationHandlers, ParamsOf } from '../../contract/service.ts';
import type { CallContext } from '../context.ts';
import { requireSender } from '../users/users.ts';
import { parseAddress } from '../values/email-address.ts';
import { isSeen } from '../values/unseen.ts';
import { sendingReport } from './report.ts';
import { type MailDeps, type MailRequest, queueMail } from './send.ts';

/** Operations 7 and 19. */
export function mailOperations(
  deps: MailDeps,
): Pick<OperationHandlers<CallContext>, 'SendEmail' | 'queryEmailsent'> {
  const { store, mail } = deps;
  return {
    SendEmail: async (params, { caller: context }) => {
      let request: MailRequest;
      try {
        request = readMail(params);
      } catch (error) {
        // An unregistered sender gets that error first.
        await store.read((db) => requireSender(db, context.caller));
        throw error;
      }
      const { id, isNew } = await queueMail(deps, request, context);
      if (isNew) mail.onQueued();
      return id;
    },

    queryEmailsent: async (params, { caller: context }) => {
      const sender = await store.read((db) => requireSender(db, context.caller));
      const receiverEmail = isBlank(params.receiverEmail)
        ? undefined
        : readFilter(params.receiverEmail);
      return sendingReport(store, sender.id, receiverEmail);
    },
  };
}

function readMail(params: ParamsOf<'SendEmail'>): MailRequest {
  const receiverEmail = readReceiver(params.receiverEmail);
  const { receiverName = '', subject = '', body = '' } = params;
  if (isBlank(subject) && isBlank(body)) throw saysNothing();
  return { receiverName, receiverEmail, subject, body };
}

function isBlank(text: string | undefined): text is undefined {
  return text === undefined || !isSeen(text);
}

/** @throws {Ws01Error} `MassMailNotAllowed` for more than one (contract 5, rule 1). */
function readReceiver(text: string | undefined): string {
  if (isBlank(text)) {
    throw new Ws01Error(
      'MissingParameter',
      'receiverEmail is required; give the address of the one recipient.',
      {
        parameter: 'receiverEmail',
      },
    );
  }
  const parsed = parseAddress(text);
  if (parsed.kind === 'address') return parsed.address;
  if (parsed.kind === 'several') {
    throw new Ws01Error(
      'MassMailNotAllowed',
      'receiverEmail has more than one address; a mail has one recipient.',
      {
        parameter: 'receiverEmail',
      },
    );
  }
  throw notAnAddress(parsed.reason);
}

function readFilter(text: string): string {
  const parsed = parseAddress(text);
  if (parsed.kind === 'address') return parsed.address;
  throw notAnAddress(
    parsed.kind === 'invalid' ? parsed.reason : 'It is more than one address; give one, or none.',
  );
}

function notAnAddress(reason: string | Sentence): Ws01Error {
  return new Ws01Error('InvalidParameter', `receiverEmail is not an e-mail address. ${reason}`, {
    parameter: 'receiverEmail',
  });
}

function saysNothing(): Ws01Error {
  return new Ws01Error(
    'MissingParameter',
    'A mail needs a subject or a body; give at least one of them.',
    {
      parameter: 'body',
    },
  );
}
