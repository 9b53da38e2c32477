import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { checkedName } from '../../adapters/files/names.ts';
import type { Files } from '../../adapters/files/open.ts';
import type { Store } from '../../store/store.ts';
import { inNewFolder } from '../io/new-folder.ts';

/**
 * Writes a person's data into a new folder: `person.json`, and `images/` with the original
 * pictures.
 * @param pieces the JSON text.
 * @returns the number of pictures.
 */
export async function exportPictures(
  store: Store,
  files: Files,
  id: string,
  pieces: AsyncIterable<string>,
  folder: string,
): Promise<number> {
  return inNewFolder(folder, async (partial) => {
    await writeFile(join(partial, 'person.json'), pieces, { mode: 0o600 });
    const images = await picturesOf(store, id);
    if (images.length > 0) await mkdir(join(partial, 'images'));
    for (const { hash, stored_as, format } of images) {
      const path = join(partial, 'images', checkedName(`${hash}.${format}`));
      await pipeline(await files.store.read(stored_as), createWriteStream(path, { mode: 0o600 }));
    }
    return images.length;
  });
}

function picturesOf(store: Store, id: string) {
  return store.scan((db) =>
    db
      .selectFrom('images')
      .innerJoin('image_files', 'image_files.hash', 'images.hash')
      .select(['images.hash', 'image_files.stored_as', 'image_files.format'])
      .where('images.owner', '=', id)
      .distinct()
      .execute(),
  );
}
