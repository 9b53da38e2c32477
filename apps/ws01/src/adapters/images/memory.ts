/** What a process takes that has loaded the decoder and works on nothing; bytes. */
const IDLE_BYTES = 64 * 1024 ** 2;

/** What is left for pixels in a process that may take `memory` bytes. */
export function pixelWorkBytes(memory: number): number {
  return memory - IDLE_BYTES;
}

/**
 * At what a process is ended whose image has turned out to take more than it seemed to. Images are refused by what they
 * seem to take, which is measured; this is for those that lie.
 */
export function mostBytes(memory: number): number {
  return memory * 1.125;
}
