/** The parts of the metrics that the primary process of several workers needs. */

import { separateAccount } from '@ws01/asmx/node';
import type { Config } from '../config/config.ts';
import type { CreateServer } from '../web/side-server.ts';
import { createDoors } from './doors.ts';

export { type MergedMetrics, mergeMetrics } from '../web/metrics/merged-metrics.ts';
export type { MetricsReport } from '../web/metrics/metrics.ts';
export { serveMetrics } from '../web/metrics/server.ts';
export type { SideServer } from '../web/side-server.ts';

/** Creates servers of a process that has no endpoint, with the bounds of every door. */
export const doorsOfPrimary = (config: Config): CreateServer =>
  createDoors(config, separateAccount()).createServer;
