import type { ReadContract } from '../wsdl/read-wsdl.ts';
import type { Comparison } from './compare.ts';
import { type Difference, lineOf } from './difference.ts';

/**
 * What a comparison says to a person.
 * @param remedy what to set, for a difference; `undefined` when nothing can be.
 */
export function reportLines(
  old: Pick<ReadContract, 'file' | 'notes' | 'service'>,
  comparison: Comparison,
  remedy: (difference: Difference) => string | undefined = () => undefined,
): string[] {
  const { differences, names, unnoticed, addresses } = comparison;
  const lines = differences.map((difference) => {
    const set = remedy(difference);
    return set === undefined ? lineOf(difference) : `${lineOf(difference)}: ${set}`;
  });
  if (differences.length === 0) {
    const { length } = old.service.operations;
    lines.push(
      `No difference that an old client would notice, in ${length} ${length === 1 ? 'operation' : 'operations'}.`,
    );
  }
  if (differences.length === 0 && names.length > 0)
    lines.push('It is equal on the wire, with other names for generated clients:');
  for (const difference of [...names, ...unnoticed]) lines.push(`note: ${lineOf(difference)}`);
  for (const note of old.notes) lines.push(`note: ${note}`);
  for (const { binding, old: before, ours } of addresses) {
    if (before !== ours)
      lines.push(`address: ${binding}: ${before || 'none'}, ours ${ours || 'none'}`);
  }
  return lines;
}

/** The same for programs. */
export function reportJson(
  old: Pick<ReadContract, 'file' | 'notes' | 'service'>,
  comparison: Comparison,
  remedy: (difference: Difference) => string | undefined = () => undefined,
): Record<string, unknown> {
  return {
    file: old.file,
    service: old.service.name,
    operations: old.service.operations.length,
    same: comparison.same,
    differences: comparison.differences.map((difference) => ({
      ...difference,
      remedy: remedy(difference) ?? null,
    })),
    names: comparison.names,
    unnoticed: comparison.unnoticed,
    addresses: comparison.addresses,
    notes: old.notes,
  };
}
