/**
 * Loaded into a service before it starts, by `NODE_OPTIONS=--import`: takes short cuts of the endpoint out, those that
 * `WITHOUT` names with commas between, so that each can be measured by itself.
 */
import { type FastPath, fastPath } from '../../../packages/asmx/src/fast/index.ts';

const GENERAL: FastPath = { defer: (proceed) => proceed(), readEnvelope: () => undefined };

for (const name of (process.env.WITHOUT ?? '').split(',')) {
  if (!(name in GENERAL)) throw new Error(`WITHOUT names no short cut: ${name}.`);
  Object.assign(fastPath, { [name]: GENERAL[name as keyof FastPath] });
}
