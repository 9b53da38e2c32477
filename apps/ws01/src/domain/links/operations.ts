import { Ws01Error } from '../../contract/errors.ts';
import type { OperationHandlers } from '../../contract/service.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { CallContext, Clock } from '../context.ts';
import { bytesOfTexts } from '../shared/bytes-of-texts.ts';
import { parseAddress } from '../values/email-address.ts';
import { optionalKey } from '../values/keys.ts';
import type { LinkRequest, Links } from './links.ts';
import { readTarget, type TargetRules } from './target.ts';

/** Dependencies of the operation on short links. */
export interface LinkOperationDeps {
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly links: Links;
  readonly targets: TargetRules;
}

/** Operation 11. */
export function linkOperations({
  clock,
  budgets,
  links,
  targets,
}: LinkOperationDeps): Pick<OperationHandlers<CallContext>, 'UrltoShortUrl'> {
  return {
    UrltoShortUrl: (params, { caller: context }) => {
      const read = async (): Promise<LinkRequest> => {
        const userId = optionalKey(params._userId, '_userId');
        const userEmail = readEmail(params._userEmail);
        const deadline = params._deadline;
        if (deadline !== undefined && deadline <= clock()) throw pastDeadline();
        const target = await readTarget(params._orgUrl, '_orgUrl', targets, context, links);
        return { target, userId, userEmail, deadline };
      };
      const urlOf = (code: string) => `${targets.shortBaseUrl(context)}/${code}`;
      return budgets.charging(
        'linksPerAddress',
        { address: context.address, textBytes: bytesOfTexts([params._orgUrl, params._userEmail]) },
        async (charge) => {
          const { code, isNew } = await links.shorten(await read(), context);
          if (!isNew) charge.refund();
          return urlOf(code);
        },
        async () => {
          const code = await links.findByRequest(await read());
          return code && urlOf(code);
        },
      );
    },
  };
}

/** @returns the address; `undefined` when it is blank. */
function readEmail(text: string | undefined): string | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const parsed = parseAddress(text);
  if (parsed.kind === 'address') return parsed.address;
  const reason =
    parsed.kind === 'invalid' ? parsed.reason : 'It is more than one address; give one.';
  throw new Ws01Error('InvalidParameter', `_userEmail is not an e-mail address. ${reason}`, {
    parameter: '_userEmail',
  });
}

function pastDeadline(): Ws01Error {
  return new Ws01Error(
    'InvalidParameter',
    '_deadline has passed; give a time to come, or leave it out for a link without an end.',
    { parameter: '_deadline' },
  );
}
