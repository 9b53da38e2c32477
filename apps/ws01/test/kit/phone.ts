import type { TestContext } from 'node:test';
import type { ParamsOf } from '../../src/contract/service.ts';
import type { BudgetRates } from '../../src/domain/budgets/rates.ts';
import type { Caller } from '../../src/domain/context.ts';
import { CodeKeys } from '../../src/domain/phone/code-keys.ts';
import { PhoneCodes } from '../../src/domain/phone/codes.ts';
import { type DeliverCode, phoneOperations } from '../../src/domain/phone/operations.ts';
import type { Store } from '../../src/store/store.ts';
import type { FreshDatabase } from './database.ts';
import { contextOf, Desk, SERVICE } from './desk.ts';

export { ADA, BOB, NOW } from './desk.ts';

/** A number in several forms that people write it in; the first is its normal form. */
export const PHONE = '+12125550100';
export const PHONE_FORMS = [
  PHONE,
  '001 (212) 555-0100',
  ' +1.212.555.0100 ',
  '＋１２１２５５５０１００',
];

interface DeskOptions {
  readonly rates?: Partial<BudgetRates>;
  readonly deliver?: DeliverCode;
  readonly defaultCountry?: string;
  readonly smsCountries?: ReadonlySet<string>;
  readonly codeSecret?: string;
}

/** One node's operations on phone codes, called as the wire calls them. */
export class PhoneDesk extends Desk {
  readonly codes: PhoneCodes;
  readonly #operations: ReturnType<typeof phoneOperations>;

  constructor(
    store: Store,
    { rates, deliver, defaultCountry, smsCountries, codeSecret }: DeskOptions = {},
  ) {
    super(store, rates);
    const { clock, budgets } = this;
    this.codes = new PhoneCodes(store, new CodeKeys(store, codeSecret));
    this.#operations = phoneOperations({
      store,
      clock,
      budgets,
      codes: this.codes,
      defaultCountry,
      smsCountries,
      deliver,
    });
  }

  async create(
    given: Partial<ParamsOf<'CreateVerifyCode'>> = {},
    caller: Caller = SERVICE,
  ): Promise<string> {
    const params = { tokenId: 'secret', userId: 'ada', cellphone: PHONE, ...given };
    return this.#operations.CreateVerifyCode(params, contextOf(caller));
  }

  async verify(
    VerifyCode: string | undefined,
    given: Partial<ParamsOf<'VerifyCodeForPhone'>> = {},
    caller: Caller = SERVICE,
  ): Promise<string> {
    const params = { tokenId: 'secret', userId: 'ada', VerifyCode, cellphone: PHONE, ...given };
    return this.#operations.VerifyCodeForPhone(params, contextOf(caller));
  }
}

/** A desk on a database of its own. */
export async function openPhoneDesk(
  test: TestContext,
  fresh: FreshDatabase,
  options: DeskOptions = {},
): Promise<PhoneDesk> {
  return new PhoneDesk(await (await fresh(test)).open(), options);
}

/** A code that is not the one given. */
export function otherCode(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}

/** What an answer begins with: the part that callers tell answers apart by. */
export function kindOf(answer: string): string {
  return answer === '' ? 'right' : answer.slice(0, answer.indexOf(':'));
}
