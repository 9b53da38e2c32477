import * as forms from '../fields.ts';
import { created, field, type Kind, REQUIRED } from './kind.ts';

/** Short links and their visits. */
export const LINKS = [
  {
    name: 'links',
    table: 'links',
    key: ['code'],
    about: 'Short links. A code of an old service is kept as it is.',
    fields: [
      field(
        'code',
        'code',
        forms.pattern('[A-Za-z0-9_-]{1,64}', 'a code of 1 to 64 letters, digits, `-` and `_`'),
        'The code.',
        REQUIRED,
      ),
      field(
        'target',
        'target',
        forms.pattern('https?://[!-~]{1,2040}', 'an http or https URL in ASCII'),
        'Where it leads.',
        REQUIRED,
      ),
      field('userId', 'user_id', forms.key, 'Who made it.'),
      field('userEmail', 'user_email', forms.line(320), 'The address that the call named.'),
      field('deadline', 'deadline', forms.endOf, 'Works until then.'),
      created('When it was made.'),
      field('disabledAt', 'disabled_at', forms.instant, 'Taken down since then.'),
    ],
  },
  {
    name: 'link-visits',
    table: 'link_visits',
    key: ['code', 'day'],
    about: 'How often links were followed, by day.',
    fields: [
      field('code', 'code', forms.line(64), 'The code.', REQUIRED),
      field('day', 'day', forms.day, 'The day, `yyyy-MM-dd`, in TIME_ZONE.', REQUIRED),
      field('visits', 'visits', forms.count, 'By people.', { absent: 0 }),
      field('bots', 'bots', forms.count, 'By robots.', { absent: 0 }),
      field('heads', 'heads', forms.count, 'By HEAD requests.', { absent: 0 }),
    ],
  },
  {
    name: 'link-visit-sources',
    table: 'link_visit_sources',
    key: ['code', 'day', 'kind', 'name'],
    about: 'Where people who followed links came from, by day.',
    fields: [
      field('code', 'code', forms.line(64), 'The code.', REQUIRED),
      field('day', 'day', forms.day, 'The day, `yyyy-MM-dd`, in TIME_ZONE.', REQUIRED),
      field(
        'kind',
        'kind',
        forms.pattern('referrer|country|language', 'referrer, country or language'),
        'The kind of source.',
        REQUIRED,
      ),
      field(
        'name',
        'name',
        forms.line(253),
        'A host, a country or a language; `-` for none, `*` for others.',
        REQUIRED,
      ),
      field('visits', 'visits', forms.count, 'By people.', { absent: 0 }),
    ],
  },
] as const satisfies readonly Kind[];
