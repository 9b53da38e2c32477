/** The bytes in UTF-8 of the texts among some values, such as the columns of a row. */
export function bytesOfTexts(values: readonly unknown[]): number {
  return values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? Buffer.byteLength(value) : 0),
    0,
  );
}
