import type { Operation } from '@ws01/asmx/contract';

type Help = NonNullable<Operation['help']>;

/**
 * Documentation of each operation for callers. The help pages show all of it; OpenAPI has the purpose. The WSDL keeps the
 * wording of the contract, since it is the recorded WSDL of the old server to the letter (wire 9); pages and OpenAPI show
 * that beside the purpose.
 */
export const HELP = {
  InsertArticle: {
    purpose:
      'Creates an article, or replaces the whole article with this key. Parameters that are not given become empty; only the pin is kept.',
    answer: 'The key of the article.',
    example: '0f8fad5b-d9cb-469f-a165-70867728950e',
    required: ['token', 'guid'],
    errors: {
      MissingParameter: 'There is no key, or neither caption nor content.',
      InvalidParameter:
        'A text is too long or of several lines where one is allowed; a date or number cannot be read.',
      Forbidden: 'It is another user’s article, or a moderator removed it.',
      AlreadyExists: 'The key is in use with another owner.',
      RateLimited: 'A user token has created its articles for the day.',
    },
  },
  UpdateOrInsertArticleById: {
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
  UpdatePinnedTopDueDateByGuid: {
    purpose:
      'Pins an article to the top until an instant; without an instant, or with a past one, unpins it.',
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
  UpdateArticleCategory: {
    purpose:
      'Moves an article to another category; an empty category removes it from its category. It deletes nothing.',
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
  DeleteArticleByGuid: {
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
  addNewAdvert: {
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
  QueryAdvert: {
    purpose: 'Lists the adverts of one publisher, as JSON. Needs no credential.',
    answer: 'A page of adverts: the items, the page index, and the total number.',
    example:
      '{"items":[{"guid":"7b1c5c52-9e0b-4d0a-8c53-0b5d3c2f9a11","createUserId":"u-1001","title":"Summer sale","detail":"Everything must go.","linkTxt":"Read more","linkUrl":"https://example.com/sale","showDeadLine":"2030-01-31T23:59:59.999Z","isCurrent":true,"postAtCategoryGuid":"housing","isImage":false,"imgGuid":null,"imageUrl":null,"createdAt":"2026-11-21T09:30:00.000Z","owner":"u-1001","updatedAt":"2026-11-21T09:30:00.000Z"}],"pageIndex":1,"pageSize":20,"total":1,"totalPages":1,"warnings":[]}',
    required: ['userId'],
    errors: {
      MissingParameter: 'There is no userId.',
      InvalidParameter: 'A number, an order or a text cannot be read.',
      RateLimited: 'Too many queries came from this address.',
    },
  },
  InsertArticleImageFile: {
    purpose: 'Stores a picture and serves it. Repeating the call changes nothing.',
    answer:
      'true; or false for a file that is not a supported picture: then the header X-Error-Code says why.',
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
  QueryImgData: {
    purpose: 'Lists images, as JSON. Needs no credential.',
    answer: 'A page of images with their URLs, and the total number.',
    example:
      '{"items":[{"fileGuid":"7b1c5c52-9e0b-4d0a-8c53-0b5d3c2f9a12","linkGuid":"flat-1","category":"photos","isIcon":true,"url":"http://localhost:8080/media/f3232e4ea9ac56b9d284e8db38c72bc2ff0ed4e9a1f8c352fcaa9a270346e8b1.png","iconUrl":"http://localhost:8080/media/f3232e4ea9ac56b9d284e8db38c72bc2ff0ed4e9a1f8c352fcaa9a270346e8b1-icon.png","contentType":"image/png","width":640,"height":480,"bytes":48213,"createdAt":"2026-11-21T09:30:00.000Z","owner":"u-1001","updatedAt":"2026-11-21T09:30:00.000Z"}],"pageIndex":1,"pageSize":20,"total":1,"totalPages":1,"warnings":[]}',
    required: [],
    errors: {
      InvalidParameter: 'A number, an order or a text cannot be read.',
      RateLimited: 'Too many queries came from this address.',
    },
  },
  DeleImgById: {
    purpose: 'Deletes an image and its file permanently.',
    answer: 'The key of the image.',
    example: '7b1c5c52-9e0b-4d0a-8c53-0b5d3c2f9a12',
    required: ['verifyCode', 'FileGuid'],
    errors: {
      MissingParameter: 'There is no key.',
      NotFound: 'There is no such image for this caller, or it belongs to another record.',
    },
  },
  updateUserInfo: {
    purpose:
      'Changes the name and address of a user: empty fields are cleared, absent fields are kept.',
    answer: 'The id of the user.',
    example: 'u-1001',
    required: ['tokenId', 'userId'],
    errors: {
      MissingParameter: 'There is no userId.',
      InvalidParameter: 'A text is too long or of several lines.',
      Forbidden: 'A user token names another user.',
      NotFound: 'There is no such user.',
    },
  },
  updateUserCellphone: {
    purpose:
      'Changes the phone number of a user; an empty one removes it. A new number counts as not verified.',
    answer: 'The id of the user.',
    example: 'u-1001',
    required: ['tokenId', 'userId', 'cellPhone'],
    errors: {
      MissingParameter: 'There is no userId, or cellPhone is absent.',
      InvalidParameter: 'It is not a possible phone number.',
      Forbidden: 'A user token names another user.',
      NotFound: 'There is no such user.',
    },
  },
  CreateVerifyCode: {
    purpose:
      'Creates a six-digit code for a user and a phone number, and sends it as a text message. It is valid for 3 minutes; a new code replaces it.',
    answer: 'The id of the verification; without an SMS gateway, the code itself.',
    example: '012345',
    required: ['tokenId', 'cellphone'],
    errors: {
      MissingParameter: 'There is no cellphone.',
      InvalidParameter: 'It is not a possible phone number.',
      Forbidden:
        'A user token names another user, or asks for a code where there is no SMS gateway.',
      DestinationBlocked: 'No text messages are sent to the country of the number.',
      RateLimited: 'The number’s budget is used up; Retry-After says for how long.',
      SmsUnavailable: 'No text message can be sent now; nothing was done.',
    },
  },
  VerifyCodeForPhone: {
    purpose: 'Checks a code. Each code allows five attempts.',
    answer:
      'Empty for the right code. Otherwise the reason, with status 200: CodeWrong, CodeExpired, CodeNotFound or TooManyAttempts.',
    example: 'CodeWrong: this is not the code that was made last; 4 attempts left',
    required: ['tokenId', 'cellphone'],
    errors: {
      MissingParameter: 'There is no cellphone.',
      InvalidParameter: 'A key or phone number cannot be read.',
      Forbidden: 'A user token names another user.',
    },
    refusals: ['CodeWrong', 'CodeExpired', 'CodeNotFound', 'TooManyAttempts'],
  },
  SendEmail: {
    purpose:
      'Sends one mail to one recipient, for the registered user of the credential. It is retried for 24 hours; queryEmailsent shows its state.',
    answer: 'The id of the mail.',
    example: '019a9f3e-5d5e-7c1a-9a43-0242ac120002',
    required: ['authorizationUserId', 'receiverEmail'],
    errors: {
      MissingParameter: 'There is no address, or neither subject nor body.',
      InvalidParameter: 'The address cannot be read, or a text is too long.',
      NotRegistered: 'The sender is not registered: ws01 user add.',
      MassMailNotAllowed: 'There is more than one recipient, or the same text went to too many.',
      RateLimited: 'The sender’s or the recipient’s budget is used up.',
      MailUnavailable: 'No mail can be taken now; nothing was done.',
    },
  },
  queryEmailsent: {
    purpose:
      'Lists the mails of the credential’s sender with their states, newest first, at most 200.',
    answer: 'A list of mails as JSON.',
    example:
      '{"items":[{"id":"019a9f3e-5d5e-7c1a-9a43-0242ac120002","receiverEmail":"grace@example.com","receiverName":"Grace Hopper","subject":"Your advert","status":"sent","attempts":1,"createdAt":"2026-11-21T09:30:00.000Z","nextAttemptAt":null,"finishedAt":"2026-11-21T09:30:02.000Z","lastReply":"250 2.0.0 Ok: queued"}],"truncated":false}',
    required: ['authorizationUserId'],
    errors: {
      InvalidParameter: 'The address cannot be read.',
      NotRegistered: 'The sender is not registered.',
    },
  },
  UrltoShortUrl: {
    purpose: 'Creates a short link. The same URL of the same user gets the same link.',
    answer: 'The short link.',
    example: 'http://localhost:8080/s/Bh2dFgR',
    required: ['_orgUrl'],
    errors: {
      MissingParameter: 'There is no _orgUrl.',
      InvalidParameter: 'It is no http or https address, or a deadline has passed.',
      DestinationBlocked:
        'The URL contains a user name, is a short link itself, or is private and that is not allowed.',
      RateLimited: 'Too many new links came from this address.',
    },
  },
  countUserPosted: {
    purpose: 'Counts the records that a user has created.',
    answer: 'The number.',
    example: '3',
    required: ['tokenId', 'userId'],
    errors: {
      MissingParameter: 'There is no userId.',
      InvalidParameter: 'lastFewDays is no number from 0 to 3650, or level is not known.',
      Forbidden: 'A user token names another user.',
    },
  },
  countIpPosted: {
    purpose: 'Counts the records created from an IP address; an IPv6 address counts its /64.',
    answer: 'The number.',
    example: '3',
    required: ['tokenId'],
    errors: {
      InvalidParameter: 'lastFewDays is no number from 0 to 3650, or level is not known.',
    },
  },
  submitReview: {
    purpose:
      'Votes for or against a record, rates it, or remarks on it. Each voter has one review per record: a later call replaces it.',
    answer: 'The totals of all reviews, and this voter’s own review, as JSON.',
    example:
      '{"id":"0f8fad5b-d9cb-469f-a165-70867728950e","positive":1,"negative":0,"score":0.206549,"averageMark":5,"marks":1,"yours":{"isPositive":true,"mark":5}}',
    required: ['id'],
    errors: {
      MissingParameter: 'There is no id, or neither IsPositive nor Mark.',
      InvalidParameter: 'IsPositive is none of the words, or Mark is outside the scale.',
      Forbidden: 'The record belongs to the voter, or REVIEWS_FROM refuses the caller.',
      RateLimited: 'Too many reviews came from this address.',
    },
  },
} as const satisfies Readonly<Record<string, Help>>;
