/**
 * The Damerau–Levenshtein distance: letters to insert, delete, replace or swap with a neighbour.
 * @param most beyond which no one asks how far they are apart; most words differ from each other in
 *   their first letters.
 * @returns at least `most + 1`, or infinity, where they are farther apart.
 */
export function lettersApart(a: string, b: string, most: number): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, replaced);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) least = Math.min(least, rows[i - 2]![j - 2]! + 1);
      row.push(least);
    }
    rows.push(row);
    // A swap looks back two rows.
    if (Math.min(...row, ...rows[i - 1]!) > most) return Number.POSITIVE_INFINITY;
  }
  return rows[a.length]![b.length]!;
}
