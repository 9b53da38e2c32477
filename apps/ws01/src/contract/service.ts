import type { TypedService } from '@ws01/asmx/contract';
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
import type { InputOf, OperationsOf } from './typed.ts';
import { updateUserCellphone, updateUserInfo } from './users.ts';

const CONTRACT = {
  name: 'WS01',
  documentation:
    'Articles, adverts, images, users, phone verification, e-mail, short links, counts and reviews.',
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
} as const satisfies { name: string; documentation: string; operations: readonly Ws01Operation[] };

type Contract = typeof CONTRACT;

/** The contract with the types of its handlers. `Binary` is the type of an uploaded file, which the engine may stream. */
export type Ws01<Binary = Uint8Array> = Contract & TypedService<OperationsOf<Contract, Binary>>;

/** The whole contract: the 20 operations in the order of contract 4. */
export const WS01: Ws01 = CONTRACT;
export type OperationName = Contract['operations'][number]['name'];

/** The parameters that a handler gets. */
export type ParamsOf<Name extends OperationName, Binary = Uint8Array> = InputOf<
  Contract,
  Name,
  Binary
>;

/** Every operation's implementation. `Context` is what the service knows of a call that it has let in. */
export type OperationHandlers<Context, Binary = Uint8Array> = {
  readonly [Name in OperationName]: (
    params: ParamsOf<Name, Binary>,
    context: Context,
  ) => ResultOf<Name> | Promise<ResultOf<Name>>;
};
type ResultOf<Name extends OperationName> = OperationsOf<Contract, unknown>[Name]['result'];
