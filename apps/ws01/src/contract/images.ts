import { base64Binary, boolean, operation, string } from '@ws01/asmx/contract';
import { LENGTHS, line, SAMPLE_GUID, text, tokenFor } from './parameters.ts';

const FILE =
  'http://localhost:8080/media/' +
  'f3232e4ea9ac56b9d284e8db38c72bc2ff0ed4e9a1f8c352fcaa9a270346e8b1';

/** Operation 5. */
export const InsertArticleImageFile = operation({
  summary: 'Save a file to the remote server',
  help: {
    purpose: 'Stores a picture and serves it. Repeating the call changes nothing.',
    answer:
      'true; or false for a file that is not a supported picture: then the header ' +
      'X-Error-Code says why.',
    example: 'true',
    required: ['verifyCode', 'FileGuid', 'FileImg'],
    errors: {
      MissingParameter: 'There is no key or no file.',
      InvalidParameter: 'The text is no base64, or a key cannot be read.',
      TooLarge: 'The file is over MAX_IMAGE_BYTES.',
      AlreadyExists: 'The key is in use with another file or owner.',
      NotFound: 'The record that it belongs to is another user’s.',
      RateLimited: 'A user token has uploaded its images for the day.',
    },
    refusals: ['false'],
  },
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
  help: {
    purpose: 'Lists images, as JSON. Needs no credential.',
    answer: 'A page of images with their URLs, and the total number.',
    example: JSON.stringify({
      items: [
        {
          fileGuid: '7b1c5c52-9e0b-4d0a-8c53-0b5d3c2f9a12',
          linkGuid: 'flat-1',
          category: 'photos',
          isIcon: true,
          url: `${FILE}.png`,
          iconUrl: `${FILE}-icon.png`,
          contentType: 'image/png',
          width: 640,
          height: 480,
          bytes: 48213,
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
    required: [],
    errors: {
      InvalidParameter: 'A number, an order or a text cannot be read.',
      RateLimited: 'Too many queries came from this address.',
    },
  },
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
  help: {
    purpose: 'Deletes an image and its file permanently.',
    answer: 'The key of the image.',
    example: '7b1c5c52-9e0b-4d0a-8c53-0b5d3c2f9a12',
    required: ['verifyCode', 'FileGuid'],
    errors: {
      MissingParameter: 'There is no key.',
      NotFound: 'There is no such image for this caller, or it belongs to another record.',
    },
  },
  destructive: true,
  input: {
    verifyCode: tokenFor('images'),
    FileGuid: text('Key of the image to delete.', SAMPLE_GUID),
    Link_Guid: text('Key of the record it belongs to; must match when given.', ''),
    ip: text('Address of the person who deletes.', ''),
  },
  result: string,
});
