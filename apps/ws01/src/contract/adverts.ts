import { HELP } from './help.ts';
import { credential, LENGTHS, line, SAMPLE_GUID, SAMPLE_USER, text, typed } from './parameters.ts';

/** Operation 2. */
export const addNewAdvert = {
  name: 'addNewAdvert',
  documentation: 'Publish a new advertisement',
  help: HELP.addNewAdvert,
  access: { credential: 'tokenId', scope: 'adverts' },
  writes: true,
  parameters: [
    credential('tokenId', 'adverts'),
    text('guid', 'Key of the advert; empty lets the server make one.', SAMPLE_GUID),
    text('CreateUserId', 'The publisher.', SAMPLE_USER),
    line('title', 'Headline.', 'Summer sale', LENGTHS.caption),
    text('detail', 'Text of the advert.', 'Everything must go.', LENGTHS.detail),
    line('linkTxt', 'Text of the link.', 'Read more', LENGTHS.linkText),
    line(
      'linkUrl',
      'Target of the link, http or https; without a scheme it gets http://; may be empty.',
      'https://example.com/sale',
      LENGTHS.url,
    ),
    text('showDeadLine', 'Shown as current until then; empty for always.', '2030-01-31'),
    text('postAtCategoryGuid', 'Category where it is shown; empty for none.', 'housing'),
    typed(
      'isImage',
      'boolean',
      'Whether it is an image advert; then imgGuid is required.',
      'false',
    ),
    text('imgGuid', 'Key of its image; need not exist yet.', ''),
  ],
  result: 'string',
} as const;

/** Operation 9. */
export const QueryAdvert = {
  name: 'QueryAdvert',
  documentation: 'Query the adverts a user published',
  help: HELP.QueryAdvert,
  access: undefined,
  writes: false,
  parameters: [
    text('userId', 'The publisher.', SAMPLE_USER),
    line('query', 'Text to find in title, detail and link text; empty for all.', '', LENGTHS.query),
    typed('pagesize', 'int', 'Adverts a page, 1 to 100; 20 when 0.', '20'),
    typed('pageindex', 'int', 'Page, the first is 1.', '1'),
    text('orderBy', 'created, title, deadline or category.', 'created'),
    text('sort', 'asc or desc.', 'desc'),
  ],
  result: 'string',
} as const;
