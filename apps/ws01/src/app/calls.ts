import type { KeptCall, RecentCalls } from '../web/recent-calls.ts';
import { sumOf, type TransportCounts, type Transports } from '../web/transports.ts';
import { type PeerQuestions, peerQuestions } from './peer-questions.ts';
import type { ResourceDeps } from './resources.ts';

/** The recent calls of all processes on this machine. */
export interface AnsweredCalls {
  /** Returns the calls with a request id. */
  find(requestId: string): Promise<readonly KeptCall[]>;
}

/** Asks the other processes of this machine for their calls, and answers them. */
export function callsOfPeers({
  config,
  peers,
  recentCalls,
  transports,
}: Pick<ResourceDeps, 'config' | 'peers' | 'recentCalls' | 'transports'>): PeerQuestions {
  return peerQuestions(peers, Math.max(0, config.workers - 1), (question) => {
    if (question.what === 'transports') return transports.counts();
    return recentCalls?.find(question.requestId) ?? [];
  });
}

/** How the calls of this process and its peers reached the proxy. */
export async function transportsOf(
  own: Transports,
  others: PeerQuestions,
): Promise<TransportCounts> {
  const theirs = (await others.ask({ what: 'transports' })) as readonly TransportCounts[];
  return sumOf([own.counts(), ...theirs]);
}

/** Merges the calls of this process and its peers. */
export function answeredCalls(own: RecentCalls, others: PeerQuestions): AnsweredCalls {
  return {
    async find(requestId) {
      const theirs = (await others.ask({
        what: 'calls',
        requestId,
      })) as readonly (readonly KeptCall[])[];
      return [...own.find(requestId), ...theirs.flat()].toSorted((one, other) => one.at - other.at);
    },
  };
}
