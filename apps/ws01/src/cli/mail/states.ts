import { InvalidArgumentError } from 'commander';
import { OUTBOX_STATES } from '../../records/common.ts';
import type { OutboxState } from '../../store/tables/tables.ts';

/** For the help of commands. */
export const STATES_HELP = `
States:
  kept        no mail server was configured; ws01 mail retry sends it
  queued      waits to be sent
  sending     being sent to the mail server
  deferred    failed for now; will be retried
  sent        accepted by the mail server
  bounced     refused permanently
  failed      not sent; no more retries
  suppressed  the address is on the suppression list
  cancelled   cancelled by an operator`;

/** Parses an option that names a state. */
export function readState(text: string): OutboxState {
  const state = OUTBOX_STATES.find((candidate) => candidate === text.trim().toLowerCase());
  if (state === undefined) {
    throw new InvalidArgumentError(`The states are ${OUTBOX_STATES.join(', ')}.`);
  }
  return state;
}
