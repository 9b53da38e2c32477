import { boolean, int, operation, string } from '@ws01/asmx/contract';
import { LENGTHS, line, SAMPLE_GUID, SAMPLE_USER, text, tokenFor } from './parameters.ts';

/** Operation 2. */
export const addNewAdvert = operation({
  summary: 'Publish a new advertisement',
  help: {
    purpose:
      'Publishes an advert. Repeating the call changes nothing; without a key the server creates one.',
    answer: 'The key of the advert.',
    example: '7b1c5c52-9e0b-4d0a-8c53-0b5d3c2f9a11',
    required: ['tokenId', 'CreateUserId', 'title'],
    errors: {
      MissingParameter: 'There is no title, or an image advert has no imgGuid.',
      InvalidParameter:
        'A value cannot be read or is too long; linkUrl is no http or https address.',
      Forbidden: 'A user token names another user.',
      AlreadyExists: 'The key is in use with another publisher or other content.',
      RateLimited: 'A user token has created its adverts for the day.',
    },
  },
  input: {
    tokenId: tokenFor('adverts'),
    guid: text('Key of the advert; empty lets the server make one.', SAMPLE_GUID),
    CreateUserId: text('The publisher.', SAMPLE_USER),
    title: line('Headline.', 'Summer sale', LENGTHS.caption),
    detail: text('Text of the advert.', 'Everything must go.', LENGTHS.detail),
    linkTxt: line('Text of the link.', 'Read more', LENGTHS.linkText),
    linkUrl: line(
      'Target of the link, http or https; without a scheme it gets http://; may be empty.',
      'https://example.com/sale',
      LENGTHS.url,
    ),
    showDeadLine: text('Shown as current until then; empty for always.', '2030-01-31'),
    postAtCategoryGuid: text('Category where it is shown; empty for none.', 'housing'),
    isImage: boolean
      .describe('Whether it is an image advert; then imgGuid is required.')
      .sample('false'),
    imgGuid: text('Key of its image; need not exist yet.', ''),
  },
  result: string,
});

/** Operation 9. */
export const QueryAdvert = operation({
  summary: 'Query the adverts a user published',
  help: {
    purpose: 'Lists the adverts of one publisher, as JSON. Needs no credential.',
    answer: 'A page of adverts: the items, the page index, and the total number.',
    example: JSON.stringify({
      items: [
        {
          guid: '7b1c5c52-9e0b-4d0a-8c53-0b5d3c2f9a11',
          createUserId: 'u-1001',
          title: 'Summer sale',
          detail: 'Everything must go.',
          linkTxt: 'Read more',
          linkUrl: 'https://example.com/sale',
          showDeadLine: '2030-01-31T23:59:59.999Z',
          isCurrent: true,
          postAtCategoryGuid: 'housing',
          isImage: false,
          imgGuid: null,
          imageUrl: null,
          createdAt: '2026-11-21T09:30:00.000Z',
          owner: 'u-1001',
          updatedAt: '2026-11-21T09:30:00.000Z',
        },
      ],
      pageIndex: 1,
      pageSize: 20,
      total: 1,
      totalPages: 1,
      warnings: [],
    }),
    required: ['userId'],
    errors: {
      MissingParameter: 'There is no userId.',
      InvalidParameter: 'A number, an order or a text cannot be read.',
      RateLimited: 'Too many queries came from this address.',
    },
  },
  readOnly: true,
  input: {
    userId: text('The publisher.', SAMPLE_USER),
    query: line('Text to find in title, detail and link text; empty for all.', '', LENGTHS.query),
    pagesize: int.describe('Adverts a page, 1 to 100; 20 when 0.').sample('20'),
    pageindex: int.describe('Page, the first is 1.').sample('1'),
    orderBy: text('created, title, deadline or category.', 'created'),
    sort: text('asc or desc.', 'desc'),
  },
  result: string,
});
