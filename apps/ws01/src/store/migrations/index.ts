import type { Migration } from './migration.ts';

/** The migrations in the order of their names. Each is loaded when a database lacks it: most starts need none. */
export const migrations: readonly Migration[] = [
  step('0001_articles', async () => (await import('./0001_articles.ts')).articles),
  step(
    '0002_adverts_and_reviews',
    async () => (await import('./0002_adverts_and_reviews.ts')).advertsAndReviews,
  ),
  step(
    '0003_phone_links_budgets',
    async () => (await import('./0003_phone_links_budgets.ts')).phoneLinksBudgets,
  ),
  step('0004_images', async () => (await import('./0004_images.ts')).images),
  step(
    '0005_outbox_mail_sms',
    async () => (await import('./0005_outbox_mail_sms.ts')).outboxMailSms,
  ),
  step('0006_review_tallies', async () => (await import('./0006_review_tallies.ts')).reviewTallies),
  step('0007_sealed_sms', async () => (await import('./0007_sealed_sms.ts')).sealedSms),
  step(
    '0008_images_by_linked_category',
    async () => (await import('./0008_images_by_linked_category.ts')).imagesByLinkedCategory,
  ),
  step(
    '0009_articles_by_key_alone',
    async () => (await import('./0009_articles_by_key_alone.ts')).articlesByKeyAlone,
  ),
  step(
    '0010_images_by_size_in_category',
    async () => (await import('./0010_images_by_size_in_category.ts')).imagesBySizeInCategory,
  ),
  step(
    '0011_adverts_by_title',
    async () => (await import('./0011_adverts_by_title.ts')).advertsByTitle,
  ),
  step('0012_served_formats', async () => (await import('./0012_served_formats.ts')).servedFormats),
  step('0013_moderation', async () => (await import('./0013_moderation.ts')).moderation),
  step('0014_every_creation', async () => (await import('./0014_every_creation.ts')).everyCreation),
  step('0015_token_networks', async () => (await import('./0015_token_networks.ts')).tokenNetworks),
  step(
    '0016_number_verifications',
    async () => (await import('./0016_number_verifications.ts')).numberVerifications,
  ),
  step('0017_switches', async () => (await import('./0017_switches.ts')).switches),
  step('0018_views_v1', async () => (await import('./0018_views_v1.ts')).viewsV1),
  step('0019_lists', async () => (await import('./0019_lists.ts')).lists),
  step('0020_used_codes', async () => (await import('./0020_used_codes.ts')).usedCodes),
  step('0021_admins', async () => (await import('./0021_admins.ts')).admins),
  step('0022_backups', async () => (await import('./0022_backups.ts')).backups),
  step('0023_imports', async () => (await import('./0023_imports.ts')).imports),
  step('0024_retention', async () => (await import('./0024_retention.ts')).retention),
  step('0025_absent_indexes', async () => (await import('./0025_absent_indexes.ts')).absentIndexes),
  step('0026_request_ids', async () => (await import('./0026_request_ids.ts')).requestIds),
  step('0027_store_room', async () => (await import('./0027_store_room.ts')).storeRoom),
  step('0028_legal_holds', async () => (await import('./0028_legal_holds.ts')).legalHolds),
  step(
    '0029_audit_partitions',
    async () => (await import('./0029_audit_partitions.ts')).auditPartitions,
  ),
  step('0030_service_time', async () => (await import('./0030_service_time.ts')).serviceTime),
  step('0031_events', async () => (await import('./0031_events.ts')).events),
  step(
    '0032_link_visit_sources',
    async () => (await import('./0032_link_visit_sources.ts')).linkVisitSources,
  ),
  step('0033_purge_hold', async () => (await import('./0033_purge_hold.ts')).purgeHold),
  step('0034_advert_search', async () => (await import('./0034_advert_search.ts')).advertSearch),
  step('0035_users_by_id', async () => (await import('./0035_users_by_id.ts')).usersById),
  step(
    '0036_verified_phones',
    async () => (await import('./0036_verified_phones.ts')).verifiedPhones,
  ),
  step(
    '0037_hidden_in_search',
    async () => (await import('./0037_hidden_in_search.ts')).hiddenInSearch,
  ),
  step(
    '0038_files_of_database',
    async () => (await import('./0038_files_of_database.ts')).filesOfDatabase,
  ),
  step(
    '0039_confirmed_sessions',
    async () => (await import('./0039_confirmed_sessions.ts')).confirmedSessions,
  ),
];

function step(name: string, load: () => Promise<Migration>): Migration {
  return {
    name,
    async up(db, columns) {
      const migration = await load();
      if (migration.name !== name)
        throw new Error(`The step ${name} calls itself ${migration.name}.`);
      await migration.up(db, columns);
    },
  };
}
