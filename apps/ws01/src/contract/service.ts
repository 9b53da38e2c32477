import {
  defineService,
  type Handlers,
  type OperationName as NameOf,
  type ParamsOf as ParamsOfService,
} from '@ws01/asmx/contract';
import { addNewAdvert, QueryAdvert } from './adverts.ts';
import {
  DeleteArticleByGuid,
  InsertArticle,
  UpdateArticleCategory,
  UpdateOrInsertArticleById,
  UpdatePinnedTopDueDateByGuid,
} from './articles.ts';
import { countIpPosted, countUserPosted } from './counts.ts';
import { DeleImgById, InsertArticleImageFile, QueryImgData } from './images.ts';
import { UrltoShortUrl } from './links.ts';
import { queryEmailsent, SendEmail } from './mail.ts';
import type { Ws01Operation } from './parameters.ts';
import { CreateVerifyCode, VerifyCodeForPhone } from './phone.ts';
import { submitReview } from './reviews.ts';
import { updateUserCellphone, updateUserInfo } from './users.ts';

/** The whole contract: the 20 operations in the order of contract 4. */
export const WS01 = defineService({
  name: 'WS01',
  documentation: 'Articles, adverts, images, users, phone verification, e-mail, short links, counts and reviews.',
  operations: [
    InsertArticle,
    addNewAdvert,
    updateUserInfo,
    UpdateOrInsertArticleById,
    InsertArticleImageFile,
    QueryImgData,
    SendEmail,
    UpdatePinnedTopDueDateByGuid,
    QueryAdvert,
    VerifyCodeForPhone,
    UrltoShortUrl,
    countUserPosted,
    submitReview,
    updateUserCellphone,
    DeleteArticleByGuid,
    countIpPosted,
    DeleImgById,
    UpdateArticleCategory,
    queryEmailsent,
    CreateVerifyCode,
  ],
} satisfies { name: string; documentation: string; operations: readonly Ws01Operation[] });

export type Ws01 = typeof WS01;
export type OperationName = NameOf<Ws01>;

/** The parameters that a handler gets. `Binary` is the type of an uploaded file, which the engine may stream. */
export type ParamsOf<Name extends OperationName, Binary = Uint8Array> = ParamsOfService<Ws01, Name, Binary>;
export type OperationHandlers<Context, Binary = Uint8Array> = Handlers<Ws01, Context, Binary>;
