import type { KeptCall, RecentCalls } from '../web/recent-calls.ts';
import { peerQuestions } from './peer-questions.ts';
import type { ResourceDeps } from './resources.ts';

/** The recent calls of all processes on this machine. */
export interface AnsweredCalls {
  /** Returns the calls with a request id. */
  find(requestId: string): Promise<readonly KeptCall[]>;
}

/** Merges the calls of this process and its peers. */
export function answeredCalls(
  own: RecentCalls,
  { config, peers }: Pick<ResourceDeps, 'config' | 'peers'>,
): AnsweredCalls {
  const others = peerQuestions(peers, Math.max(0, config.workers - 1), (question) =>
    own.find(question.requestId),
  );
  return {
    async find(requestId) {
      const theirs = (await others.ask({ requestId })) as readonly (readonly KeptCall[])[];
      return [...own.find(requestId), ...theirs.flat()].toSorted((one, other) => one.at - other.at);
    },
  };
}
