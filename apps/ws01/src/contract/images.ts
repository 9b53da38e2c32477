import { HELP } from './help.ts';
import { credential, LENGTHS, line, SAMPLE_GUID, text, typed } from './parameters.ts';

/** Operation 5. */
export const InsertArticleImageFile = {
  name: 'InsertArticleImageFile',
  documentation: 'Save a file to the remote server',
  help: HELP.InsertArticleImageFile,
  access: { credential: 'verifyCode', scope: 'images' },
  writes: true,
  parameters: [
    credential('verifyCode', 'images'),
    text('FileGuid', 'Key of the image.', SAMPLE_GUID),
    typed(
      'FileImg',
      'base64Binary',
      'The file: JPEG, PNG, GIF, WebP, AVIF or HEIC.',
      'iVBORw0KGgo=',
    ),
    text('Link_Guid', 'Key of the record the image belongs to; may be empty.', SAMPLE_GUID),
    line('category', 'Free text.', 'photos', LENGTHS.category),
    typed('IsIcons', 'boolean', 'Whether it is the icon of that record.', 'false'),
    text(
      'ip',
      'Address of the person who uploads; empty for the address of the caller.',
      '203.0.113.7',
    ),
  ],
  result: 'boolean',
} as const;

/** Operation 6. */
export const QueryImgData = {
  name: 'QueryImgData',
  documentation: 'Show all image data',
  help: HELP.QueryImgData,
  access: undefined,
  writes: false,
  parameters: [
    line(
      'query',
      'Text to find in category, key and linked caption; empty for all.',
      '',
      LENGTHS.query,
    ),
    text('linkGuid', 'Only images of this record; empty for all.', ''),
    typed('ImgIcon', 'boolean', 'Only icons.', 'false'),
    text('pageindex', 'Page, the first is 1.', '1'),
    text('pagesize', 'Images a page, 1 to 100; 20 when empty.', '20'),
    text('nodeId', 'Only images of this category; empty for all.', ''),
    text('orderBy', 'created, created asc, size or category.', 'created'),
    text('ip', 'Address of the person who searches.', ''),
  ],
  result: 'string',
} as const;

/** Operation 17. */
export const DeleImgById = {
  name: 'DeleImgById',
  documentation: 'Modify image data (description says Id is required)',
  help: HELP.DeleImgById,
  access: { credential: 'verifyCode', scope: 'images' },
  writes: true,
  parameters: [
    credential('verifyCode', 'images'),
    text('FileGuid', 'Key of the image to delete.', SAMPLE_GUID),
    text('Link_Guid', 'Key of the record it belongs to; must match when given.', ''),
    text('ip', 'Address of the person who deletes.', ''),
  ],
  result: 'string',
} as const;
