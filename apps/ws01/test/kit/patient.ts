import { bePatient, passLimits } from '../../../../packages/asmx/test/kit/steered-time.ts';

/** For `node --import`: no limit by the clock is over because the machine is busy; at SIGUSR2, every one is. */
const HOUR_MS = 3_600_000;

bePatient();
process.on('SIGUSR2', () => passLimits(HOUR_MS));
