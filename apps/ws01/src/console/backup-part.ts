import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import type { Extra } from './details.ts';
import { labelled } from './labelled.ts';
import type { Translate } from './language.ts';
import { type Content, time } from './layout.ts';
import type { TextKey } from './texts/en.ts';
import { wordFor } from './values.ts';
import { HOME } from './visit.ts';
import { warning } from './warnings.ts';

/** What a backup is at now, and what its last check found. */
export const backupPart: Extra = (c, _api, item) => {
  const { translate } = c.get('visit');
  const { state, check, fault } = item;
  const told = (key: TextKey) => html`<p class="notice" role="status">${translate(key)}</p>`;
  const progress = progressOf(translate, item);
  if (state === 'running') return html`${told('backup.running')}${progress}`;
  if (state === 'interrupted')
    return warning(c, translate('backup.interrupted'), 'backups', 'backup.make');
  const by = html`${time(item.checkedAt as string)}, ${item.checkedBy as string}`;
  const said = html`<span lang="en">${fault as string}</span>`;
  const another = html`<a href="${HOME}/backups">${translate('backup.make')}</a>`;
  const found: Readonly<Record<string, Content>> = {
    running: html`${told('backup.checking')}${progress}`,
    interrupted: told('backup.checkInterrupted'),
    sound: html`<p class="done">${translate('backup.sound')} (${by})</p>`,
    damaged: html`<p class="problem">${translate('backup.damaged')} ${said} (${by}) ${another}</p>`,
    missing: html`<p class="problem">${translate('backup.missing')} ${said} (${by}) ${another}</p>`,
    failed: html`<p class="notice">${translate('backup.unchecked')} ${said} (${by})</p>`,
  };
  return found[String(check)] ?? '';
};

/** How far a backup or a check is, as a bar and in words. */
function progressOf(translate: Translate, { step, done, total }: Item): Content {
  if (step === null) return '';
  const name = wordFor(translate, 'value', String(step));
  if (total === null) return html`<p><label>${name} <progress></progress></label></p>`;
  const share = `${Math.floor((100 * Number(done)) / Number(total))} %`;
  return html`<p><label>${labelled(translate, name, share)}
<progress value="${String(done)}" max="${String(total)}"></progress></label></p>`;
}
