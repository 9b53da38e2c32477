import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { Ws01Error } from '../contract/errors.ts';
import type { Rendition } from '../domain/values/image-url.ts';
import { answerImage } from '../web/media-pages.ts';
import { type ApiClient, apiFor, type ItemPage } from './api-client.ts';
import type { Kind } from './catalog.ts';
import { errorPart } from './errors.ts';
import { consolePath } from './forms.ts';
import { LAYOUTS } from './kinds.ts';
import { labelled } from './labelled.ts';
import type { ConsolePageDeps, Content, Html } from './layout.ts';
import { orUndefined } from './or-undefined.ts';
import { mediaPathOf, segmentOf } from './paths.ts';
import { success, wrongAt } from './sign-in-pages.ts';
import { goOnTelling } from './told-once.ts';
import { oneOf } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';
import { wayToList } from './way.ts';

type C = Context<ConsoleEnv>;

/** A picture of a record. */
export interface Picture {
  readonly fileGuid: string;
  /** Of its icon, below the service: pages may load images of their own host only. */
  readonly path: string;
}

/** Maximum number of images on a record's page; the list of images has all. */
const PICTURES = 12;

/** The first images of a record that can be shown. */
export async function picturesOf(api: ApiClient, key: string): Promise<readonly Picture[]> {
  if (key === '') return [];
  const query = `linkGuid=${encodeURIComponent(key)}&limit=${PICTURES}`;
  const found = await orUndefined(api.get<ItemPage>(`/images?${query}`));
  return (found?.items ?? []).map((image) => ({
    fileGuid: String(image.fileGuid),
    path: imagePath(image, 'icon'),
  }));
}

/** Where the console shows an image: as visitors get it, or by the admin's session when they do not. */
export function imagePath({ fileGuid, url, iconUrl }: Item, rendition: Rendition): string {
  const served = rendition === 'full' ? url : iconUrl;
  if (typeof served === 'string') return mediaPathOf(served);
  return `${FILES}/${segmentOf(String(fileGuid))}/file${rendition === 'icon' ? '?size=icon' : ''}`;
}

const FILES = `${HOME}/images`;

/** The paths of the small pictures of records of a kind, by their keys. */
export async function iconsOf(
  api: ApiClient,
  kind: Pick<Kind, 'name' | 'key'>,
  items: readonly Item[],
): Promise<ReadonlyMap<string, string>> {
  const { picture } = LAYOUTS[kind.name] ?? {};
  if (picture === undefined) return new Map();
  const found = await Promise.all(
    items.map(async (item) => {
      const key = String(item[kind.key]);
      const path = await iconOf(api, kind.name, key, item);
      return path === undefined ? [] : [[key, path] as const];
    }),
  );
  return new Map(found.flat());
}

async function iconOf(
  api: ApiClient,
  kind: string,
  key: string,
  item: Item,
): Promise<string | undefined> {
  if (kind === 'images') return imagePath(item, 'icon');
  if (typeof item.iconUrl === 'string') return mediaPathOf(item.iconUrl);
  // The pictures of what moderators took from visitors are withdrawn with it.
  if (item.heldAt === null && item.removedAt === null) return undefined;
  const pictures = await picturesOf(api, key);
  const named = item.iconGuid ?? item.imgGuid;
  return (pictures.find(({ fileGuid }) => fileGuid === named) ?? pictures[0])?.path;
}

/** A small picture beside a title, or its place where there is none. */
export function thumb(path: string | undefined): Html {
  return path !== undefined
    ? html`<img class="thumb" src="${path}" alt="" loading="lazy">`
    : html`<span class="thumb"></span>`;
}

/** The pictures of a record, as thumbnails with links to their pages. */
export function thumbnails(c: C, pictures: readonly Picture[]): Content {
  if (pictures.length === 0) return '';
  const { translate } = c.get('visit');
  return html`<ul class="thumbs" aria-label="${translate('kind.images')}">${pictures.map(
    ({ fileGuid, path }) =>
      html`<li><a href="${HOME}/images/${segmentOf(fileGuid)}"><img src="${path}"
alt="${labelled(translate, translate('kind.images'), fileGuid)}" loading="lazy"></a></li>`,
  )}</ul>`;
}

/**
 * A form that uploads a picture: a new one of a record, or another file for one.
 * @param refusal why it was refused.
 */
export function uploadForm(
  c: C,
  fields: Readonly<Record<string, string>>,
  refusal?: Ws01Error,
): Html {
  const { translate } = c.get('visit');
  const isMissing = refusal?.code === 'MissingParameter' && refusal.parameter === 'file';
  const told = refusal && errorPart(c.get('visit'), refusal);
  const why = isMissing ? translate('picture.choose') : told;
  const { linkGuid = '', ...others } = fields;
  // From the page of a record, or of a picture, it is known which.
  const isAlone = !('back' in fields || 'fileGuid' in fields);
  const isOfRecord = isAlone && refusal?.parameter === 'linkGuid';
  const record = wrongAt('linkGuid', isOfRecord ? why : undefined);
  const file = wrongAt('file', isOfRecord ? undefined : why);
  const another = 'fileGuid' in fields ? 'picture.replace' : 'picture.add';
  return html`<form method="post" action="${HOME}/images/upload" enctype="multipart/form-data"
class="${isAlone ? 'narrow' : 'tools'}" novalidate>
${Object.entries(isAlone ? others : fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${
  isAlone
    ? html`<label for="linkGuid">${translate('picture.of')}</label>
<div><input id="linkGuid" name="linkGuid" value="${linkGuid}" maxlength="64" spellcheck="false" autocapitalize="none"${record.tied}>${record.below}</div>`
    : ''
}
<label for="file">${translate(isAlone ? 'picture.file' : another)}</label>
<div><input id="file" name="file" type="file" accept="image/*" required${file.tied}>${file.below}</div>
<div class="tools"><button class="${isAlone ? 'primary' : ''}">${translate('picture.upload')}</button></div></form>`;
}

/** Serves pictures to admins, and takes uploaded ones. */
export function pictureRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const { show } = deps;
  const app = new Hono<ConsoleEnv>();
  // Before a picture is read.
  app.use('/images/upload', (c, next) => {
    if (c.get('admin').role === 'owner') return next();
    throw new Ws01Error('Forbidden', 'Your role does not allow this.');
  });
  app.get('/images/:key/file', async (c) => {
    // Whoever may read the record sees it, as the API has it.
    const { fileGuid } = await apiFor(deps, c).get(`/images/${segmentOf(c.req.param('key'))}`);
    const rendition = c.req.query('size') === 'icon' ? 'icon' : 'full';
    const asked = { isFor: 'admins', rendition } as const;
    return answerImage(
      c,
      deps.pictures,
      (gone) => deps.media.findByKey(String(fileGuid), { gone, ...asked }),
      'private, no-store',
    );
  });
  app.get('/images/upload', (c) =>
    show(c, {
      title: c.get('visit').translate('create.title', {
        kind: oneOf(c.get('visit').translate, 'images'),
      }),
      way: wayToList(c, { name: 'images' }),
      content: uploadForm(c, {}),
    }),
  );
  app.post('/images/upload', async (c) => {
    const { translate } = c.get('visit');
    const form: Record<string, unknown> = await c.req.parseBody();
    const given = ['fileGuid', 'linkGuid'].flatMap((name) =>
      typeof form[name] === 'string' && form[name] !== '' ? [[name, form[name]]] : [],
    );
    const fields = Object.fromEntries(given) as Readonly<Record<string, string>>;
    try {
      const { item } = await apiFor(deps, c).upload<{ readonly item: Item }>(
        `/images?${new URLSearchParams(fields)}`,
        form.file instanceof Blob ? form.file : new Blob(),
      );
      const back =
        typeof form.back === 'string'
          ? consolePath(form.back)
          : `${HOME}/images/${segmentOf(String(item.fileGuid))}`;
      return (await goOnTelling(deps, c, back, success(translate('picture.done'))))!;
    } catch (error) {
      if (!(error instanceof Ws01Error) || error.code === 'Internal') throw error;
      const back = typeof form.back === 'string' ? { back: form.back } : {};
      const content = uploadForm(c, { ...fields, ...back }, error);
      return show(c, { title: translate('picture.upload'), content }, 400);
    }
  });
  return app;
}
