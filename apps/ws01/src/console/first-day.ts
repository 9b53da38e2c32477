import { type Context, Hono } from 'hono';
import { html, raw } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { Ws01Error } from '../contract/errors.ts';
import {
  FIRST_STEPS,
  type FirstStep,
  hiddenSteps,
  hideSteps,
  showSteps,
} from '../domain/settings/first-steps.ts';
import { type ApiClient, apiFor, type ItemPage } from './api-client.ts';
import { onceField } from './done-once.ts';
import { formText } from './forms.ts';
import { labelled } from './labelled.ts';
import type { ConsolePageDeps, Content, Html } from './layout.ts';
import { orUndefined } from './or-undefined.ts';
import { notSentPart } from './replies.ts';
import type { TextKey } from './texts/en.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** A step: whether it is done; else what it is good for, and the one button that does it. */
interface Step {
  readonly name: FirstStep;
  readonly isDone: boolean;
  readonly why: TextKey;
  readonly button: TextKey;
  readonly path: string;
  /** What a mail server said that did not take the last test mail. */
  readonly refusal?: string | undefined;
  /** Whether the button does it at once; else it leads to a page. */
  readonly isDeed?: boolean;
}

/** What the overview shows of the first steps. */
interface FirstDay {
  /** The list; empty when nothing is left to do, or it is hidden. */
  readonly list: Content;
  /** The way back to a list that owners took away. */
  readonly wayBack: Content;
}

const PATH = `${HOME}/first-steps`;

/** Says that a step, or the whole list, is not wanted, and brings it back. */
export function firstDayRoutes({ store, clock }: ConsolePageDeps): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  app.post('/first-steps', async (c) => {
    if (c.get('admin').role !== 'owner')
      throw new Ws01Error('Forbidden', 'Your role does not allow this.');
    const hide = stepCalled(await formText(c, 'hide'));
    const show = stepCalled(await formText(c, 'show'));
    if (hide !== undefined) await hideSteps(store, hide, clock());
    if (show !== undefined) await showSteps(store, show, clock());
    return c.redirect(HOME, 303);
  });
  return app;
}

const stepCalled = (name: string) =>
  (['all', ...FIRST_STEPS] as const).find((step) => step === name);

/** The first steps of an installation, for owners, until each is done or not needed. */
export async function firstDay(deps: ConsoleDeps, c: C): Promise<FirstDay> {
  const none = { list: '', wayBack: '' };
  if (c.get('admin').role !== 'owner') return none;
  const { all: isHidden, unneeded } = await hiddenSteps(deps.store);
  if (isHidden) return { list: '', wayBack: wayBackPart(c) };
  const steps = await stepsOf(deps, apiFor(deps, c));
  const isOpen = ({ isDone, name }: Step) => !isDone && !unneeded.has(name);
  const next = steps.find(isOpen);
  if (next === undefined)
    return steps.every(({ isDone }) => isDone) ? none : { list: '', wayBack: wayBackPart(c) };
  const { translate } = c.get('visit');
  // Who reads this has signed in.
  const done = steps.filter(({ isDone }) => isDone).length + 1;
  const all = done + steps.filter(isOpen).length;
  const settled = steps
    .filter((step) => !isOpen(step))
    .map((step) => (step.isDone ? doneItem(c, step.name) : unneededItem(c, step)));
  const list = html`<section aria-labelledby="first" class="first">
<div class="head"><h2 id="first">${translate('first.title')}</h2>${switchForm(c, 'hide', 'all', 'first.hide')}</div>
<details><summary>${translate('first.count', { done, all })}</summary>
<ul class="walk">${doneItem(c, 'admin')}${settled}</ul></details>
<ol class="walk">${steps.filter(isOpen).map((step) => openItem(c, step, step === next))}</ol></section>`;
  return { list, wayBack: '' };
}

async function stepsOf(deps: ConsoleDeps, api: ApiClient): Promise<readonly Step[]> {
  const itemsOf = async (query: string) =>
    (await orUndefined(api.get<ItemPage>(`/${query}`)))?.items ?? [];
  const [articles, backups, tokens, mails, trials, changes] = await Promise.all([
    itemsOf('articles?limit=1'),
    itemsOf('backups?limit=20'),
    itemsOf('tokens?limit=100'),
    itemsOf('mails?status=sent&limit=1'),
    itemsOf('audit?action=mail.test&limit=20'),
    itemsOf('audit?targetKey=SMTP_URL&limit=1'),
  ]);
  return [
    {
      ...({ name: 'article', why: 'first.article.why', button: 'first.article.do' } as const),
      isDone: articles.length > 0,
      path: 'articles/new',
    },
    mailStep(deps, mails.length > 0 || trials.some(wasTaken), [...trials, ...changes]),
    backupStep(deps, backups),
    tokenStep(tokens),
  ];
}

/** Whether the mail server took a test mail; the audit trail has all details as texts. */
const wasTaken = ({ details }: Item) => (details as Item | null)?.sent === 'true';

/** A token is in use once something called with it. */
function tokenStep(tokens: readonly Item[]): Step {
  const isDone = tokens.some(({ lastUsedAt }) => lastUsedAt !== null);
  const step = { name: 'token', isDone } as const;
  // The first start makes a token that nobody may have seen.
  return tokens.length > 1
    ? { ...step, why: 'first.token.unused', button: 'first.token.see', path: 'tokens' }
    : { ...step, why: 'first.token.why', button: 'first.token.do', path: 'tokens/new' };
}

/** @param entries test mails and changes of the server: the step says why the present one did not take the last mail. */
function mailStep({ gateways }: ConsoleDeps, hasSent: boolean, entries: readonly Item[]): Step {
  const step = { name: 'mail', isDone: gateways.mail && hasSent } as const;
  const path = 'settings/SMTP_URL';
  if (!gateways.mail) return { ...step, why: 'first.mail.why', button: 'mail.setUp', path };
  const [last] = entries.toSorted((one, other) => (String(one.id) < String(other.id) ? 1 : -1));
  const refusal =
    last?.action === 'mail.test' ? String((last.details as Item | null)?.reply) : undefined;
  return { ...step, why: 'first.mail.set', button: 'first.mail.test', path, refusal };
}

function backupStep({ hasBackupPlace }: ConsoleDeps, backups: readonly Item[]): Step {
  const isDone = backups.some(({ state }) => state === 'verified');
  const step = { name: 'backup', isDone } as const;
  if (backups.some(({ state }) => state === 'running'))
    return { ...step, why: 'first.backup.begun', button: 'first.backup.see', path: 'backups' };
  return hasBackupPlace
    ? {
        ...{ ...step, why: 'first.backup.why', button: 'first.backup.do', path: 'backups/new' },
        isDeed: true,
      }
    : {
        ...{ ...step, why: 'first.backup.noPlace', button: 'first.backup.place' },
        path: 'settings/BACKUP_TO',
      };
}

function doneItem(c: C, name: FirstStep | 'admin'): Html {
  const { translate } = c.get('visit');
  return html`<li><p><span class="tag good">${translate('first.done')}</span> ${translate(`first.${name}`)}</p></li>`;
}

function unneededItem(c: C, { name }: Step): Html {
  const { translate } = c.get('visit');
  return html`<li><p><span class="tag">${translate('first.unneeded')}</span> ${translate(`first.${name}`)}</p>
${switchForm(c, 'show', name, 'first.back')}</li>`;
}

function openItem(c: C, step: Step, isNext: boolean): Html {
  const { translate } = c.get('visit');
  const { name, why, button, path, refusal, isDeed = false } = step;
  const text = translate(button);
  const rank = isNext ? 'primary' : '';
  const deed = isDeed
    ? html`<form method="post" action="${HOME}/${path}">${onceField()}<button class="${rank}">${text}</button></form>`
    : html`<a class="button ${rank}" href="${HOME}/${path}">${text}</a>`;
  return html`<li class="open"${isNext ? raw(' aria-current="step"') : ''}>
<div><h3>${translate(`first.${name}`)}</h3>${
    refusal === undefined
      ? html`<p>${translate(why)}</p>`
      : html`<p class="problem">${notSentPart(c, refusal)}</p>`
  }</div>
<div class="tools">${deed}${switchForm(c, 'hide', name, 'first.skip')}</div></li>`;
}

/** A button that hides or shows a step or all; its name says which to who does not see where it stands. */
function switchForm(
  c: C,
  to: 'hide' | 'show',
  step: FirstStep | 'all',
  text: 'first.hide' | 'first.skip' | 'first.back' | 'first.show',
): Html {
  const { translate } = c.get('visit');
  const [does, of] = [translate(text), step === 'all' ? '' : translate(`first.${step}`)];
  const name = of === '' ? does : labelled(translate, does, of);
  return html`<form method="post" action="${PATH}"><button class="plain" name="${to}" value="${step}"
aria-label="${name}">${does}</button></form>`;
}

const wayBackPart = (c: C): Html =>
  html`<div class="tools">${switchForm(c, 'show', 'all', 'first.show')}</div>`;
