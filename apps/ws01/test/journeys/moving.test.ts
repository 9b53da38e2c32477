// night: a dozen processes carry out the plan; by day docs/commands looks its commands up, and cli/ runs their kind
import { it } from 'node:test';
import { showMove } from '../kit/moving.ts';

it('an old service moves here by the plan of docs/migration.md, every command of it, and on to PostgreSQL', async (t) => {
  await showMove(t, { articles: 300, images: 6, writes: 40 });
});
