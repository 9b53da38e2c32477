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
import type { BudgetRates } from '../../src/domain/budgets/rates.ts';
import type { CallContext, Caller } from '../../src/domain/context.ts';
import { countOperations } from '../../src/domain/counts/operations.ts';
import { reviewOperations } from '../../src/domain/reviews/operations.ts';
import { userOperations } from '../../src/domain/users/operations.ts';
import type { Store } from '../../src/store/store.ts';
import type { FreshDatabase } from './database.ts';
import { checkRulesOf, contextOf, Desk, OBSERVED, type RulesOf, SERVICE } from './desk.ts';
import { refused } from './refused.ts';

export { ADA, ADMIN, ANYBODY, BOB, NOW, OBSERVED, SERVICE } from './desk.ts';

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

/** The operations on articles, adverts, users, counts and reviews over a store, called as the wire calls them. */
export class CallDesk extends Desk {
  readonly #operations: Operations;

  constructor(store: Store, options: DeskOptions = {}) {
    super(store, options.rates);
    const parts = {
      ...this.parts,
      ...(options.timeZone === undefined ? {} : { timeZone: options.timeZone }),
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
    return operation({ ...absentParams(name), ...given }, contextOf(caller, address));
  }
}

/** The same, with a look at what is refused and at the audit trail. */
export class OperationDesk extends CallDesk {
  /** Sees a call refused, and with which error. */
  async refuses<Name extends keyof Operations>(
    code: ErrorCode,
    parameter: string | undefined,
    name: Name,
    given: Partial<ParamsOf<Name>>,
    caller?: Caller,
  ): Promise<void> {
    await refused(this.call(name, given, caller), code, parameter);
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

export type Rules = RulesOf<OperationDesk>;

/** As {@link checkRulesOf}. */
export function checkRules(
  test: TestContext,
  fresh: FreshDatabase,
  rules: Rules,
  options?: DeskOptions,
): Promise<void> {
  return checkRulesOf(test, fresh, rules, (store) => new OperationDesk(store, options));
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
