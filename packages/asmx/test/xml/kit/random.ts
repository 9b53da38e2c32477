/** The same random integers, each below its argument, for the same seed: xorshift32 with a multiplied output. */
export function randomIntegers(seed: number): (below: number) => number {
  let state = seed | 0 || 0x9e3779b9;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (Math.imul(state, 0x9e3779b1) >>> 0) % below;
  };
}
