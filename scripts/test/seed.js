/** `node --import` of this file: random cases of `fast-check` begin with `SEED`, as a failing test names it. */
import { configureGlobal } from 'fast-check';

configureGlobal({ seed: Number(process.env.SEED) });
