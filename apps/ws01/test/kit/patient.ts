import { bePatient } from '../../../../packages/asmx/test/kit/steered-time.ts';

/** For `node --import`: no limit by the clock is over because the machine is busy. */
bePatient();
