import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SCOPES } from '../../src/contract/parameters.ts';
import {
  GUARDED,
  type OperationHandlers,
  type ParamsOf,
  WS01,
} from '../../src/contract/service.ts';

/** Contract section 4, word for word: name, parameters with types in order, result. */
const TABLE = `
InsertArticle | token: string; guid: string; caption: string; content: string; categoryGuid: string; contactPhone: string; pinnedTopDueDate: dateTime; CreateUserId: string; IconGuid: string; Status: int; fromUrl: string | string
addNewAdvert | tokenId: string; guid: string; CreateUserId: string; title: string; detail: string; linkTxt: string; linkUrl: string; showDeadLine: string; postAtCategoryGuid: string; isImage: boolean; imgGuid: string | string
updateUserInfo | tokenId: string; userId: string; firstName: string; lastName: string; zipCode: string; state: string; city: string; address: string; address2: string | string
UpdateOrInsertArticleById | token: string; Id: string; caption: string; content: string; nodeId: string; contactPhone: string; ip: string | string
InsertArticleImageFile | verifyCode: string; FileGuid: string; FileImg: base64Binary; Link_Guid: string; category: string; IsIcons: boolean; ip: string | boolean
QueryImgData | query: string; linkGuid: string; ImgIcon: boolean; pageindex: string; pagesize: string; nodeId: string; orderBy: string; ip: string | string
SendEmail | authorizationUserId: string; receiverName: string; receiverEmail: string; subject: string; body: string | string
UpdatePinnedTopDueDateByGuid | token: string; guid: string; pinnedTopDueDate: dateTime | string
QueryAdvert | userId: string; query: string; pagesize: int; pageindex: int; orderBy: string; sort: string | string
VerifyCodeForPhone | tokenId: string; userId: string; VerifyCode: string; cellphone: string | string
UrltoShortUrl | _userId: string; _userEmail: string; _deadline: dateTime; _orgUrl: string | string
countUserPosted | tokenId: string; userId: string; lastFewDays: string; level: string | string
submitReview | id: string; IsPositive: string; Mark: string; ip: string; userId: string | string
updateUserCellphone | tokenId: string; userId: string; cellPhone: string | string
DeleteArticleByGuid | token: string; createuserid: string; guid: string | string
countIpPosted | tokenId: string; IP: string; lastFewDays: string; level: string | string
DeleImgById | verifyCode: string; FileGuid: string; Link_Guid: string; ip: string | string
UpdateArticleCategory | token: string; guid: string; cateId: string | string
queryEmailsent | authorizationUserId: string; receiverEmail: string | string
CreateVerifyCode | tokenId: string; userId: string; cellphone: string | string
`;

describe('the contract', () => {
  it('has the 20 operations of section 4: names, parameters, types and results, in order', () => {
    const rows = WS01.operations.map(
      ({ name, parameters, result }) =>
        `${name} | ${parameters.map((parameter) => `${parameter.name}: ${parameter.type}`).join('; ')} | ${result}`,
    );
    assert.deepEqual(rows, TABLE.trim().split('\n'));
  });

  it('names each operation’s credential parameter, and marks it secret', () => {
    const open: string[] = [];
    for (const operation of WS01.operations) {
      const { access } = GUARDED.get(operation.name)!;
      if (access === undefined) {
        open.push(operation.name);
        continue;
      }
      const { credential, scope } = access;
      assert.ok(SCOPES.includes(scope), operation.name);
      const parameter = operation.parameters.find(({ name }) => name === credential);
      assert.ok(parameter?.secret, operation.name);
    }
    assert.deepEqual(open, ['QueryImgData', 'QueryAdvert', 'UrltoShortUrl', 'submitReview']);
  });

  it('says what each Status is shown as', () => {
    const status = WS01.operations[0]!.parameters.find(({ name }) => name === 'Status');
    assert.match(status?.documentation ?? '', /0 published, 1 draft, 2 pending, 3 hidden/);
  });

  it('documents every parameter', () => {
    for (const operation of WS01.operations) {
      for (const parameter of operation.parameters) {
        assert.match(parameter.documentation, /\.$/, `${operation.name}.${parameter.name}`);
      }
    }
  });
});

describe('the types computed from the contract', () => {
  const all = {} as OperationHandlers<unknown>;

  it('give each parameter the value of its XSD type', () => {
    const params = {} as ParamsOf<'InsertArticle'>;
    const checked: {
      caption?: string | undefined;
      pinnedTopDueDate?: number | undefined;
      Status: number;
    } = params;
    const file: Uint8Array | undefined = ({} as ParamsOf<'InsertArticleImageFile'>).FileImg;
    assert.deepEqual([checked, file], [{}, undefined]);
  });

  it('refuse a missing operation', () => {
    const { InsertArticle: _, ...rest } = all;
    // @ts-expect-error InsertArticle is missing
    const handlers: OperationHandlers<unknown> = rest;
    assert.ok(handlers);
  });

  it('refuse a misspelt parameter', () => {
    const handlers: OperationHandlers<unknown> = {
      ...all,
      // @ts-expect-error it is called createuserid in this operation
      DeleteArticleByGuid: (params) => params.CreateUserId ?? '',
    };
    assert.ok(handlers);
  });

  it('refuse a misspelt operation', () => {
    const handlers: OperationHandlers<unknown> = {
      ...all,
      // @ts-expect-error the contract spells it addNewAdvert
      AddNewAdvert: () => '',
    };
    assert.ok(handlers);
  });

  it('refuse a wrong result type', () => {
    const handlers: OperationHandlers<unknown> = {
      ...all,
      // @ts-expect-error countUserPosted answers text
      countUserPosted: () => 3,
      // @ts-expect-error InsertArticleImageFile answers a boolean
      InsertArticleImageFile: () => 'true',
    };
    assert.ok(handlers);
  });
});
