import { int, operation, string } from '@ws01/asmx/contract';
import { HELP } from './help.ts';
import { date, LENGTHS, line, SAMPLE_GUID, SAMPLE_USER, text, tokenFor } from './parameters.ts';

/** Operation 1. */
export const InsertArticle = operation({
  summary: 'Modify data (description says Id is required)',
  help: HELP.InsertArticle,
  input: {
    token: tokenFor('articles'),
    guid: text('Key of the article.', SAMPLE_GUID),
    caption: line(
      'Headline; caption or content is required.',
      'Flat to let, 两室一厅',
      LENGTHS.caption,
    ),
    content: text(
      'Text of the article; caption or content is required.',
      'Bright, near the park.',
      LENGTHS.content,
    ),
    categoryGuid: text('Category of the article; empty for none.', 'housing'),
    contactPhone: line(
      'Phone number to show, as it should be read.',
      '+1 212 555 0100',
      LENGTHS.contactPhone,
    ),
    pinnedTopDueDate: date(
      'Pinned to the top until then; not given for not pinned.',
      '2030-01-31T00:00:00Z',
    ),
    CreateUserId: text('The owner of the article.', SAMPLE_USER),
    IconGuid: text('Key of the image that is its icon; need not exist yet.', ''),
    Status: int.describe('Any number; 0 published, 1 draft, 2 pending, 3 hidden.').sample('0'),
    fromUrl: line('Where the article came from.', 'https://example.com/ads/1', LENGTHS.url),
  },
  result: string,
});

/** Operation 4. */
export const UpdateOrInsertArticleById = operation({
  summary: 'Modify data (description says Id is required)',
  help: HELP.UpdateOrInsertArticleById,
  input: {
    token: tokenFor('articles'),
    Id: text('Key of the article, the same one as the guid of InsertArticle.', SAMPLE_GUID),
    caption: line(
      'Headline; absent keeps the present one.',
      'Flat to let, two rooms',
      LENGTHS.caption,
    ),
    content: text(
      'Text of the article; absent keeps the present one.',
      'Bright, near the park.',
      LENGTHS.content,
    ),
    nodeId: text('Category of the article; absent keeps the present one.', 'housing'),
    contactPhone: line(
      'Phone number to show; absent keeps the present one.',
      '+1 212 555 0100',
      LENGTHS.contactPhone,
    ),
    ip: text(
      'Address of the person who writes; empty for the address of the caller.',
      '203.0.113.7',
    ),
  },
  result: string,
});

/** Operation 8. */
export const UpdatePinnedTopDueDateByGuid = operation({
  summary: 'Modify pinnedTopDueDate of an article',
  help: HELP.UpdatePinnedTopDueDateByGuid,
  input: {
    token: tokenFor('articles'),
    guid: text('Key of the article.', SAMPLE_GUID),
    pinnedTopDueDate: date(
      'Pinned to the top until then; not given to unpin.',
      '2030-01-31T00:00:00Z',
    ),
  },
  result: string,
});

/** Operation 15. */
export const DeleteArticleByGuid = operation({
  summary: 'Delete data (an article by guid)',
  help: HELP.DeleteArticleByGuid,
  destructive: true,
  input: {
    token: tokenFor('articles'),
    createuserid: text('The owner of the article; empty is not compared.', SAMPLE_USER),
    guid: text('Key of the article.', SAMPLE_GUID),
  },
  result: string,
});

/** Operation 18. */
export const UpdateArticleCategory = operation({
  summary: 'Change the category of an article (described as delete data)',
  help: HELP.UpdateArticleCategory,
  input: {
    token: tokenFor('articles'),
    guid: text('Key of the article.', SAMPLE_GUID),
    cateId: text('The new category; empty for none.', 'jobs'),
  },
  result: string,
});
