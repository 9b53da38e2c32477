import type { ParamsOf } from '../../src/contract/service.ts';
import type { BudgetRates } from '../../src/domain/budgets/rates.ts';
import { Links } from '../../src/domain/links/links.ts';
import { linkOperations } from '../../src/domain/links/operations.ts';
import type { Store } from '../../src/store/store.ts';
import { ANYBODY, contextOf, Desk } from './desk.ts';

export { NOW } from './desk.ts';

const BASE_URL = 'https://example.com/ws';

interface DeskOptions {
  readonly rates?: Partial<BudgetRates>;
  readonly newCode?: () => string;
  readonly baseUrl?: string;
  readonly shortBaseUrl?: string;
}

/** One node's operation on short links, called as the wire calls it. */
export class LinkDesk extends Desk {
  readonly links: Links;
  readonly shortBaseUrl: string;
  readonly #operations: ReturnType<typeof linkOperations>;

  constructor(store: Store, options: DeskOptions = {}) {
    const { rates, newCode, baseUrl = BASE_URL, shortBaseUrl = 'https://sho.rt' } = options;
    super(store, rates);
    this.shortBaseUrl = shortBaseUrl;
    const { clock, budgets } = this;
    this.links = new Links({ store, clock, ...(newCode === undefined ? {} : { newCode }) });
    this.#operations = linkOperations({
      clock,
      budgets,
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
    const url = await this.#operations.UrltoShortUrl(params, contextOf(ANYBODY));
    const prefix = `${this.shortBaseUrl}/`;
    return url.startsWith(prefix) ? url.slice(prefix.length) : url;
  }

  /** Where a code leads as this node knows it. */
  async targetOf(code: string): Promise<string | undefined> {
    return (await this.links.find(code))?.target;
  }
}
