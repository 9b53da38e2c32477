import { InvalidArgumentError } from 'commander';
import type { OutboxState } from '../../store/tables/tables.ts';

/** Every state of a message, in the order of its way. */
const STATES = [
  'kept',
  'queued',
  'sending',
  'deferred',
  'sent',
  'bounced',
  'failed',
  'suppressed',
  'cancelled',
] as const satisfies readonly OutboxState[];

/** For the help of commands. */
export const STATES_HELP = `
States:
  kept        no mail server was configured; goes out with ws01 mail retry
  queued      goes out as soon as it can
  sending     on its way to the server
  deferred    will be tried again
  sent        taken over by the server
  bounced     refused for good
  failed      given up
  suppressed  the address is on the suppression list
  cancelled   taken back`;

/** Reads an option that names a state. */
export function readState(text: string): OutboxState {
  const state = STATES.find((candidate) => candidate === text.trim().toLowerCase());
  if (state === undefined) {
    throw new InvalidArgumentError(`The states are ${STATES.join(', ')}.`);
  }
  return state;
}
