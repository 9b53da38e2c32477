import { LENGTHS } from '../../../contract/parameters.ts';
import { POSTING_KINDS } from '../../../store/tables/tables.ts';
import * as forms from '../fields.ts';
import { created, EMPTY, field, type Kind, moderated, REQUIRED } from './kind.ts';

/** What others think of it, and the ledger of what was posted. */
export const ANSWERS = [
  {
    name: 'reviews',
    table: 'reviews',
    key: ['subject', 'voter'],
    about: 'What people think of anything that has a key, one of each voter.',
    fields: [
      field('id', 'id', forms.key, 'UUIDv7; made when absent.', { changes: true }),
      field('subject', 'subject', forms.key, 'Key of what is reviewed.', REQUIRED),
      field(
        'voter',
        'voter',
        forms.pattern('(?:user|address):.{1,64}', '`user:` and a key, or `address:` and a network'),
        'Whose it is.',
        REQUIRED,
      ),
      field('positive', 'positive', forms.flag, 'For or against; absent for no vote.'),
      field('rating', 'rating', forms.hundredths, 'On the scale of REVIEW_SCALE; absent for none.'),
      field('remark', 'remark', forms.text(LENGTHS.mark), 'What was said besides.'),
      field('ip', 'ip', forms.address, 'Where it came from.', EMPTY),
      field(
        'claimedIp',
        'claimed_ip',
        forms.text(LENGTHS.url),
        'The address that it named and that was not believed.',
      ),
      created('When it was first given; counts go by it.'),
      field(
        'updatedAt',
        'updated_at',
        forms.instant,
        'When it last changed; `createdAt` when absent.',
      ),
      ...moderated,
    ],
  },
  {
    name: 'postings',
    table: 'postings',
    key: ['kind', 'record_key', 'at'],
    about:
      'Every creation, for the counts, also of records that are gone. Made of articles, adverts, images and reviews where there is no such file.',
    fields: [
      field('kind', 'kind', forms.coded(POSTING_KINDS), 'Of what.', REQUIRED),
      field('key', 'record_key', forms.key, 'Key of the record; of a review its `id`.', REQUIRED),
      field('userId', 'user_id', forms.key, 'Whose it was.'),
      field(
        'network',
        'network',
        forms.line(64),
        'IPv4 address or IPv6 /64 that it came from.',
        EMPTY,
      ),
      field('at', 'at', forms.instant, 'When.', REQUIRED),
    ],
  },
] as const satisfies readonly Kind[];
