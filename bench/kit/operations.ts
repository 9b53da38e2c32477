import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@ws01/asmx/time';
import { openFiles } from '../../apps/ws01/src/adapters/files/open.ts';
import type { ReceivedFile } from '../../apps/ws01/src/adapters/files/spool.ts';
import { DecoderPool } from '../../apps/ws01/src/adapters/images/decoders.ts';
import {
  type OperationHandlers,
  type OperationName,
  type ParamsOf,
  WS01,
} from '../../apps/ws01/src/contract/service.ts';
import { createBudgets } from '../../apps/ws01/src/domain/budgets/budgets.ts';
import { BUDGETS, type BudgetRates } from '../../apps/ws01/src/domain/budgets/rates.ts';
import type { CallContext, Caller } from '../../apps/ws01/src/domain/context.ts';
import { createImageUrls } from '../../apps/ws01/src/domain/images/image-urls.ts';
import { Links } from '../../apps/ws01/src/domain/links/links.ts';
import { createOperations } from '../../apps/ws01/src/domain/operations.ts';
import { CodeKeys } from '../../apps/ws01/src/domain/phone/code-keys.ts';
import { PhoneCodes } from '../../apps/ws01/src/domain/phone/codes.ts';
import type { Store } from '../../apps/ws01/src/store/store.ts';

const SERVICE: Caller = { kind: 'service', tokenId: 'bench', userId: 'sender' };
export const ANYBODY: Caller = { kind: 'anonymous', tokenId: undefined, userId: undefined };

/** Budgets that are counted and never used up. */
const RATES = Object.fromEntries(
  Object.keys(BUDGETS).map((name) => [name, [{ limit: 999_999_999, window: HOUR_MS }]]),
) as unknown as BudgetRates;

/** Every operation of the service over a store, called as the wire calls them. */
export interface BenchOperations {
  /** Calls an operation; a parameter that is not given is absent. */
  call<Name extends OperationName>(
    name: Name,
    given: Partial<ParamsOf<Name, ReceivedFile>>,
    caller?: Caller,
  ): Promise<unknown>;
  /** A file that has arrived, for `FileImg`. It is stored by the first call that has it. */
  receive(bytes: Uint8Array): Promise<ReceivedFile>;
  close(): Promise<void>;
}

export async function openOperations(store: Store): Promise<BenchOperations> {
  const folder = await mkdtemp(join(tmpdir(), 'ws01-bench-files-'));
  const clock = Date.now;
  const baseUrl = () => 'https://example.com/ws';
  const files = await openFiles({ kind: 'disk', folder }, folder);
  const decoders = new DecoderPool({
    processes: 2,
    waiting: 1_000,
    memory: 256 * 1024 ** 2,
    cpu: 10_000,
  });
  const handlers: OperationHandlers<CallContext, ReceivedFile> = createOperations({
    store,
    clock,
    budgets: createBudgets({ rates: RATES, store, clock, shareEvery: undefined }),
    revisionLimits: { perArticle: 2 ** 26, perOwner: 2 ** 30 },
    timeZone: 'UTC',
    reviewsFrom: 'anyone' as const,
    reviewScale: 5,
    defaultCountry: undefined,
    smsCountries: undefined,
    imageUrls: createImageUrls(store, baseUrl),
    files,
    baseUrl,
    maxImagePixels: 50_000_000,
    decoders,
    onRefused: (refusal) => {
      throw refusal;
    },
    codes: new PhoneCodes(store, new CodeKeys(store, undefined)),
    deliver: undefined,
    mail: { sends: true, domain: () => 'example.com', onQueued: () => {} },
    links: new Links({ store, clock }),
    targets: { baseUrl, shortBaseUrl: () => 'https://s.example.com' },
  });
  return {
    async call(name, given, caller = SERVICE) {
      const handler = handlers[name] as (
        params: unknown,
        call: { readonly caller: CallContext },
      ) => unknown;
      return handler(
        { ...absentParams(name), ...given },
        { caller: { caller, address: '192.0.2.1', requestId: 'bench' } },
      );
    },
    async receive(bytes) {
      const upload = files.spool.receive();
      await upload.write(bytes);
      return upload.finish();
    },
    async close() {
      decoders.close();
      files.store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const ABSENT = {
  string: undefined,
  int: 0,
  boolean: false,
  dateTime: undefined,
  base64Binary: undefined,
};

function absentParams(name: OperationName): Record<string, unknown> {
  const { parameters } = WS01.operations.find((one) => one.name === name)!;
  return Object.fromEntries(
    parameters.map((parameter) => [parameter.name, ABSENT[parameter.type as keyof typeof ABSENT]]),
  );
}
