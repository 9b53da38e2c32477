/** Bytes as whole MiB, rounded up, for people. */
export function mebibytes(bytes: number): number {
  return Math.ceil(bytes / 1024 ** 2);
}
