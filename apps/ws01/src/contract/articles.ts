import { HELP } from './help.ts';
import {
  credential,
  date,
  LENGTHS,
  line,
  SAMPLE_GUID,
  SAMPLE_USER,
  text,
  typed,
} from './parameters.ts';

/** Operation 1. */
export const InsertArticle = {
  name: 'InsertArticle',
  documentation: 'Modify data (description says Id is required)',
  help: HELP.InsertArticle,
  access: { credential: 'token', scope: 'articles' },
  writes: true,
  parameters: [
    credential('token', 'articles'),
    text('guid', 'Key of the article.', SAMPLE_GUID),
    line(
      'caption',
      'Headline; caption or content is required.',
      'Flat to let, 两室一厅',
      LENGTHS.caption,
    ),
    text(
      'content',
      'Text of the article; caption or content is required.',
      'Bright, near the park.',
      LENGTHS.content,
    ),
    text('categoryGuid', 'Category of the article; empty for none.', 'housing'),
    line(
      'contactPhone',
      'Phone number to show, as it should be read.',
      '+1 212 555 0100',
      LENGTHS.contactPhone,
    ),
    date(
      'pinnedTopDueDate',
      'Pinned to the top until then; not given for not pinned.',
      '2030-01-31T00:00:00Z',
    ),
    text('CreateUserId', 'The owner of the article.', SAMPLE_USER),
    text('IconGuid', 'Key of the image that is its icon; need not exist yet.', ''),
    typed('Status', 'int', 'Any number; 0 published, 1 draft, 2 pending, 3 hidden.', '0'),
    line('fromUrl', 'Where the article came from.', 'https://example.com/ads/1', LENGTHS.url),
  ],
  result: 'string',
} as const;

/** Operation 4. */
export const UpdateOrInsertArticleById = {
  name: 'UpdateOrInsertArticleById',
  documentation: 'Modify data (description says Id is required)',
  help: HELP.UpdateOrInsertArticleById,
  access: { credential: 'token', scope: 'articles' },
  writes: true,
  parameters: [
    credential('token', 'articles'),
    text('Id', 'Key of the article, the same one as the guid of InsertArticle.', SAMPLE_GUID),
    line(
      'caption',
      'Headline; absent keeps the present one.',
      'Flat to let, two rooms',
      LENGTHS.caption,
    ),
    text(
      'content',
      'Text of the article; absent keeps the present one.',
      'Bright, near the park.',
      LENGTHS.content,
    ),
    text('nodeId', 'Category of the article; absent keeps the present one.', 'housing'),
    line(
      'contactPhone',
      'Phone number to show; absent keeps the present one.',
      '+1 212 555 0100',
      LENGTHS.contactPhone,
    ),
    text(
      'ip',
      'Address of the person who writes; empty for the address of the caller.',
      '203.0.113.7',
    ),
  ],
  result: 'string',
} as const;

/** Operation 8. */
export const UpdatePinnedTopDueDateByGuid = {
  name: 'UpdatePinnedTopDueDateByGuid',
  documentation: 'Modify pinnedTopDueDate of an article',
  help: HELP.UpdatePinnedTopDueDateByGuid,
  access: { credential: 'token', scope: 'articles' },
  writes: true,
  parameters: [
    credential('token', 'articles'),
    text('guid', 'Key of the article.', SAMPLE_GUID),
    date(
      'pinnedTopDueDate',
      'Pinned to the top until then; not given to unpin.',
      '2030-01-31T00:00:00Z',
    ),
  ],
  result: 'string',
} as const;

/** Operation 15. */
export const DeleteArticleByGuid = {
  name: 'DeleteArticleByGuid',
  documentation: 'Delete data (an article by guid)',
  help: HELP.DeleteArticleByGuid,
  access: { credential: 'token', scope: 'articles' },
  writes: true,
  parameters: [
    credential('token', 'articles'),
    text('createuserid', 'The owner of the article; empty is not compared.', SAMPLE_USER),
    text('guid', 'Key of the article.', SAMPLE_GUID),
  ],
  result: 'string',
} as const;

/** Operation 18. */
export const UpdateArticleCategory = {
  name: 'UpdateArticleCategory',
  documentation: 'Change the category of an article (described as delete data)',
  help: HELP.UpdateArticleCategory,
  access: { credential: 'token', scope: 'articles' },
  writes: true,
  parameters: [
    credential('token', 'articles'),
    text('guid', 'Key of the article.', SAMPLE_GUID),
    text('cateId', 'The new category; empty for none.', 'jobs'),
  ],
  result: 'string',
} as const;
