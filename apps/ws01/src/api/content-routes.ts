import { Ws01Error } from '../contract/errors.ts';
import { say } from '../contract/sentence.ts';
import { assertPicture, titleOf } from '../domain/adverts/content.ts';
import { createAdvert } from '../domain/adverts/create.ts';
import { editAdvert } from '../domain/adverts/edit.ts';
import { EMPTY_CONTENT, type RevisionLimits } from '../domain/articles/content.ts';
import { assertSaysSomething, putArticle } from '../domain/articles/put.ts';
import { reviseArticle } from '../domain/articles/revise.ts';
import type { Budgets } from '../domain/budgets/budgets.ts';
import type { CallContext } from '../domain/context.ts';
import { editLink, type Links } from '../domain/links/links.ts';
import { readTarget, type TargetRules } from '../domain/links/target.ts';
import { newKey, optionalKey } from '../domain/values/keys.ts';
import { optionalHttpUrl } from '../domain/values/web-url.ts';
import { ADVERTS as ADVERT_RECORD, type AdvertRow } from '../records/adverts.ts';
import { ARTICLES as ARTICLE_RECORD, type ArticleRow } from '../records/articles.ts';
import { LINKS as LINK_RECORD } from '../records/links.ts';
import type { AdvertContent, ArticleContent, LinksTable } from '../store/tables/tables.ts';
import { itemOf, type Kind, notFound, readRow } from './kind.ts';
import { itemSchema } from './kind-routes.ts';
import { ADVERTS, ARTICLES, LINKS } from './kinds.ts';
import { bodyOfMembers } from './member-bodies.ts';
import type { ApiCall, Route } from './route.ts';
import { nullable, object, text, type Values } from './schema.ts';
import { type Verb, type VerbDeps, verbRoute } from './verbs.ts';

/** Dependencies of the routes that write what the site shows. */
export interface ContentRouteDeps extends VerbDeps {
  readonly budgets: Budgets;
  readonly revisionLimits: RevisionLimits;
  readonly links: Pick<Links, 'find' | 'shorten' | 'forget'>;
  readonly targets: TargetRules;
  readonly timeZone: string;
}

const ARTICLE = bodyOfMembers<ArticleRow>(ARTICLE_RECORD.members, [
  ...['caption', 'content', 'categoryGuid', 'contactPhone', 'pinnedTopDueDate', 'iconGuid'],
  ...['status', 'fromUrl'],
]);

const ADVERT = bodyOfMembers<AdvertRow>(ADVERT_RECORD.members, [
  ...['title', 'detail', 'linkTxt', 'linkUrl', 'showDeadLine', 'postAtCategoryGuid'],
  ...['isImage', 'imgGuid'],
]);

const { orgUrl, deadline: end } = LINK_RECORD.members;
const LINK = bodyOfMembers({ orgUrl, deadline: end }, ['orgUrl', 'deadline']);

/**
 * Longest body with the text of an article: two million characters, and what is beside them; bytes.
 */
const TEXT_BYTES = 9 * 1024 * 1024;

const NEW_KEY = nullable(text('Its key; one is made where none is given.', { maxLength: 64 }));
const OWNER = nullable(text('The user that it belongs to.', { maxLength: 64 }));

/**
 * Who writes through the API: not bound to a user, and above the rules of ownership, as admins are.
 */
export function contextOf({ principal, address, requestId, reachedAt }: ApiCall): CallContext {
  const who =
    principal.kind === 'token'
      ? { tokenId: principal.id }
      : { tokenId: undefined, admin: principal.name };
  return {
    caller: { kind: 'admin', userId: undefined, ...who },
    ...{ address, requestId, reachedAt },
  };
}

/** Routes to make and edit articles, adverts and short links. */
export function contentRoutes(deps: ContentRouteDeps): readonly Route[] {
  const { clock, timeZone } = deps;
  const reading = { timeZone, now: clock };
  const edit = <Row>(kind: Kind<Row>, role: Verb['role'], body: Verb['body'], act: Verb['act']) => {
    const summary = `Change what the ${kind.title.toLowerCase()} says; what is not given stays`;
    const verb: Verb = { name: 'edit', method: 'patch', summary, role, body: body!, act };
    return verbRoute(kind, verb, deps);
  };
  return [
    articleRoute(deps),
    {
      ...edit(ARTICLES, 'moderator', ARTICLE.schemas, (tx, { key, by, at, body }) => {
        const next = (present: ArticleContent) => ({ ...present, ...ARTICLE.read(body, reading) });
        return reviseArticle(tx, { guid: key, by, at }, { next, action: 'replace' });
      }),
      bodyBytes: TEXT_BYTES,
    },
    advertRoute(deps),
    edit(ADVERTS, 'moderator', ADVERT.schemas, (tx, { key, by, at, body }) =>
      editAdvert(tx, { guid: key, edit: ADVERT.read(body, reading), by, at }),
    ),
    ...linkRoutes(deps),
  ];
}

/** A route that makes a record, and answers it. */
function createRoute<Row>(
  kind: Kind<Row>,
  { store, shown }: ContentRouteDeps,
  {
    schemas,
    required,
    make,
  }: {
    readonly schemas: NonNullable<Verb['body']>;
    readonly required: readonly string[];
    /** @returns its key. */
    readonly make: (call: ApiCall) => Promise<string>;
  },
): Route {
  return {
    method: 'post',
    path: `/${kind.name}`,
    id: `create${kind.title}`,
    tag: kind.name,
    summary: `Make a new ${kind.title.toLowerCase()}`,
    role: 'owner',
    body: object(
      schemas,
      Object.keys(schemas).filter((name) => !required.includes(name)),
    ),
    result: { ...object({ item: itemSchema(kind) }), title: `New${kind.title}` },
    status: 201,
    errors: ['Busy'],
    async run(call) {
      const row = await readRow(store, kind, await make(call));
      return { item: itemOf(kind.fields, row, shown(call), call.principal, true) };
    },
  };
}

const keyIn = (body: Values, name: string) =>
  optionalKey((body[name] as string | null | undefined) ?? undefined, name);

function articleRoute(deps: ContentRouteDeps): Route {
  const { store, clock, timeZone, budgets, revisionLimits } = deps;
  const make = async (call: ApiCall) => {
    const { body, address } = call;
    const guid = keyIn(body, 'guid') ?? newKey();
    const created = { ...EMPTY_CONTENT, ...ARTICLE.read(body, { timeZone, now: clock }) };
    assertSaysSomething(created);
    const put = {
      ...{ context: contextOf(call), guid, keyParameter: 'guid', at: clock() },
      userId: keyIn(body, 'createUserId'),
      origin: { address, claimed: undefined },
      mostly: 'creates' as const,
      created,
      replaced: () => {
        throw inUse(guid);
      },
    };
    await store.write((tx) => putArticle(tx, put, budgets, revisionLimits), { records: [guid] });
    return guid;
  };
  const schemas = { ...ARTICLE.schemas, guid: NEW_KEY, createUserId: OWNER };
  return {
    ...createRoute(ARTICLES, deps, { schemas, required: [], make }),
    bodyBytes: TEXT_BYTES,
  };
}

const inUse = (guid: string) =>
  new Ws01Error('AlreadyExists', say`The key ${{ key: guid }} is in use.`, { parameter: 'guid' });

const NEW_ADVERT: Omit<AdvertContent, 'title'> = {
  ...{ detail: '', link_txt: '', link_url: '', deadline: null },
  ...{ category_key: null, is_image: 0, img_guid: null },
};

function advertRoute(deps: ContentRouteDeps): Route {
  const { store, clock, timeZone, budgets } = deps;
  const make = (call: ApiCall) => {
    const { body } = call;
    const given = ADVERT.read(body, { timeZone, now: clock });
    const content: AdvertContent = {
      ...NEW_ADVERT,
      ...given,
      title: titleOf(given.title),
      link_url: optionalHttpUrl(given.link_url, 'linkUrl') ?? '',
    };
    assertPicture(content);
    const guid = keyIn(body, 'guid');
    const owner = keyIn(body, 'createUserId');
    const asked = { context: contextOf(call), guid, owner, content, at: clock(), budgets };
    return store.write((tx) => createAdvert(tx, asked), {
      records: guid === undefined ? [] : [guid],
    });
  };
  const schemas = { ...ADVERT.schemas, guid: NEW_KEY, createUserId: OWNER };
  return createRoute(ADVERTS, deps, { schemas, required: ['title'], make });
}

function linkRoutes(deps: ContentRouteDeps): readonly Route[] {
  const { clock, timeZone, links, targets } = deps;
  const read = async (call: ApiCall): Promise<Partial<LinksTable>> => {
    const edit = LINK.read(call.body, { timeZone, now: clock });
    if (edit.deadline != null && edit.deadline <= clock())
      throw new Ws01Error('InvalidParameter', 'deadline has passed; give a time to come.', {
        parameter: 'deadline',
      });
    if (edit.target === undefined) return edit;
    return {
      ...edit,
      target: await readTarget(edit.target, 'orgUrl', targets, contextOf(call), links),
    };
  };
  const make = async (call: ApiCall) => {
    const { target, deadline } = await read(call);
    const request = {
      ...{ target: target!, userId: keyIn(call.body, 'userId'), userEmail: undefined },
      deadline: deadline ?? undefined,
    };
    return (await links.shorten(request, contextOf(call))).code;
  };
  const schemas = { ...LINK.schemas, userId: OWNER };
  const edited: Verb = {
    name: 'edit',
    method: 'patch',
    summary: 'Let it lead elsewhere, or end at another time; its code stays',
    role: 'owner',
    body: LINK.schemas,
    act: async (tx, { key, at, by, body }) => {
      const edit = LINK.read(body, { timeZone, now: clock });
      const changed = await editLink(tx, key, edit, at, by);
      if (changed === undefined) throw notFound(LINKS, key);
      return changed;
    },
    done: (code) => links.forget(code),
  };
  const route = verbRoute(LINKS, edited, deps);
  const run: Route['run'] = async (call) => {
    const { target } = await read(call);
    return route.run(
      target === undefined ? call : { ...call, body: { ...call.body, orgUrl: target } },
    );
  };
  return [createRoute(LINKS, deps, { schemas, required: ['orgUrl'], make }), { ...route, run }];
}
