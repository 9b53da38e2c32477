import { nearest } from '../contract/nearest.ts';
import type { Service } from '../contract/service.ts';
import type { Interceptor, Invoke } from '../exchange/handler-call.ts';

/**
 * The handlers of a contract, by operation.
 * @throws {TypeError} for an operation without one, and for a handler without an operation.
 */
export function compileHandlers(
  { operations }: Service,
  given: object | undefined,
  interceptors: readonly Interceptor<unknown>[],
): ReadonlyMap<string, Invoke> {
  const handlers = new Map<string, Invoke>();
  for (const { name } of operations) {
    const handler = (given as Record<string, unknown> | undefined)?.[name];
    // Every object has a function of some names.
    if (typeof handler !== 'function' || handler === Reflect.get(Object.prototype, name))
      throw new TypeError(`handlers.${name}: there must be a function.`);
    // Called on the object: it may be of a class, with members of its own.
    const own: Invoke = (input, call) => (handler as Invoke).call(given, input, call);
    handlers.set(name, interceptors.length === 0 ? own : intercepted(own, interceptors));
  }
  for (const name of isPlain(given) ? Object.keys(given) : []) {
    if (!handlers.has(name)) {
      throw new TypeError(
        `handlers.${name}: the contract has no such operation.${nearest(name, [...handlers.keys()])}`,
      );
    }
  }
  return handlers;
}

/** Whether it is an object that was written there, whose members are all meant to be handlers. */
function isPlain(given: object | undefined): given is object {
  if (typeof given !== 'object' || given === null) return false;
  const prototype = Object.getPrototypeOf(given);
  return prototype === null || prototype === Object.prototype;
}

function intercepted(handler: Invoke, interceptors: readonly Interceptor<unknown>[]): Invoke {
  return (input, call) => {
    const run = async (at: number): Promise<unknown> => {
      const interceptor = interceptors[at];
      return interceptor === undefined
        ? handler(input, call)
        : interceptor(call, input, () => run(at + 1));
    };
    return run(0);
  };
}
