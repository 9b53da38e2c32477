import { required } from './columns.ts';
import type { Migration } from './migration.ts';

/** The networks that tokens are used from: whoever is known there is not slowed down by others who guess. */
export const tokenNetworks: Migration = {
  name: '0015_token_networks',
  async up(db, { text, instant, finish }) {
    await db.schema
      .createTable('token_networks')
      .addColumn('token_id', text, required)
      .addColumn('network', text, required)
      .addColumn('used_at', instant, required)
      .addPrimaryKeyConstraint('token_networks_key', ['token_id', 'network'])
      .$call(finish)
      .execute();
    await db.schema
      .createIndex('token_networks_by_use')
      .on('token_networks')
      .column('used_at')
      .execute();
  },
};
