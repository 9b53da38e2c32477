/** Memory of an idle process with the decoder loaded; bytes. */
const IDLE_BYTES = 64 * 1024 ** 2;

/** Returns the memory for pixels in a process that may use `memory` bytes. */
export function pixelWorkBytes(memory: number): number {
  return memory - IDLE_BYTES;
}

/**
 * Returns the memory at which a process is killed; bytes. Images are normally refused by an estimate; this bound is for
 * those whose header lies.
 */
export function killBytes(memory: number): number {
  return memory * 1.125;
}
