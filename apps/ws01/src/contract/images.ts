import { base64Binary, boolean, operation, string } from '@ws01/asmx/contract';
import { HELP } from './help.ts';
import { LENGTHS, line, SAMPLE_GUID, text, tokenFor } from './parameters.ts';

/** Operation 5. */
export const InsertArticleImageFile = operation({
  summary: 'Save a file to the remote server',
  help: HELP.InsertArticleImageFile,
  input: {
    verifyCode: tokenFor('images'),
    FileGuid: text('Key of the image.', SAMPLE_GUID),
    FileImg: base64Binary
      .describe('The file: JPEG, PNG, GIF, WebP, AVIF or HEIC.')
      .sample('iVBORw0KGgo='),
    Link_Guid: text('Key of the record the image belongs to; may be empty.', SAMPLE_GUID),
    category: line('Free text.', 'photos', LENGTHS.category),
    IsIcons: boolean.describe('Whether it is the icon of that record.').sample('false'),
    ip: text(
      'Address of the person who uploads; empty for the address of the caller.',
      '203.0.113.7',
    ),
  },
  result: boolean,
});

/** Operation 6. */
export const QueryImgData = operation({
  summary: 'Show all image data',
  help: HELP.QueryImgData,
  readOnly: true,
  input: {
    query: line(
      'Text to find in category, key and linked caption; empty for all.',
      '',
      LENGTHS.query,
    ),
    linkGuid: text('Only images of this record; empty for all.', ''),
    ImgIcon: boolean.describe('Only icons.').sample('false'),
    pageindex: text('Page, the first is 1.', '1'),
    pagesize: text('Images a page, 1 to 100; 20 when empty.', '20'),
    nodeId: text('Only images of this category; empty for all.', ''),
    orderBy: text('created, created asc, size or category.', 'created'),
    ip: text('Address of the person who searches.', ''),
  },
  result: string,
});

/** Operation 17. */
export const DeleImgById = operation({
  summary: 'Modify image data (description says Id is required)',
  help: HELP.DeleImgById,
  destructive: true,
  input: {
    verifyCode: tokenFor('images'),
    FileGuid: text('Key of the image to delete.', SAMPLE_GUID),
    Link_Guid: text('Key of the record it belongs to; must match when given.', ''),
    ip: text('Address of the person who deletes.', ''),
  },
  result: string,
});
