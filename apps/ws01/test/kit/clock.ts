/** The clock of the machine, for this process, until the end of the test. */
export class Clock {
  #set = 0;
  #passed = 0;

  constructor(test: { after(restore: () => void): void }) {
    const [now, steady] = [Date.now, performance.now.bind(performance)];
    test.after(() => Object.assign(Date, { now }));
    test.after(() => Object.assign(performance, { now: steady }));
    Date.now = () => now() + this.#passed + this.#set;
    performance.now = () => steady() + this.#passed;
  }

  /** Somebody sets it. */
  set(by: number): void {
    this.#set += by;
  }

  /** So much time passes; timers do not hear of it. */
  pass(ms: number): void {
    this.#passed += ms;
  }
}
