import { passLimits } from '../../../../packages/asmx/test/kit/steered-time.ts';

/**
 * For `node --import`, in a patient process: from SIGUSR2 on its limits pass as it runs, about as fast as by the clock,
 * and not while a busy machine keeps it from running.
 */
process.on('SIGUSR2', () => void setInterval(passLimits, 100, 100).unref());
