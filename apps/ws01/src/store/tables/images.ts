import type { Generated } from 'kysely';
import type { Flag, Instant, Moderated } from './values.ts';

/** The formats of images, as records and files name them. */
export type ImageFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'heic';

/** A file by its content; however many records have it, it is stored once. */
export interface ImageFilesTable {
  /** SHA-256 of the file as it was sent, in lower-case hexadecimal digits. */
  hash: string;
  /**
   * What the file store knows it by. A name is never used again, so that a file that must be
   * removed belongs to nobody.
   */
  stored_as: string;
  format: ImageFormat;
  /** What it is served as in full; `null` for its own format. */
  served_format: ImageFormat | null;
  /** Of one frame as it is shown, orientation applied; pixels. */
  width: number;
  height: number;
  frames: number;
  bytes: number;
  stored_at: Instant;
  /** Since when no record has had it: its address says that it is gone. */
  deleted_at: Instant | null;
}

/** Who sees an image: everybody, in lists; those who have its URL; nobody. */
export const VISIBILITY = { listed: 0, unlisted: 1, withdrawn: 2 } as const;

export type Visibility = (typeof VISIBILITY)[keyof typeof VISIBILITY];

export interface ImagesTable extends Moderated {
  /** Counts creations; the row of the search index. */
  id: Generated<number>;
  guid: string;
  owner: string | null;
  /** The file. */
  hash: string;
  /** Size of the file. */
  bytes: number;
  /** The record it belongs to, which need not exist. */
  link_guid: string | null;
  /** The category of that record. */
  linked_category: string | null;
  /** As sent. */
  category: string;
  /** As a key; `null` for none. */
  category_key: string | null;
  /** As it is sorted by. */
  category_order: string;
  is_icon: Flag;
  /** When it was marked as an icon; `null` when it is none. */
  icon_at: Instant | null;
  /** What it is itself and what it belongs to, taken together. */
  visibility: Generated<Visibility>;
  created_at: Instant;
  updated_at: Instant;
  ip: string | null;
  claimed_ip: string | null;
  token_id: string | null;
  /**
   * Category, key and the captions of the record it belongs to, as they are searched in, one a
   * line.
   */
  search_text: string;
}

/** How many images there are, spread over rows so that uploads do not wait for one another. */
export interface ImageTotalsTable {
  shard: number;
  images: number;
  icons: number;
}
