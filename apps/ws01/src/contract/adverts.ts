import { boolean, int, operation, string } from '@ws01/asmx/contract';
import { HELP } from './help.ts';
import { LENGTHS, line, SAMPLE_GUID, SAMPLE_USER, text, tokenFor } from './parameters.ts';

/** Operation 2. */
export const addNewAdvert = operation({
  summary: 'Publish a new advertisement',
  help: HELP.addNewAdvert,
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
  help: HELP.QueryAdvert,
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
