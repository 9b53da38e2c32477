import type { CallReport, KeptCall, RecentCalls } from '../web/recent-calls.ts';
import { type CallCounts, reportOf } from '../web/recent-calls.ts';
import { peerQuestions } from './peer-questions.ts';
import type { ResourceDeps } from './resources.ts';

/** The recent calls of all processes on this machine. */
export interface AnsweredCalls {
  report(): Promise<CallReport>;
  /** Returns the calls with a request id. */
  find(requestId: string): Promise<readonly KeptCall[]>;
}

/** Merges the calls of this process and its peers. */
export function answeredCalls(
  own: RecentCalls,
  { config, peers, clock }: Pick<ResourceDeps, 'config' | 'peers' | 'clock'>,
): AnsweredCalls {
  const others = peerQuestions(peers, Math.max(0, config.workers - 1), (question) =>
    question.what === 'counts' ? own.counts() : own.find(question.requestId),
  );
  return {
    async report() {
      const theirs = (await others.ask({ what: 'counts' })) as readonly (readonly CallCounts[])[];
      return reportOf([...own.counts(), ...theirs.flat()], clock());
    },
    async find(requestId) {
      const theirs = (await others.ask({
        what: 'calls',
        requestId,
      })) as readonly (readonly KeptCall[])[];
      return [...own.find(requestId), ...theirs.flat()].toSorted((one, other) => one.at - other.at);
    },
  };
}
