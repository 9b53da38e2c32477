import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { PATIENCE_MS } from '../../../../packages/asmx/test/kit/until.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';
import {
  type OperationHandlers,
  type OperationName,
  type ParamsOf,
  WS01,
} from '../../src/contract/service.ts';
import { advertOperations, type ImageUrls } from '../../src/domain/adverts/operations.ts';
import { articleOperations } from '../../src/domain/articles/operations.ts';
import { createBudgets } from '../../src/domain/budgets/budgets.ts';
import { BUDGETS, type BudgetRates } from '../../src/domain/budgets/rates.ts';
import type { CallContext, Caller } from '../../src/domain/context.ts';
import { countOperations } from '../../src/domain/counts/operations.ts';
import { reviewOperations } from '../../src/domain/reviews/operations.ts';
import { userOperations } from '../../src/domain/users/operations.ts';
import { newKey } from '../../src/domain/values/keys.ts';
import type { Store } from '../../src/store/store.ts';
import type { Instant } from '../../src/store/tables/tables.ts';
import { NOW, OBSERVED, SERVICE } from './articles.ts';
import type { FreshDatabase } from './database.ts';

export { ADA, ADMIN, BOB, NOW, OBSERVED, SERVICE } from './articles.ts';

/** Who calls an operation without a credential. */
export const ANYBODY: Caller = { kind: 'anonymous', tokenId: undefined, userId: undefined };

type Operations = Pick<
  OperationHandlers<CallContext>,
  | 'InsertArticle'
  | 'UpdateOrInsertArticleById'
  | 'UpdatePinnedTopDueDateByGuid'
  | 'UpdateArticleCategory'
  | 'DeleteArticleByGuid'
  | 'addNewAdvert'
  | 'QueryAdvert'
  | 'updateUserInfo'
  | 'updateUserCellphone'
  | 'countUserPosted'
  | 'countIpPosted'
  | 'submitReview'
>;

/** Any of them, once its parameters have been checked. */
type Answering = (
  params: Readonly<Record<string, unknown>>,
  call: { readonly caller: CallContext },
) => string | Promise<string>;

/** What a test has otherwise than usual. */
interface DeskOptions {
  readonly timeZone?: string;
  readonly defaultCountry?: string;
  readonly rates?: Partial<BudgetRates>;
  readonly imageUrls?: ImageUrls;
}

const UNLIMITED = Object.fromEntries(
  Object.keys(BUDGETS).map((name) => [name, []]),
) as unknown as BudgetRates;

/** The operations of adverts, users, counts and reviews over a store, called as the wire calls them. */
export class OperationDesk {
  readonly store: Store;
  now: Instant = NOW;
  readonly #operations: Operations;

  constructor(store: Store, options: DeskOptions = {}) {
    this.store = store;
    const clock = () => this.now;
    const rates = { ...UNLIMITED, ...options.rates };
    const parts = {
      store,
      clock,
      budgets: createBudgets({ rates, store, clock, shareEvery: undefined }),
      revisionLimits: { perArticle: 2 ** 26, perOwner: 2 ** 30 },
      timeZone: options.timeZone ?? 'UTC',
      reviewsFrom: 'anyone' as const,
      reviewScale: 5,
      defaultCountry: options.defaultCountry,
      imageUrls: options.imageUrls ?? (async () => new Map<string, string>()),
    };
    this.#operations = {
      ...articleOperations(parts),
      ...advertOperations(parts),
      ...userOperations(parts),
      ...countOperations(parts),
      ...reviewOperations(parts),
    };
  }

  /** Calls an operation; a parameter that is not given is absent. */
  async call<Name extends keyof Operations>(
    name: Name,
    given: Partial<ParamsOf<Name>>,
    caller: Caller = SERVICE,
    address = OBSERVED,
  ): Promise<string> {
    const operation = this.#operations[name] as Answering;
    const context = { caller, address, requestId: 'r-1' };
    return operation({ ...absentParams(name), ...given }, { caller: context });
  }

  /** Sees a call refused, and with which error. */
  async refuses<Name extends keyof Operations>(
    code: ErrorCode,
    parameter: string | undefined,
    name: Name,
    given: Partial<ParamsOf<Name>>,
    caller?: Caller,
  ): Promise<void> {
    await assert.rejects(
      this.call(name, given, caller),
      (error: Error & { code?: string; parameter?: string }) => {
        assert.deepEqual([error.code, error.parameter], [code, parameter], error.message);
        return true;
      },
    );
  }

  /** What the audit trail has on a record, in order; a test that looks at the order moves the clock between calls. */
  async audit(
    kind: string,
    key: string,
  ): Promise<{ action: string; details: unknown; token_id: string | null }[]> {
    const rows = await this.store.read((db) =>
      db
        .selectFrom('audit')
        .select(['action', 'details', 'token_id'])
        .where('target_kind', '=', kind)
        .where('target_key', '=', key)
        .orderBy('at')
        .orderBy('id')
        .execute(),
    );
    return rows.map(({ action, details, token_id }) => ({
      action,
      details: JSON.parse(details),
      token_id,
    }));
  }
}

function absentParams(name: OperationName): Record<string, unknown> {
  const operation = WS01.operations.find((one) => one.name === name);
  assert.ok(operation);
  const ofType = {
    string: undefined,
    int: 0,
    boolean: false,
    dateTime: undefined,
    base64Binary: undefined,
  };
  return Object.fromEntries(
    operation.parameters.map((parameter) => [
      parameter.name,
      ofType[parameter.type as keyof typeof ofType],
    ]),
  );
}

/** A rule as a test: its name says the rule, `key` is a key that nothing else uses. */
export type Rules = Readonly<Record<string, (desk: OperationDesk, key: string) => Promise<void>>>;

/** Runs each rule as a test of its own; they share one database, since no two use the same keys. */
export async function checkRules(
  test: TestContext,
  fresh: FreshDatabase,
  rules: Rules,
  options?: DeskOptions,
): Promise<void> {
  const store = await (await fresh(test)).open();
  for (const [name, check] of Object.entries(rules)) {
    await test.test(name, () => check(new OperationDesk(store, options), newKey()));
  }
}

const CALLS = 200;

/** Starts 200 calls before any of them is waited for, in turn at two desks on one database, as two nodes have them. */
export async function race(
  test: TestContext,
  fresh: FreshDatabase,
  call: (desk: OperationDesk, index: number) => Promise<string>,
): Promise<{ desk: OperationDesk; outcomes: readonly string[] }> {
  const database = await fresh(test);
  // On a slow machine the last of them waits longer than a caller of the service would.
  const open = () =>
    database.open({
      busyTimeout: PATIENCE_MS,
      statementTimeout: PATIENCE_MS,
      lockTimeout: PATIENCE_MS,
    });
  const desks = [new OperationDesk(await open()), new OperationDesk(await open())] as const;
  const settled = await Promise.allSettled(
    Array.from({ length: CALLS }, (_, index) => call(desks[index % 2]!, index)),
  );
  const outcomes = settled.map((one) =>
    one.status === 'fulfilled' ? one.value : `error ${one.reason.code ?? one.reason}`,
  );
  return { desk: desks[0], outcomes };
}

/** How often each outcome came. */
export function tallyOutcomes(outcomes: readonly string[]): Record<string, number> {
  const groups = Map.groupBy(outcomes, (outcome) => outcome);
  return Object.fromEntries([...groups].map(([outcome, same]) => [outcome, same.length]));
}
