import {
  type OperationName,
  type ParamsOf,
  WS01,
} from '../../../apps/ws01/src/contract/service.ts';
import { ITEM, SERIAL, TURN } from '../load/outgoing-request.ts';
import { TOKEN } from '../sides/service.ts';

/** What is called, and what that does to the database that `seed.ts` has filled. */
export interface Call<Name extends OperationName = OperationName> {
  readonly params: { readonly [Param in keyof ParamsOf<Name>]: string };
  readonly does: string;
}

/** A PNG of 8×8 pixels. */
const IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGM4YWODFTEMLQkAZZlQAVIPr1MAAAAASUVORK5CYII=';

/** What the seed has `ITEMS` of. */
export const USER = `user-${ITEM}`;
export const ARTICLE = `article-${ITEM}`;
export const DISCARDED_ARTICLE = `discarded-${ITEM}`;
/** What it has one of. */
export const GALLERY = 'gallery';
export const DISCARDED_IMAGE = 'discarded';
export const PUBLISHER = 'publisher';
export const RECEIVER = 'grace@example.com';
export const REVIEWER_ADDRESS = '198.51.100.7';

/** Who makes what is new, so that nothing that is counted or listed grows meanwhile. */
const AUTHOR = `author-${ITEM}`;
const ADDRESS = '203.0.113.7';

const article = {
  caption: 'Flat to let, two rooms',
  content: 'Bright and quiet, near the park. '.repeat(6),
  contactPhone: '+1 212 555 0100',
};

/** A representative call of every operation. */
export const CALLS: { readonly [Name in OperationName]: Call<Name> } = {
  InsertArticle: {
    does: 'a new article of 200 characters',
    params: {
      token: TOKEN,
      guid: `article-${SERIAL}`,
      ...article,
      categoryGuid: 'housing',
      pinnedTopDueDate: '0001-01-01T00:00:00',
      CreateUserId: AUTHOR,
      IconGuid: '',
      Status: '0',
      fromUrl: '',
    },
  },
  addNewAdvert: {
    does: 'a new advert',
    params: {
      tokenId: TOKEN,
      guid: `advert-${SERIAL}`,
      CreateUserId: AUTHOR,
      title: 'Summer sale',
      detail: 'Everything must go. '.repeat(10),
      linkTxt: 'Read more',
      linkUrl: 'https://example.com/sale',
      showDeadLine: '2030-01-31',
      postAtCategoryGuid: 'housing',
      isImage: 'false',
      imgGuid: '',
    },
  },
  updateUserInfo: {
    does: 'another first name for one of the users',
    params: {
      tokenId: TOKEN,
      userId: USER,
      firstName: `Ada ${SERIAL}`,
      lastName: 'Lovelace',
      zipCode: '10001',
      state: 'NY',
      city: 'New York',
      address: '1 Main Street',
      address2: '',
    },
  },
  UpdateOrInsertArticleById: {
    does: 'another caption for one of the articles, with a revision',
    params: {
      token: TOKEN,
      Id: ARTICLE,
      ...article,
      caption: `Flat ${SERIAL}`,
      nodeId: 'housing',
      ip: ADDRESS,
    },
  },
  InsertArticleImageFile: {
    does: 'a new image of bytes that are there',
    params: {
      verifyCode: TOKEN,
      FileGuid: `image-${SERIAL}`,
      FileImg: IMAGE,
      Link_Guid: '',
      category: 'photos',
      IsIcons: 'false',
      ip: ADDRESS,
    },
  },
  QueryImgData: {
    does: 'the 20 images of a record',
    params: {
      query: '',
      linkGuid: GALLERY,
      ImgIcon: 'false',
      pageindex: '1',
      pagesize: '20',
      nodeId: '',
      orderBy: 'created',
      ip: '',
    },
  },
  SendEmail: {
    does: 'a new mail, queued',
    params: {
      authorizationUserId: TOKEN,
      receiverName: 'Alan Turing',
      receiverEmail: 'alan@example.com',
      subject: `Your advert ${SERIAL}`,
      body: 'Somebody answered your advert.',
    },
  },
  UpdatePinnedTopDueDateByGuid: {
    does: 'another date for one of the articles',
    params: { token: TOKEN, guid: ARTICLE, pinnedTopDueDate: `2030-01-31T00:00:00.${TURN}Z` },
  },
  QueryAdvert: {
    does: 'the first 20 of 40 adverts of a publisher',
    params: {
      userId: PUBLISHER,
      query: '',
      pagesize: '20',
      pageindex: '1',
      orderBy: 'created',
      sort: 'desc',
    },
  },
  VerifyCodeForPhone: {
    does: 'a code where none is awaited',
    params: { tokenId: TOKEN, userId: USER, VerifyCode: '012345', cellphone: `+12125${ITEM}` },
  },
  UrltoShortUrl: {
    does: 'a new link',
    params: {
      _userId: USER,
      _userEmail: 'ada@example.com',
      _deadline: '0001-01-01T00:00:00',
      _orgUrl: `https://example.com/flats/${SERIAL}`,
    },
  },
  countUserPosted: {
    does: 'the posts of one of the users, 7 days',
    params: { tokenId: TOKEN, userId: USER, lastFewDays: '7', level: 'all' },
  },
  submitReview: {
    does: 'a new review of one of the articles',
    params: {
      id: ARTICLE,
      IsPositive: 'true',
      Mark: '5',
      ip: ADDRESS,
      userId: `reviewer-${SERIAL}`,
    },
  },
  updateUserCellphone: {
    does: 'another number for one of the users',
    params: { tokenId: TOKEN, userId: USER, cellPhone: `+12125550${TURN}` },
  },
  DeleteArticleByGuid: {
    does: 'an article that is in the trash, after the first time',
    params: { token: TOKEN, createuserid: '', guid: DISCARDED_ARTICLE },
  },
  countIpPosted: {
    does: 'the posts of an address, 7 days',
    params: { tokenId: TOKEN, IP: REVIEWER_ADDRESS, lastFewDays: '7', level: 'all' },
  },
  DeleImgById: {
    does: 'an image that is deleted',
    params: { verifyCode: TOKEN, FileGuid: DISCARDED_IMAGE, Link_Guid: '', ip: '' },
  },
  UpdateArticleCategory: {
    does: 'another category for one of the articles',
    params: { token: TOKEN, guid: ARTICLE, cateId: `category-${TURN}` },
  },
  queryEmailsent: {
    does: 'the 5 mails to an address',
    params: { authorizationUserId: TOKEN, receiverEmail: RECEIVER },
  },
  CreateVerifyCode: {
    does: 'a new code for one of the users',
    params: { tokenId: TOKEN, userId: USER, cellphone: `+12126${ITEM}` },
  },
};

/** In the order of the contract. */
export const OPERATIONS = WS01.operations.map(({ name }) => name as OperationName);
