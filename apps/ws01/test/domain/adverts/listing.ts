import { ANYBODY, type OperationDesk } from '../../kit/operation-desk.ts';

/** What QueryAdvert answers. */
export interface Answer {
  readonly items: readonly Record<string, unknown>[];
  readonly pageIndex: number;
  readonly pageSize: number;
  readonly total: number;
  readonly totalPages: number;
  readonly warnings: readonly string[];
}

export type Query = Parameters<OperationDesk['call']>[1] & Record<string, unknown>;

export async function query(
  desk: OperationDesk,
  userId: string,
  given: Query = {},
): Promise<Answer> {
  return JSON.parse(await desk.call('QueryAdvert', { userId, ...given }, ANYBODY));
}

/** The titles that a query finds, in its order. */
export async function titles(
  desk: OperationDesk,
  userId: string,
  given: Query = {},
): Promise<unknown[]> {
  return (await query(desk, userId, given)).items.map(({ title }) => title);
}

/** Publishes adverts one millisecond apart. */
export async function publish(
  desk: OperationDesk,
  owner: string,
  adverts: readonly Record<string, unknown>[],
): Promise<void> {
  for (const advert of adverts) {
    desk.now += 1;
    await desk.call('addNewAdvert', { CreateUserId: owner, ...advert });
  }
}
