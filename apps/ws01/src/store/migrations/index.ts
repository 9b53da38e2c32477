import { articles } from './0001_articles.ts';
import { advertsAndReviews } from './0002_adverts_and_reviews.ts';
import { phoneLinksBudgets } from './0003_phone_links_budgets.ts';
import { images } from './0004_images.ts';
import { outboxMailSms } from './0005_outbox_mail_sms.ts';
import { reviewTallies } from './0006_review_tallies.ts';
import { sealedSms } from './0007_sealed_sms.ts';
import { imagesByLinkedCategory } from './0008_images_by_linked_category.ts';
import { articlesByKeyAlone } from './0009_articles_by_key_alone.ts';
import { imagesBySizeInCategory } from './0010_images_by_size_in_category.ts';
import { advertsByTitle } from './0011_adverts_by_title.ts';
import { servedFormats } from './0012_served_formats.ts';
import { moderation } from './0013_moderation.ts';
import { everyCreation } from './0014_every_creation.ts';
import { tokenNetworks } from './0015_token_networks.ts';
import { numberVerifications } from './0016_number_verifications.ts';
import { switches } from './0017_switches.ts';
import { viewsV1 } from './0018_views_v1.ts';
import { lists } from './0019_lists.ts';
import { usedCodes } from './0020_used_codes.ts';
import { admins } from './0021_admins.ts';
import { backups } from './0022_backups.ts';
import { imports } from './0023_imports.ts';
import { retention } from './0024_retention.ts';
import { absentIndexes } from './0025_absent_indexes.ts';
import { requestIds } from './0026_request_ids.ts';
import { storeRoom } from './0027_store_room.ts';
import { legalHolds } from './0028_legal_holds.ts';
import { auditPartitions } from './0029_audit_partitions.ts';
import { serviceTime } from './0030_service_time.ts';
import { events } from './0031_events.ts';
import { linkVisitSources } from './0032_link_visit_sources.ts';
import { purgeHold } from './0033_purge_hold.ts';
import { advertSearch } from './0034_advert_search.ts';
import { usersById } from './0035_users_by_id.ts';
import { verifiedPhones } from './0036_verified_phones.ts';
import type { Migration } from './migration.ts';

/** The migrations in the order of their names. */
export const migrations: readonly Migration[] = [
  articles,
  advertsAndReviews,
  phoneLinksBudgets,
  images,
  outboxMailSms,
  reviewTallies,
  sealedSms,
  imagesByLinkedCategory,
  articlesByKeyAlone,
  imagesBySizeInCategory,
  advertsByTitle,
  servedFormats,
  moderation,
  everyCreation,
  tokenNetworks,
  numberVerifications,
  switches,
  viewsV1,
  lists,
  usedCodes,
  admins,
  backups,
  imports,
  retention,
  absentIndexes,
  requestIds,
  storeRoom,
  legalHolds,
  auditPartitions,
  serviceTime,
  events,
  linkVisitSources,
  purgeHold,
  advertSearch,
  usersById,
  verifiedPhones,
];
