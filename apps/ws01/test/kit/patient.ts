import { HOUR_MS } from '@ws01/asmx/time';
import { bePatient, passLimits } from '../../../../packages/asmx/test/kit/steered-time.ts';

/** For `node --import`: no limit by the clock is over because the machine is busy; at SIGUSR2, every one is. */

bePatient();
process.on('SIGUSR2', () => passLimits(HOUR_MS));
