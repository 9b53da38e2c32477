import { int, operation, string } from '@ws01/asmx/contract';
import { date, LENGTHS, line, SAMPLE_GUID, SAMPLE_USER, text, tokenFor } from './parameters.ts';

/** Operation 1. */
export const InsertArticle = operation({
  summary: 'Modify data (description says Id is required)',
  help: {
    purpose:
      'Creates an article, or replaces the whole article with this key. Parameters that are ' +
      'not given become empty; only the pin is kept.',
    answer: 'The key of the article.',
    example: '0f8fad5b-d9cb-469f-a165-70867728950e',
    required: ['token', 'guid'],
    errors: {
      MissingParameter: 'There is no key, or neither caption nor content.',
      InvalidParameter:
        'A text is too long or of several lines where one is allowed; a date or number cannot ' +
        'be read.',
      Forbidden: 'It is another user’s article, or a moderator removed it.',
      AlreadyExists: 'The key is in use with another owner.',
      RateLimited: 'A user token has created its articles for the day.',
    },
  },
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
  help: {
    purpose: 'Creates an article, or changes the given fields and keeps the others.',
    answer: 'The key of the article.',
    example: '0f8fad5b-d9cb-469f-a165-70867728950e',
    required: ['token', 'Id'],
    errors: {
      MissingParameter:
        'There is no key; or the article is new and has neither caption nor content.',
      InvalidParameter: 'A text is too long or of several lines where one is allowed.',
      Forbidden: 'It is another user’s article, or a moderator removed it.',
      AlreadyExists: 'The key is in use with another owner.',
      RateLimited: 'A user token has created its articles for the day.',
    },
  },
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
  help: {
    purpose:
      'Pins an article to the top until an instant; without an instant, or with a past one, ' +
      'unpins it.',
    answer: 'The key of the article.',
    example: '0f8fad5b-d9cb-469f-a165-70867728950e',
    required: ['token', 'guid'],
    errors: {
      MissingParameter: 'There is no key.',
      InvalidParameter: 'The date cannot be read.',
      NotFound: 'There is no such article for this caller, or it is in the trash.',
      Forbidden: 'A moderator removed it.',
    },
  },
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
  help: {
    purpose:
      'Moves an article to the trash. InsertArticle with the same key restores it from the trash.',
    answer: 'The key of the article.',
    example: '0f8fad5b-d9cb-469f-a165-70867728950e',
    required: ['token', 'guid'],
    errors: {
      MissingParameter: 'There is no key.',
      NotFound: 'There is no such article for this caller.',
      Forbidden: 'The user named is not the owner, or a moderator removed it.',
    },
  },
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
  help: {
    purpose:
      'Moves an article to another category; an empty category removes it from its category. ' +
      'It deletes nothing.',
    answer: 'The key of the article.',
    example: '0f8fad5b-d9cb-469f-a165-70867728950e',
    required: ['token', 'guid'],
    errors: {
      MissingParameter: 'There is no key.',
      InvalidParameter: 'The category is no key.',
      NotFound: 'There is no such article for this caller, or it is in the trash.',
      Forbidden: 'A moderator removed it.',
    },
  },
  input: {
    token: tokenFor('articles'),
    guid: text('Key of the article.', SAMPLE_GUID),
    cateId: text('The new category; empty for none.', 'jobs'),
  },
  result: string,
});
