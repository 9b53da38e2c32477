import type { ParamsOf } from '../../src/contract/service.ts';
import { createBudgets } from '../../src/domain/budgets/budgets.ts';
import { type BudgetRates, NO_BOUNDS } from '../../src/domain/budgets/rates.ts';
import type { CallContext } from '../../src/domain/context.ts';
import { Links } from '../../src/domain/links/links.ts';
import { linkOperations } from '../../src/domain/links/operations.ts';
import type { Store } from '../../src/store/store.ts';
import { NOW, OBSERVED } from './articles.ts';

export { NOW } from './articles.ts';

const BASE_URL = 'https://example.com/ws';

interface DeskOptions {
  readonly rates?: Partial<BudgetRates>;
  readonly newCode?: () => string;
  readonly baseUrl?: string;
  readonly shortBaseUrl?: string;
}

/** One node's operation on short links, called as the wire calls it. */
export class LinkDesk {
  readonly store: Store;
  readonly links: Links;
  readonly shortBaseUrl: string;
  now = NOW;
  readonly #operations: ReturnType<typeof linkOperations>;

  constructor(store: Store, options: DeskOptions = {}) {
    const { rates, newCode, baseUrl = BASE_URL, shortBaseUrl = 'https://sho.rt' } = options;
    this.store = store;
    this.shortBaseUrl = shortBaseUrl;
    const clock = () => this.now;
    this.links = new Links({ store, clock, ...(newCode === undefined ? {} : { newCode }) });
    this.#operations = linkOperations({
      clock,
      budgets: createBudgets({
        rates: { ...NO_BOUNDS, ...rates },
        store,
        clock,
        shareEvery: undefined,
      }),
      links: this.links,
      targets: { baseUrl: () => baseUrl, shortBaseUrl: () => shortBaseUrl },
    });
  }

  /** @returns the short link, or its code when it begins as it should. */
  async shorten(
    _orgUrl: string | undefined,
    given: Partial<ParamsOf<'UrltoShortUrl'>> = {},
  ): Promise<string> {
    const params = {
      _userId: undefined,
      _userEmail: undefined,
      _deadline: undefined,
      _orgUrl,
      ...given,
    };
    const url = await this.#operations.UrltoShortUrl(params, { caller: ANYBODY });
    const prefix = `${this.shortBaseUrl}/`;
    return url.startsWith(prefix) ? url.slice(prefix.length) : url;
  }

  /** Where a code leads as this node knows it. */
  async targetOf(code: string): Promise<string | undefined> {
    return (await this.links.find(code))?.target;
  }
}

const ANYBODY: CallContext = {
  caller: { kind: 'anonymous', tokenId: undefined, userId: undefined },
  address: OBSERVED,
  requestId: 'r-1',
};
