import { Networks, Upstream } from '../../outgoing-http.ts';

const LIMITS = { timeoutMs: 15_000, answerBytes: 16 * 1024, longAnswer: 'beginning' } as const;

/**
 * Visits the address by which SNS has a subscription confirmed.
 * @returns the status of the answer.
 * @throws {UpstreamError} when there is none.
 */
export async function confirmSubscription(address: string): Promise<number> {
  const url = new URL(address);
  const upstream = new Upstream({ url, networks: new Networks([]), ...LIMITS });
  try {
    const target = url.pathname + url.search;
    return (await upstream.ask({ method: 'GET', target, headers: [], body: undefined })).status;
  } finally {
    upstream.close();
  }
}
