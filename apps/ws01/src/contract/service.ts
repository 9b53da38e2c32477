import {
  credentialOf,
  type InputOf,
  type Operation,
  service,
  type TypedService,
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
import type { Scope } from './parameters.ts';
import { CreateVerifyCode, VerifyCodeForPhone } from './phone.ts';
import { submitReview } from './reviews.ts';
import { updateUserCellphone, updateUserInfo } from './users.ts';

/**
 * The whole contract: the 20 operations in the order of contract 4. Its namespace is
 * `SOAP_NAMESPACE`. The WSDL keeps the wording of `summary`, since it is the recorded WSDL of the
 * old server to the letter (wire 9); pages and OpenAPI show that beside the purpose.
 */
export const WS01 = service('WS01', {
  summary:
    'Articles, adverts, images, users, phone verification, e-mail, short links, counts and reviews.',
  operations: {
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
  },
});

export type Ws01Operations =
  typeof WS01 extends TypedService<infer Operations> ? Operations : never;
export type OperationName = keyof Ws01Operations;

/** The parameters that a handler gets. `File` is an uploaded file, which is read as it arrives. */
export type ParamsOf<Name extends OperationName, File = Uint8Array> = InputOf<
  Ws01Operations[Name],
  File
>;

/**
 * Every operation's implementation, as the engine calls it. `Caller` is what `authorize` returns.
 */
export type OperationHandlers<Caller, File = Uint8Array> = {
  readonly [Name in OperationName]: (
    params: ParamsOf<Name, File>,
    call: { readonly caller: Caller },
  ) => ResultOf<Name> | Promise<ResultOf<Name>>;
};
/** Each of them answers something. */
type ResultOf<Name extends OperationName> = Ws01Operations[Name] extends {
  readonly result: infer Result;
}
  ? NonNullable<Result>
  : never;

/** What an operation asks of its caller. */
export interface Guarded {
  readonly name: string;
  /**
   * The parameter with the credential, and the scope that it must have; `undefined` where everybody
   * may call.
   */
  readonly access: { readonly credential: string; readonly scope: Scope } | undefined;
}

/** What each operation asks of its caller, by its name. */
export const GUARDED: ReadonlyMap<string, Guarded> = new Map(
  WS01.operations.map((operation) => [operation.name, guardedOf(operation)]),
);

/** The parameter of each operation that names the record it is about, and the kind of that. */
const NAMING: Partial<Record<OperationName, readonly [kind: string, parameter: string]>> = {
  InsertArticle: ['article', 'guid'],
  UpdateOrInsertArticleById: ['article', 'Id'],
  UpdatePinnedTopDueDateByGuid: ['article', 'guid'],
  DeleteArticleByGuid: ['article', 'guid'],
  UpdateArticleCategory: ['article', 'guid'],
  addNewAdvert: ['advert', 'guid'],
  InsertArticleImageFile: ['image', 'FileGuid'],
  DeleImgById: ['image', 'FileGuid'],
  updateUserInfo: ['user', 'userId'],
  updateUserCellphone: ['user', 'userId'],
  CreateVerifyCode: ['user', 'userId'],
  VerifyCodeForPhone: ['user', 'userId'],
  QueryAdvert: ['user', 'userId'],
  countUserPosted: ['user', 'userId'],
  UrltoShortUrl: ['user', '_userId'],
};

/**
 * The kind of record that an operation is about, and the position of the parameter that names it;
 * by operation.
 */
export const NAMED_RECORD: ReadonlyMap<string, { readonly kind: string; readonly index: number }> =
  new Map(
    WS01.operations.flatMap(({ name, parameters }) => {
      const [kind, named] = NAMING[name as OperationName] ?? [];
      const index = parameters.findIndex((parameter) => parameter.name === named);
      return kind === undefined ? [] : [[name, { kind, index }] as const];
    }),
  );

/** The parameter that takes a file, by operation. */
export const FILE_PARAMETER: ReadonlyMap<string, string> = new Map(
  WS01.operations.flatMap(({ name, parameters }) => {
    const file = parameters.find(({ type }) => type === 'base64Binary');
    return file === undefined ? [] : [[name, file.name] as const];
  }),
);

function guardedOf(operation: Operation): Guarded {
  const { name } = operation;
  const parameter = credentialOf(operation);
  const access = parameter && { credential: parameter.name, scope: parameter.scope as Scope };
  return { name, access };
}
