import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { words } from '../../src/contract/words.ts';
import {
  formatInstant,
  LexicalError,
  parseDateText,
  parseDateTime,
} from '../../src/lexical/index.ts';

const NOW = Date.UTC(2024, 2, 15, 3, 4, 5, 678);
const at = (timeZone: string, form: 'element' | 'text' = 'text') => ({
  form,
  timeZone,
  now: () => NOW,
});

const MIN = Date.parse('0001-01-01T00:00:00Z');
const MAX = Date.parse('9999-12-31T23:59:59.999Z');
const instants = fc.integer({ min: MIN, max: MAX });
/** Instants whose zone-less forms .NET and browsers write every day. */
const modern = fc
  .integer({ min: Date.UTC(2000, 0), max: Date.UTC(2049, 11, 31) })
  .map((ms) => ms - (ms % 1000));

const two = (value: number) => String(value).padStart(2, '0');
const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );

/** One moment on a wall clock, in every form that names a day and a time to the second. */
function writtenForms(instant: number): readonly string[] {
  const date = new Date(instant);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  const [hour, minute, second] = [
    date.getUTCHours(),
    two(date.getUTCMinutes()),
    two(date.getUTCSeconds()),
  ];
  const clock = `${two(hour)}:${minute}:${second}`;
  const twelve = `${hour % 12 === 0 ? 12 : hour % 12}:${minute}:${second}`;
  const afternoon = hour >= 12;
  const name = MONTHS[month - 1]!;
  return [
    `${year}-${two(month)}-${two(day)}T${clock}`,
    `${year}-${two(month)}-${two(day)}T${clock}.0000000`,
    `${year}-${month}-${day} ${hour}:${minute}:${second}`,
    `${year}/${month}/${day} ${clock}`,
    `${year}.${month}.${day} ${clock}`,
    `${year}. ${month}. ${day}. ${afternoon ? '오후' : '오전'} ${twelve}`,
    `${month}/${day}/${year} ${clock}`,
    `${two(month)}/${two(day)}/${year} ${twelve} ${afternoon ? 'PM' : 'AM'}`,
    `${month}/${day}/${two(year % 100)}, ${twelve}\u202f${afternoon ? 'PM' : 'AM'}`,
    `${year}/${month}/${day} ${afternoon ? '下午' : '上午'} ${twelve}`,
    `${year}/${month}/${day} ${afternoon ? '午後' : '午前'}${twelve}`,
    `${year}年${month}月${day}日 ${hour}时${minute}分${second}秒`,
    `${year}年${month}月${day}日${clock}`,
    `${year}년 ${month}월 ${day}일 ${afternoon ? '오후' : '오전'} ${twelve}`,
    `${day} ${name} ${year} ${clock}`,
    `${two(day)}-${name.slice(0, 3)}-${year} ${clock}`,
    `${name} ${day}, ${year} ${twelve} ${afternoon ? 'pm' : 'am'}`,
  ];
}

describe('dateTime', () => {
  it('reads what it writes', () => {
    fc.assert(
      fc.property(instants, (instant) => {
        const written = formatInstant(instant);
        assert.match(written, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/);
        assert.equal(parseDateTime(written, at('America/New_York')), instant);
        assert.equal(parseDateTime(`/Date(${instant})/`, at('UTC')), instant);
      }),
    );
  });

  it('writes every instant as JavaScript does, of more days than it remembers', () => {
    const later = fc.integer({ min: 0, max: 86_400_000 * 3_000 });
    fc.assert(
      fc.property(fc.oneof(instants, later), fc.constantFrom(0, 0.5), (instant, fraction) => {
        assert.equal(formatInstant(instant + fraction), new Date(instant + fraction).toISOString());
      }),
      { numRuns: 5_000 },
    );
    assert.throws(() => formatInstant(Number.NaN), RangeError);
  });

  it('reads every written form of a moment as the same instant, in any zone', () => {
    fc.assert(
      fc.property(
        modern,
        fc.constantFrom('UTC', 'Asia/Shanghai', 'America/New_York'),
        (moment, timeZone) => {
          const forms = writtenForms(moment);
          const read = forms.map((form) => [form, parseDateTime(form, at(timeZone))] as const);
          assert.deepEqual(
            read,
            forms.map((form) => [form, read[0]![1]]),
          );
          if (timeZone === 'UTC') assert.equal(read[0]![1], moment);
        },
      ),
    );
  });

  it('reads RFC 1123 and RFC 3339 as Date does', () => {
    fc.assert(
      fc.property(modern, fc.integer({ min: -14 * 60, max: 14 * 60 }), (moment, offset) => {
        assert.equal(parseDateTime(new Date(moment).toUTCString(), at('Asia/Tokyo')), moment);
        const clock = new Date(moment + offset * 60_000).toISOString().slice(0, 19);
        const zone = `${two(Math.trunc(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
        assert.equal(
          parseDateTime(`${clock}${offset < 0 ? '-' : '+'}${zone}`, at('Asia/Tokyo')),
          moment,
        );
      }),
    );
  });

  it("shows a zone-less time on that zone's clock, or is in a gap", () => {
    const zones = fc.constantFrom(
      'America/New_York',
      'Europe/Berlin',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Pacific/Apia',
    );
    fc.assert(
      fc.property(instants, zones, (wallClock, timeZone) => {
        const written = formatInstant(wallClock).slice(0, -1);
        const instant = parseDateTime(written, at(timeZone))!;
        const shown = (ms: number) =>
          Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone).toPlainDateTime();
        fc.pre(instant !== MAX && instant !== MIN);
        if (shown(instant).equals(written)) {
          // Of two instants with this wall clock it is the earlier: none with it lies a clock change before.
          for (const minutes of [30, 60])
            assert.ok(!shown(instant - minutes * 60_000).equals(written));
        } else {
          // In a gap the clock has moved on: it shows later than written, by the length of the gap.
          assert.equal(
            Temporal.PlainDateTime.compare(shown(instant), Temporal.PlainDateTime.from(written)),
            1,
          );
        }
      }),
    );
  });

  it('takes the later instant in a gap and the earlier in a fold', () => {
    const cases = [
      ['America/New_York', '2024-03-10T02:30:00', '2024-03-10T07:30:00.000Z', 'gap'],
      ['America/New_York', '2024-03-10T01:59:59.999', '2024-03-10T06:59:59.999Z', 'before the gap'],
      ['America/New_York', '2024-03-10T03:00:00', '2024-03-10T07:00:00.000Z', 'after the gap'],
      ['America/New_York', '2024-11-03T01:30:00', '2024-11-03T05:30:00.000Z', 'fold'],
      ['America/New_York', '2024-11-03T02:00:00', '2024-11-03T07:00:00.000Z', 'after the fold'],
      ['Europe/Berlin', '2024-03-31T02:30:00', '2024-03-31T01:30:00.000Z', 'gap'],
      ['Europe/Berlin', '2024-10-27T02:30:00', '2024-10-27T00:30:00.000Z', 'fold'],
      [
        'Australia/Lord_Howe',
        '2024-10-06T02:15:00',
        '2024-10-05T15:45:00.000Z',
        'gap of half an hour',
      ],
      [
        'Australia/Lord_Howe',
        '2024-04-07T01:45:00',
        '2024-04-06T14:45:00.000Z',
        'fold of half an hour',
      ],
      ['Asia/Kathmandu', '1986-01-01T00:10:00', '1985-12-31T18:40:00.000Z', 'gap of a quarter'],
      ['Asia/Kathmandu', '2024-02-29T13:05:06', '2024-02-29T07:20:06.000Z', 'no change'],
      ['Pacific/Apia', '2011-12-30T12:00:00', '2011-12-30T22:00:00.000Z', 'a day that never was'],
      ['Asia/Shanghai', '1900-06-01T00:00:00', '1900-05-31T15:54:17.000Z', 'local mean time'],
    ] as const;
    for (const [timeZone, written, expected, what] of cases) {
      assert.equal(
        formatInstant(parseDateTime(written, at(timeZone))!),
        expected,
        `${timeZone}, ${what}`,
      );
    }
  });

  it('ends a day where the next begins', () => {
    const cases = [
      ['UTC', '2024-02-29', '2024-02-29T23:59:59.999Z', 'an ordinary day'],
      ['America/New_York', '2024-03-10', '2024-03-11T03:59:59.999Z', 'a day of 23 hours'],
      ['America/New_York', '2024-11-03', '2024-11-04T04:59:59.999Z', 'a day of 25 hours'],
      ['America/Sao_Paulo', '2018-11-03', '2018-11-04T02:59:59.999Z', 'midnight is in a gap'],
      ['America/Sao_Paulo', '2018-02-17', '2018-02-18T02:59:59.999Z', 'the last hour was twice'],
      ['America/Havana', '2024-11-02', '2024-11-03T03:59:59.999Z', 'midnight was twice'],
      ['Pacific/Apia', '2011-12-29', '2011-12-30T09:59:59.999Z', 'the next day never was'],
      ['Pacific/Auckland', '9999-12-31', '9999-12-31T10:59:59.999Z', 'the last day'],
      ['America/New_York', '9999-12-31', '9999-12-31T23:59:59.999Z', 'the last day, cut'],
    ] as const;
    for (const [timeZone, written, expected, what] of cases) {
      assert.equal(
        formatInstant(parseDateText(written, at(timeZone))!),
        expected,
        `${timeZone}, ${what}`,
      );
    }
  });

  it("takes today's date of the zone for a time alone", () => {
    assert.equal(
      formatInstant(parseDateTime('12:34', at('Pacific/Auckland'))!),
      '2024-03-14T23:34:00.000Z',
    );
    assert.equal(
      formatInstant(parseDateTime('12:34', at('Pacific/Honolulu'))!),
      '2024-03-14T22:34:00.000Z',
    );
    assert.equal(formatInstant(parseDateText('12:34', at('UTC'))!), '2024-03-15T12:34:00.000Z');
  });

  it('reads any date of the calendar, and no other', () => {
    const part = (max: number) => fc.integer({ min: 0, max });
    fc.assert(
      fc.property(part(9999), part(13), part(32), (year, month, day) => {
        const written = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T12:00:00Z`;
        const date = new Date(written);
        const exists = year > 0 && !Number.isNaN(date.getTime()) && date.getUTCDate() === day;
        if (exists) assert.equal(parseDateTime(written, at('UTC')), date.getTime());
        else assert.throws(() => parseDateTime(written, at('UTC')), LexicalError);
      }),
    );
  });

  it('reads each date of the calendar as itself, where the contract names none as not given', () => {
    for (const day of ['0001-01-01', '1753-01-01', '1899-12-30', '1900-01-01']) {
      for (const time of ['', 'T00:00:00', 'T00:00:00Z', ' 00:00', 'T12:34:56.789Z']) {
        const expected = Date.parse(
          `${day}T${time.startsWith('T12') ? '12:34:56.789' : '00:00:00'}Z`,
        );
        assert.equal(parseDateTime(day + time, at('UTC')), expected, day + time);
      }
    }
    assert.equal(
      parseDateTime('/Date(-2208988800000)/', at('UTC')),
      Date.parse('1900-01-01T00:00:00Z'),
    );
    assert.throws(() => parseDateTime('0000-00-00', at('UTC')), LexicalError);
  });

  describe('with dates that mean "not given"', () => {
    const told = (...notGiven: readonly string[]) => ({ ...at('Asia/Shanghai'), notGiven });
    const zones = fc.constantFrom('', 'Z', 'z', '+08:00', '-05:00', ' GMT');

    it('counts the first second of a day, whatever the fraction, zone and form', () => {
      const context = told('0001-01-01T00:00:00', '1900-01-01T00:00:00');
      const days = fc.constantFrom('0001-01-01', '1900-01-01');
      fc.assert(
        fc.property(
          days,
          fc.stringMatching(/^(?:\.[0-9]{1,9})?$/),
          zones,
          (day, fraction, zone) => {
            const written = `${day}T00:00:00${fraction}${zone}`;
            assert.equal(parseDateTime(written, context), undefined, written);
            assert.equal(parseDateText(written, context), undefined, written);
            assert.notEqual(
              parseDateTime(written.replace('T00:00:00', 'T00:00:01'), context),
              undefined,
            );
          },
        ),
      );
      for (const written of [
        '1900-01-01',
        '1/1/1900 12:00:00 AM',
        '01/01/0001 00:00:00',
        '/Date(-2208988800000)/',
      ]) {
        assert.equal(parseDateTime(written, context), undefined, written);
      }
      assert.notEqual(parseDateTime('1753-01-01', context), undefined);
    });

    it('counts any time of a day, and no time of its neighbours', () => {
      fc.assert(
        fc.property(
          fc.constantFrom('1753-01-01', '1899-12-30', '2000-02-29'),
          fc.nat(86_399),
          zones,
          (day, at, zone) => {
            const time = new Date(at * 1000).toISOString().slice(11, 19);
            assert.equal(parseDateTime(`${day}T${time}${zone}`, told(day)), undefined);
            for (const days of [-1, 1]) {
              const other = new Date(Date.parse(day) + days * 86_400_000)
                .toISOString()
                .slice(0, 10);
              assert.notEqual(parseDateTime(`${other}T${time}${zone}`, told(day)), undefined);
            }
          },
        ),
      );
    });

    it('reads the day that no calendar has, as MySQL says it', () => {
      for (const written of ['0000-00-00', '0000-00-00 00:00:00', '0000-00-00T12:00:00Z']) {
        assert.equal(parseDateTime(written, told('0000-00-00')), undefined, written);
      }
      assert.throws(() => parseDateTime('0000-00-00 25:00', told('0000-00-00')), LexicalError);
      assert.notEqual(parseDateTime('1970-01-01', told('0000-00-00')), undefined);
    });
  });

  it('answers any text with an instant, nothing, or a reason fit to be shown', () => {
    const alphabet = fc.constantFrom(
      ...words('Feb GMT 下午 /Date( )/ 😀'),
      ...'0123456789-/.:TZ+ APMapm年月日时\u3000\u0000<',
      '\ud800',
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary-ascii' }),
      fc.array(alphabet, { maxLength: 30 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom('element', 'text'), (text, form) => {
        for (const parse of [parseDateTime, parseDateText]) {
          try {
            const instant = parse(text, at('Europe/Berlin', form));
            assert.ok(
              instant === undefined ||
                (Number.isInteger(instant) && instant >= MIN && instant <= MAX),
              text,
            );
          } catch (error) {
            assert.ok(error instanceof LexicalError, text);
            for (const reason of [error.reason, error.aspnetReason!]) {
              assert.ok(
                reason.length < 250 && reason.isWellFormed() && !/\p{Cc}/u.test(reason),
                reason,
              );
            }
          }
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("reads XML Schema's form as it reads the same text by the grammar, with a small t", () => {
    const digits = (count: number) =>
      fc.array(fc.nat(9), { minLength: count, maxLength: count }).map((each) => each.join(''));
    const pieces = fc.tuple(
      fc.oneof(digits(4), fc.constantFrom('0000', '0001', '1900', '1753', '1899')),
      fc.oneof(fc.integer({ min: 0, max: 13 }).map(two), digits(1)),
      fc.integer({ min: 0, max: 32 }).map(two),
      fc.integer({ min: 0, max: 25 }).map(two),
      fc.integer({ min: 0, max: 61 }).map(two),
      fc.integer({ min: 0, max: 61 }).map(two),
      fc.constantFrom('', '.', '.5', '.123', '.1234567', ':00', ' PM'),
      fc.constantFrom(...words('Z z +08:00 -03:30 -00:00 +14:00 +14:01 +99:00 +0800 Zx'), '', ' '),
    );
    const outcome = (text: string, zone: string, form: 'element' | 'text') => {
      try {
        return parseDateTime(text, at(zone, form));
      } catch (error) {
        return (error as LexicalError).reason.replace(/T(?=\d\d:)/g, 't');
      }
    };
    fc.assert(
      fc.property(
        pieces,
        fc.constantFrom('UTC', 'Asia/Shanghai', 'America/New_York'),
        fc.constantFrom('element', 'text'),
        ([year, month, day, hour, minute, second, fraction, offset], zone, form) => {
          const text = `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}${offset}`;
          assert.deepEqual(
            outcome(text, zone, form),
            outcome(text.replace('T', 't'), zone, form),
            text,
          );
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('looks at no text longer than 64 characters', () => {
    const blanks = ' '.repeat(1_000_000);
    assert.equal(
      parseDateTime(`${blanks}2024-02-29T13:05:06Z${blanks}`, at('UTC')),
      Date.UTC(2024, 1, 29, 13, 5, 6),
    );
    assert.throws(
      () => parseDateTime(`2024-02-29T13:05:06.${'1'.repeat(1_000_000)}Z`, at('UTC')),
      (error: LexicalError) =>
        /longer than 64 characters/.test(error.reason) && error.reason.length < 250,
    );
  });

  it("gives ASP.NET's reasons", () => {
    const reasonOf = (text: string, form: 'element' | 'text') => {
      try {
        parseDateTime(text, at('UTC', form));
      } catch (error) {
        return (error as LexicalError).aspnetReason;
      }
      return undefined;
    };
    assert.equal(reasonOf('x<y>', 'element'), "The string 'x<y>' is not a valid AllXsd value.");
    assert.equal(reasonOf('29/02/2024', 'text'), 'String was not recognized as a valid DateTime.');
    assert.equal(
      reasonOf('tomorrow', 'text'),
      'The string was not recognized as a valid DateTime. There is an unknown word starting at index 0.',
    );
  });
});
