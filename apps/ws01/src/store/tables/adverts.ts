import type { Flag, Instant, Moderated } from './values.ts';

/** What an advert says. Absent text is the empty string. */
export interface AdvertContent {
  title: string;
  detail: string;
  link_txt: string;
  link_url: string;
  /** Current while now is before it; `null` for always. */
  deadline: Instant | null;
  /** `null` when uncategorised. */
  category_key: string | null;
  is_image: Flag;
  img_guid: string | null;
}

export interface AdvertsTable extends AdvertContent, Moderated {
  guid: string;
  /** The publisher. */
  owner: string | null;
  created_at: Instant;
  updated_at: Instant;
  /** The title as it is sorted by. */
  title_key: string;
  /** Title, detail and link text as they are searched in, one a line. */
  search_text: string;
  /** The observed address of the client that created it. */
  ip: string;
  /**
   * Unique: recognises the call that made it without naming a key, should it come again. SHA-256:
   * 32 bytes.
   */
  retry_key: Uint8Array | null;
  /** Its row in `advert_search`; `null` if it has none. */
  search_id: number | null;
}
