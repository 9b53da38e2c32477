import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dateTextOf, epochDayAt, epochDayOf, instantOf } from '../../src/lexical/date/calendar.ts';
import { DAY_MS } from '../../src/time/units.ts';
import { runs } from '../kit/random.ts';

/** How many dates the properties look at. */
const RUNS = runs(5_000);

const ZONES = Intl.supportedValuesOf('timeZone');
const zone = fc.constantFrom(...ZONES);
const ms = (date: string) => Date.parse(`${date}T00:00:00Z`);
/** Any time of the years 1 to 9999, mostly of those in which zones change. */
const time = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: ms('1900-01-01'), max: ms('2100-01-01') }) },
  { weight: 1, arbitrary: fc.integer({ min: ms('0001-01-02'), max: ms('9999-12-30') }) },
);

/** What Temporal, which engines of ours need not have, says to the same. */
const expected = {
  instantOf: (wallClock: number, timeZone: string) =>
    Temporal.Instant.fromEpochMilliseconds(wallClock)
      .toZonedDateTimeISO('UTC')
      .toPlainDateTime()
      .toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds,
  epochDayAt: (instant: number, timeZone: string) => {
    const { year, month, day } =
      Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
    return epochDayOf(year, month, day);
  },
};

const said = (at: number, timeZone: string) => `${timeZone} ${new Date(at).toISOString()}`;

test('wall clocks and days of every zone are those of Temporal', () => {
  fc.assert(
    fc.property(time, zone, (at, timeZone) => {
      assert.equal(instantOf(at, timeZone), expected.instantOf(at, timeZone), said(at, timeZone));
      assert.equal(epochDayAt(at, timeZone), expected.epochDayAt(at, timeZone), said(at, timeZone));
    }),
    { numRuns: RUNS },
  );
});

test('so are those around every change of a zone', () => {
  let changes = 0;
  for (const timeZone of [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Asia/Shanghai',
  ]) {
    let at = Temporal.Instant.from('1945-01-01T00:00Z').toZonedDateTimeISO(timeZone);
    for (
      let next = at.getTimeZoneTransition('next');
      next !== null && next.year < 2030;
      changes++
    ) {
      at = next;
      for (const hours of [-25, -2, -1, -0.5, 0, 0.5, 1, 2, 25]) {
        const wallClock = at.epochMilliseconds + at.offsetNanoseconds / 1e6 + hours * 3_600_000;
        for (const off of [-1, 0, 1]) {
          const near = wallClock + off;
          assert.equal(
            instantOf(near, timeZone),
            expected.instantOf(near, timeZone),
            said(near, timeZone),
          );
        }
      }
      next = at.getTimeZoneTransition('next');
    }
  }
  assert.ok(changes > 300, String(changes));
});

test('a day that a zone left out, and a zone that is not known', () => {
  // Samoa went from the 29th to the 31st of December 2011.
  const skipped = ms('2011-12-30') + DAY_MS / 2;
  assert.equal(
    new Date(instantOf(skipped, 'Pacific/Apia')).toISOString(),
    '2011-12-30T22:00:00.000Z',
  );
  assert.throws(() => instantOf(0, 'Mars/Olympus'), RangeError);
});

test('days are written as Date writes them: around the ends of every February and year, and others', () => {
  for (let year = 1; year <= 9999; year++) {
    for (const [month, day] of [
      [1, 1],
      [2, 28],
      [3, 1],
      [12, 31],
      [1 + (year % 12), 1 + (year % 28)],
    ] as const) {
      const at = epochDayOf(year, month, day);
      const text = dateTextOf(at);
      assert.equal(text, new Date(at * DAY_MS).toISOString().slice(0, 10));
      if (month === 2)
        assert.equal(dateTextOf(at + 1), new Date((at + 1) * DAY_MS).toISOString().slice(0, 10));
    }
  }
});
