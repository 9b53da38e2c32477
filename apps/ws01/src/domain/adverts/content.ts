import { Ws01Error } from '../../contract/errors.ts';
import type { AdvertContent } from '../../store/tables/tables.ts';
import { foldText, sortKeyOf } from '../values/search-text.ts';
import { isSeen } from '../values/unseen.ts';

/** @throws {Ws01Error} `MissingParameter` for a title that shows nothing. */
export function titleOf(text: string | undefined): string {
  if (text !== undefined && isSeen(text)) return text;
  throw missing('title', 'title is required; give the advert a headline.');
}

/** @throws {Ws01Error} `MissingParameter` for an image advert without its image. */
export function assertPicture({ is_image, img_guid }: AdvertContent): void {
  if (is_image === 1 && img_guid === null)
    throw missing('imgGuid', 'imgGuid is required for an image advert; give the key of its image.');
}

function missing(parameter: string, message: string): Ws01Error {
  return new Ws01Error('MissingParameter', message, { parameter });
}

/** What an advert is sorted and found by. */
export const searchedOf = ({ title, detail, link_txt }: AdvertContent) => ({
  title_key: sortKeyOf(title),
  search_text: foldText(`${title}\n${detail}\n${link_txt}`),
});
