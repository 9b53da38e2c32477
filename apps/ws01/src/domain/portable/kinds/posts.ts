import { LENGTHS } from '../../../contract/parameters.ts';
import * as forms from '../fields.ts';
import { created, EMPTY, field, type Kind, moderated, owner, REQUIRED, writer } from './kind.ts';

const articleContent = [
  field(
    'caption',
    'caption',
    forms.text(LENGTHS.caption),
    'Headline; it or `content` is required.',
    EMPTY,
  ),
  field(
    'content',
    'content',
    forms.text(LENGTHS.content),
    'Text; it or `caption` is required.',
    EMPTY,
  ),
  field('category', 'category_key', forms.key, 'Key of its category.'),
  field(
    'contactPhone',
    'contact_phone',
    forms.text(LENGTHS.contactPhone),
    'As it should be read.',
    EMPTY,
  ),
  field('pinnedUntil', 'pinned_until', forms.endOf, 'Pinned to the top until then.'),
  field('icon', 'icon_guid', forms.key, 'Key of the image that is its icon.'),
  field(
    'status',
    'status',
    forms.int32,
    '0 published, 1 draft, 2 pending, 3 hidden; others are published.',
    {
      absent: 0,
    },
  ),
  field('fromUrl', 'from_url', forms.text(LENGTHS.url), 'Where it came from.', EMPTY),
];

/** What people post: articles, adverts and images, and what goes with them. */
export const POSTS = [
  {
    name: 'categories',
    table: 'categories',
    key: ['key'],
    about:
      'Categories that were used. Made of the articles and adverts where there is no such file.',
    fields: [
      field('key', 'key', forms.key, 'Key of the category.', REQUIRED),
      field('createdAt', 'created_at', forms.instant, 'When it was first used.', {
        ...REQUIRED,
        changes: true,
      }),
    ],
  },
  {
    name: 'articles',
    table: 'articles',
    key: ['guid'],
    about: 'Articles as they are now, those in the trash included.',
    fields: [
      field('guid', 'guid', forms.key, 'Key of the article.', REQUIRED),
      owner,
      ...articleContent,
      ...writer,
      created('When it was posted; counts go by it.'),
      field(
        'updatedAt',
        'updated_at',
        forms.instant,
        'When it last changed; `createdAt` when absent.',
      ),
      field('deletedAt', 'deleted_at', forms.instant, 'In the trash since then.'),
      field(
        'revision',
        'revision',
        forms.integer(1, 2 ** 31 - 1),
        '1 at creation, one more with each change.',
        {
          absent: 1,
        },
      ),
      ...moderated,
    ],
  },
  {
    name: 'revisions',
    table: 'article_revisions',
    key: ['article_guid', 'revision'],
    about: 'Earlier contents of articles.',
    fields: [
      field('article', 'article_guid', forms.key, 'Key of the article.', REQUIRED),
      field(
        'revision',
        'revision',
        forms.integer(1, 2 ** 31 - 1),
        'Its number, lower than that of the article.',
        {
          absent: 'required',
        },
      ),
      ...articleContent,
      ...writer,
      field('recordedAt', 'recorded_at', forms.instant, 'When it was replaced.', REQUIRED),
    ],
  },
  {
    name: 'adverts',
    table: 'adverts',
    key: ['guid'],
    about: 'Adverts.',
    fields: [
      field('guid', 'guid', forms.key, 'Key of the advert.', REQUIRED),
      owner,
      field('title', 'title', forms.text(LENGTHS.caption), 'Headline.', EMPTY),
      field('detail', 'detail', forms.text(LENGTHS.detail), 'Text.', EMPTY),
      field('linkText', 'link_txt', forms.text(LENGTHS.linkText), 'Text of the link.', EMPTY),
      field('linkUrl', 'link_url', forms.text(LENGTHS.url), 'Where it leads.', EMPTY),
      field('deadline', 'deadline', forms.endOf, 'Current until then.'),
      field('category', 'category_key', forms.key, 'Key of its category.'),
      field('isImage', 'is_image', forms.flag, 'Whether it is shown as an image.', { absent: 0 }),
      field('image', 'img_guid', forms.key, 'Key of its image.'),
      created('When it was posted; counts go by it.'),
      field(
        'updatedAt',
        'updated_at',
        forms.instant,
        'When it last changed; `createdAt` when absent.',
      ),
      field('ip', 'ip', forms.address, 'Where it was posted from.', EMPTY),
      field(
        'retryKey',
        'retry_key',
        forms.hex(32),
        'Recognises the call that made it for half a day.',
        {
          changes: true,
        },
      ),
      ...moderated,
    ],
  },
  {
    name: 'image-files',
    table: 'image_files',
    key: ['hash'],
    about:
      'The files of images, each once, by their contents. The file is `files/HASH` unless `file` says otherwise.',
    fields: [
      field('hash', 'hash', forms.hexDigits(32), 'SHA-256 of the file.', REQUIRED),
      field(
        'format',
        'format',
        forms.word('jpeg', 'png', 'gif', 'webp', 'avif'),
        'Its format.',
        REQUIRED,
      ),
      field(
        'servedFormat',
        'served_format',
        forms.word('jpeg', 'png', 'gif', 'webp', 'avif'),
        'Served as.',
      ),
      field('width', 'width', forms.count, 'Of one frame as shown; pixels.', REQUIRED),
      field('height', 'height', forms.count, 'Of one frame as shown; pixels.', REQUIRED),
      field('frames', 'frames', forms.count, 'Frames of an animation.', { absent: 1 }),
      field('bytes', 'bytes', forms.bytesCount, 'Its size.', REQUIRED),
      field('storedAt', 'stored_at', forms.instant, 'When it arrived.', {
        ...REQUIRED,
        changes: true,
      }),
      field(
        'deletedAt',
        'deleted_at',
        forms.instant,
        'No image has had it since then; there is no file.',
      ),
    ],
  },
  {
    name: 'images',
    table: 'images',
    key: ['guid'],
    about:
      'Images. `hash` names one of `image-files`; or `file` names a file, which must be what an upload may be.',
    fields: [
      field('guid', 'guid', forms.key, 'Key of the image.', REQUIRED),
      owner,
      field('hash', 'hash', forms.hexDigits(32), 'SHA-256 of its file.'),
      field('linkGuid', 'link_guid', forms.key, 'Key of the article or advert that it belongs to.'),
      field('category', 'category', forms.text(LENGTHS.category), 'Free text.', EMPTY),
      field('isIcon', 'is_icon', forms.flag, 'Whether it is an icon.', { absent: 0 }),
      field('iconAt', 'icon_at', forms.instant, 'When it was marked as one.'),
      ...writer,
      created('When it was posted; counts go by it.'),
      field(
        'updatedAt',
        'updated_at',
        forms.instant,
        'When it last changed; `createdAt` when absent.',
      ),
      ...moderated,
    ],
  },
] as const satisfies readonly Kind[];
