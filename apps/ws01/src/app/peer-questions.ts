import { within } from '@ws01/asmx/time';
import type { Peers } from '../cluster/peers.ts';
import type { PeerMessage, PeerQuestion } from './peer-messages.ts';

/** Timeout of an answer; ms. A peer that is just starting may miss it and is left out. */
const ANSWER_WITHIN_MS = 2_000;

/** Questions to the peers. */
export interface PeerQuestions {
  /** Returns the answers of the other processes, in no particular order. Never fails. */
  ask(question: PeerQuestion): Promise<readonly unknown[]>;
}

/**
 * Sends questions to the other processes of this machine, and answers theirs.
 * @param others number of other processes.
 * @param answer returns this process's answer, as plain data.
 */
export function peerQuestions(
  peers: Peers<PeerMessage>,
  others: number,
  answer: (question: PeerQuestion) => unknown,
): PeerQuestions {
  const waiting = new Map<string, (answer: unknown) => void>();
  peers.hear((news) => {
    if (news.about === 'question')
      peers.tell({ about: 'answer', id: news.id, answer: answer(news.question) });
    if (news.about === 'answer') waiting.get(news.id)?.(news.answer);
  });
  return {
    async ask(question) {
      if (others === 0) return [];
      const id = crypto.randomUUID();
      const answers: unknown[] = [];
      const complete = Promise.withResolvers<void>();
      waiting.set(id, (one) => {
        if (answers.push(one) === others) complete.resolve();
      });
      peers.tell({ about: 'question', id, question });
      await within(ANSWER_WITHIN_MS, complete.promise);
      waiting.delete(id);
      return answers;
    },
  };
}
