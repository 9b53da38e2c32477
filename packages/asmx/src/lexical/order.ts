import type { ScalarType } from '../contract/types.ts';
import { epochDayOf } from './date/calendar.ts';

/**
 * Compares two texts of a type: below 0, 0 or above 0; NaN where they have no order, as NaN or P1M
 * and P30D. Each text is one of the type.
 */
type Order = (one: string, other: string) => number;

/**
 * The order of a type's values in XML Schema (part 2, 3.2 and 3.3), whatever the zone of the
 * machine: a date without a zone counts as in UTC. @returns `undefined` for a type whose values
 * have none.
 */
export function orderOf(type: ScalarType): Order | undefined {
  return ORDERS.get(type);
}

/** The texts of booleans that have a second one. */
const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ['1', 'true'],
  ['0', 'false'],
]);

/**
 * A text that is the same for all texts of a number or a boolean: `+1.50` and `1.5`; `undefined`
 * for other types.
 */
export function keyOf(type: ScalarType, text: string): string | undefined {
  const trimmed = text.trim();
  if (type === 'boolean') return BOOLEANS.get(trimmed) ?? trimmed;
  if (type === 'float' || type === 'double') {
    const number = floatingOf(trimmed);
    return Number.isNaN(number) ? undefined : String(number);
  }
  const digits = ORDERS.get(type) === compareNumbers ? digitsOf(trimmed) : undefined;
  return digits && `${signOf(digits) < 0 ? '-' : ''}${digits.whole}.${digits.fraction}`;
}

/** The digits of a decimal that say something. */
interface Digits {
  readonly isNegative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

const [ZERO, NINE, POINT] = [0x30, 0x39, 0x2e];

/**
 * Reads a decimal: a sign, digits, a point and digits; `undefined` for other texts. In one pass,
 * whatever the text.
 */
export function digitsOf(text: string): Digits | undefined {
  const isNegative = text.startsWith('-');
  const start = isNegative || text.startsWith('+') ? 1 : 0;
  let point = text.length;
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= ZERO && unit <= NINE) continue;
    if (unit !== POINT || point < text.length) return undefined;
    point = at;
  }
  if (text.length - start === (point < text.length ? 1 : 0)) return undefined;
  let from = start;
  while (from < point && text.charCodeAt(from) === ZERO) from++;
  let end = text.length;
  while (end > point && text.charCodeAt(end - 1) === ZERO) end--;
  return { isNegative, whole: text.slice(from, point), fraction: text.slice(point + 1, end) };
}

/** Exact, and in time with the length: a `BigInt` of many digits takes longer. */
function compareNumbers(one: string, other: string): number {
  const [a, b] = [digitsOf(one.trim()), digitsOf(other.trim())];
  if (a === undefined || b === undefined) return Number.NaN;
  const [signA, signB] = [signOf(a), signOf(b)];
  return signA === signB ? signA * compareSizes(a, b) : signA - signB;
}

function signOf({ isNegative, whole, fraction }: Digits): number {
  if (whole === '' && fraction === '') return 0;
  return isNegative ? -1 : 1;
}

function compareSizes(one: Digits, other: Digits): number {
  if (one.whole.length !== other.whole.length) return one.whole.length - other.whole.length;
  const [a, b] = [`${one.whole}.${one.fraction}`, `${other.whole}.${other.fraction}`];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function floatingOf(text: string): number {
  if (text === 'INF') return Number.POSITIVE_INFINITY;
  return text === '-INF' ? Number.NEGATIVE_INFINITY : Number(text);
}

function compareFloating(one: string, other: string): number {
  const [a, b] = [floatingOf(one.trim()), floatingOf(other.trim())];
  // The difference of two infinities is none.
  return a === b ? 0 : a - b;
}

/**
 * All forms of XML Schema's dates and times; what a type leaves out does not count in its order.
 */
const MOMENT =
  /^(?:(?<year>-?\d{4,})(?:-(?<month>\d\d)(?:-(?<day>\d\d))?)?|--(?<ofYear>\d\d)(?:-(?<ofMonth>\d\d)|--)?|---(?<alone>\d\d))?(?:T?(?<hours>\d\d):(?<minutes>\d\d):(?<seconds>\d\d(?:\.\d+)?))?(?<zone>[Zz]|[+-]\d\d:\d\d)?$/;

/** Any leap year, for dates without one. */
const SOME_YEAR = 2000;

/** Seconds since 1970 of a date or a time; NaN for a text that is none. */
function secondsOf(text: string): number {
  const groups = MOMENT.exec(text.trim())?.groups;
  if (groups === undefined) return Number.NaN;
  const { year = SOME_YEAR, month = groups.ofYear, day = groups.ofMonth ?? groups.alone } = groups;
  const { hours = 0, minutes = 0, seconds = 0, zone = 'Z' } = groups;
  const days = epochDayOf(Number(year), Number(month ?? 1), Number(day ?? 1));
  const inDay = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return days * 86_400 + inDay - offsetOf(zone);
}

/** Seconds that a zone is ahead of UTC. */
function offsetOf(zone: string): number {
  if (zone.length === 1) return 0;
  const size = (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4))) * 60;
  return zone.startsWith('-') ? -size : size;
}

const DURATION =
  /^(-?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

function durationOf(text: string): { readonly months: number; readonly seconds: number } {
  const found = DURATION.exec(text.trim()) ?? [];
  const sign = found[1] === '-' ? -1 : 1;
  const [years, months, days, hours, minutes, seconds] = found.slice(2).map((n) => Number(n ?? 0));
  if (years === undefined) return { months: Number.NaN, seconds: Number.NaN };
  return {
    months: sign * (years * 12 + months!),
    seconds: sign * (((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!),
  };
}

/** Months from which durations are counted to compare them (part 2, 3.2.6.2): years and months. */
const FROM_MONTHS = [
  [1696, 9],
  [1697, 2],
  [1903, 3],
  [1903, 7],
] as const;

/** Some have no order: a month is longer than P29D, and as long as P30D or not. */
function compareDurations(one: string, other: string): number {
  const [a, b] = [durationOf(one), durationOf(other)];
  const orders = FROM_MONTHS.map(([year, month]) => {
    const end = ({ months, seconds }: typeof a) => {
      const all = year * 12 + month - 1 + months;
      return epochDayOf(Math.floor(all / 12), (((all % 12) + 12) % 12) + 1, 1) * 86_400 + seconds;
    };
    return Math.sign(end(a) - end(b));
  });
  return orders.every((order) => order === orders[0]) ? orders[0]! : Number.NaN;
}

/**
 * Some texts of a type below and above a limit, the nearest first, and some that are far away; none
 * for types without an order.
 */
export function* besides(type: ScalarType, limit: string): Iterable<string> {
  if (ORDERS.get(type) === compareNumbers || ORDERS.get(type) === compareFloating)
    yield* numbersBeside(limit);
  const moment = secondsOf(limit);
  const form = MOMENTS[type as keyof typeof MOMENTS];
  if (form !== undefined && !Number.isNaN(moment))
    for (const seconds of [1, 86_400, 32 * 86_400, 367 * 86_400])
      for (const at of [moment - seconds, moment + seconds]) {
        const date = new Date(at * 1_000);
        if (!Number.isNaN(date.getTime())) yield form(date.toISOString());
      }
  if (type === 'duration') yield* ['PT1S', 'P1D', 'P1M', 'P1Y', 'P100Y', '-P1D'];
}

/** As XML Schema writes a moment in each type. */
const MOMENTS: { readonly [T in ScalarType]?: (iso: string) => string } = {
  dateTime: (iso) => `${iso.slice(0, 19)}Z`,
  date: (iso) => iso.slice(0, 10),
  time: (iso) => iso.slice(11, 19),
  gYear: (iso) => iso.slice(0, 4),
  gYearMonth: (iso) => iso.slice(0, 7),
  gMonth: (iso) => `--${iso.slice(5, 7)}`,
  gMonthDay: (iso) => `--${iso.slice(5, 10)}`,
  gDay: (iso) => `---${iso.slice(8, 10)}`,
};

/** Numbers that differ from one by 1, and by one in each further place. */
function* numbersBeside(limit: string): Iterable<string> {
  const [, sign, whole = '', fraction = ''] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(limit.trim()) ?? [];
  if (sign === undefined) {
    const number = floatingOf(limit);
    if (Number.isFinite(number)) yield* [number - 1, number + 1].map(String);
    return;
  }
  for (let places = 0; places <= fraction.length + 2; places++) {
    const digits = whole + fraction.slice(0, places).padEnd(places, '0');
    const scaled = BigInt(digits) * (sign === '-' ? -1n : 1n);
    for (const other of [scaled + 1n, scaled - 1n]) {
      const text = String(other < 0n ? -other : other).padStart(places + 1, '0');
      const point = text.length - places;
      const written = places === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`;
      yield other < 0n ? `-${written}` : written;
    }
  }
}

const ORDERS: ReadonlyMap<ScalarType, Order> = new Map<ScalarType, Order>([
  ...(
    [
      ...(['decimal', 'int', 'short', 'byte', 'unsignedInt', 'unsignedShort'] as const),
      ...(['unsignedByte', 'long', 'unsignedLong', 'integer', 'nonNegativeInteger'] as const),
      ...(['positiveInteger', 'nonPositiveInteger', 'negativeInteger'] as const),
    ] as const
  ).map((type) => [type, compareNumbers] as const),
  ...(['float', 'double'] as const).map((type) => [type, compareFloating] as const),
  ...(
    ['dateTime', 'date', 'time', 'gYear', 'gYearMonth', 'gMonth', 'gMonthDay', 'gDay'] as const
  ).map(
    (type) => [type, (one: string, other: string) => secondsOf(one) - secondsOf(other)] as const,
  ),
  ['duration', compareDurations],
]);
