import { HOUR_MS } from '../../../../packages/asmx/src/time/index.ts';
import { passLimits } from '../../../../packages/asmx/test/kit/steered-time.ts';

/** For `node --import`, in a patient process: at SIGUSR2, every limit by the clock is over. */
process.on('SIGUSR2', () => passLimits(HOUR_MS));
