import type { Peers } from '../cluster/peers.ts';
import type { PeerMessage, PeerQuestion } from './peer-messages.ts';

/** The others answer within this, or are left out: one may just be starting; ms. */
const ANSWER_WITHIN_MS = 2_000;

/** What several processes know together. */
export interface PeerQuestions {
  /** What each of the other processes answers, in no particular order. Never fails. */
  ask(question: PeerQuestion): Promise<readonly unknown[]>;
}

/**
 * Asks the other processes of this machine, and answers them.
 * @param others how many there are.
 * @param answer what this process knows; of plain data.
 */
export function peerQuestions(
  peers: Peers<PeerMessage>,
  others: number,
  answer: (question: PeerQuestion) => unknown,
): PeerQuestions {
  const waiting = new Map<string, (answer: unknown) => void>();
  peers.hear((news) => {
    if (news.about === 'question') peers.tell({ about: 'answer', id: news.id, answer: answer(news.question) });
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
      const timer = setTimeout(complete.resolve, ANSWER_WITHIN_MS);
      peers.tell({ about: 'question', id, question });
      await complete.promise;
      clearTimeout(timer);
      waiting.delete(id);
      return answers;
    },
  };
}
