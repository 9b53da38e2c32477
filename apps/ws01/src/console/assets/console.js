// What pages need beyond htmx: passkeys, times in the browser's zone, copying, choosing rows, charts.

const said = (name) => document.body.dataset[name] ?? '';
/** The path of the console. */
const home = said('home');

function toast(text) {
  const place = document.getElementById('toast');
  place.textContent = text;
  setTimeout(() => {
    if (place.textContent === text) place.textContent = '';
  }, 4_000);
}

// --- Passkeys: what the page asks for, by the way it is to be used.
const CEREMONIES = {
  'sign-in': () => ({ path: `${home}/passkey`, get: true }),
  'set-up': ({ secret }) => ({ path: `${home}/set-up/${secret}/passkey`, get: false }),
  add: () => ({ path: `${home}/account/passkey`, get: false }),
};

/** What the service refused; its message is in the language of the page, which those of browsers are not. */
class Refused extends Error {}

async function post(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const said = await answer.json();
  if (!answer.ok) throw new Refused(said.problem);
  return { ...said, next: answer.headers.get('Location') };
}

async function usePasskey(button) {
  if (!window.PublicKeyCredential?.parseCreationOptionsFromJSON) return toast(said('unsupported'));
  const { path, get } = CEREMONIES[button.dataset.passkey](button.dataset);
  button.disabled = true;
  try {
    const options = await post(`${path}/options`, {});
    const credential = get
      ? await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
        })
      : await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
        });
    const resumed = document.getElementById('resume');
    const { next } = await post(path, {
      response: credential.toJSON(),
      next: button.dataset.next,
    });
    if (resumed === null) location.assign(next);
    else resumed.submit();
  } catch (error) {
    const why = error.name === 'NotAllowedError' ? 'aborted' : 'failed';
    toast(error instanceof Refused ? error.message : said(why));
  } finally {
    button.disabled = false;
  }
}

// --- What is done once to every part of a page, also to one that htmx brings.
// A date in Chinese is short: 2026/11/22 in the place of 2026年11月22日.
const dateStyle = locale.startsWith('zh') ? 'short' : 'medium';
const exactly = new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: 'short' });
const bySecond = new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: 'medium' });
const wholly = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' });
const onDay = new Intl.DateTimeFormat(locale, { dateStyle });
const onUtcDay = new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' });
const inYear = new Intl.DateTimeFormat(locale, {
  ...{ month: 'short', day: 'numeric' },
  ...{ hour: 'numeric', minute: '2-digit' },
});
const sinceNow = new Intl.RelativeTimeFormat(locale, { style: 'narrow', numeric: 'auto' });

/** The units of {@link sinceNow}, each with its ms and with how many of the next one are one. */
const UNITS = [
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
];

/** An instant as lists tell it: since when for a day, then its day and time, of other years its day alone. */
function nearly(instant) {
  const ms = instant - Date.now();
  if (Math.abs(ms) < 60_000) return sinceNow.format(0, 'second');
  for (const [unit, of, most] of UNITS)
    if (Math.abs(ms) < most * of) return sinceNow.format(Math.trunc(ms / of), unit);
  const isNear = instant.getFullYear() === new Date().getFullYear();
  return (isNear ? inYear : onDay).format(instant);
}

/** Whether an instant is a day of the service, which is one in UTC. */
const isDay = (text) => text.length === 10;

/** An instant as its place tells it: in lists nearly, in steps to the second. */
function toldAs({ classList, dateTime }, instant) {
  if (isDay(dateTime)) return onUtcDay.format(instant);
  if (classList.contains('ago')) return nearly(instant);
  return (classList.contains('seconds') ? bySecond : exactly).format(instant);
}

/** Tells times anew: what is near moves on, and on paper all are exact. */
function tellTimes(isOnPaper) {
  for (const time of document.querySelectorAll('time.ago[title]')) {
    const text = (isOnPaper ? exactly.format : nearly)(new Date(time.dateTime));
    if (time.textContent !== text) time.textContent = text;
  }
}
setInterval(() => tellTimes(matchMedia('print').matches), 30_000);

// What stands below a chart, and what is told of one point of it. Days are the service's own, in UTC.
const TIMES = {
  minute: {
    short: { timeStyle: 'short' },
    long: { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
  },
  hour: {
    short: { month: 'short', day: 'numeric' },
    long: { dateStyle: 'medium', timeStyle: 'short' },
  },
  day: {
    short: { month: 'short', day: 'numeric', timeZone: 'UTC' },
    long: { dateStyle: 'medium', timeZone: 'UTC' },
  },
};

const timesOf = (options) => {
  const format = new Intl.DateTimeFormat(locale, options);
  return (from, to = from) => format.formatRange(from * 1_000, to * 1_000);
};

const DAY = 86_400;
/** Lengths that people count in, for bars and for what stands between two labels: 1 min to 4 weeks; s. */
const LENGTHS = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * 60),
  ...[1, 2, 7, 14, 28].map((days) => days * DAY),
];
/** The first Monday of 1970, with which weeks begin; s. */
const MONDAY = 4 * DAY;

/** The least room of a bar and of a label, and the most labels; px. */
const BAR_PX = 4;
const LABEL_PX = 56;
const MOST_LABELS = 8;

/** What the clock of a chart shows at an instant, as if it were UTC; s. */
const clockAt = (unit, at) =>
  unit === 'day' ? at : at - new Date(at * 1_000).getTimezoneOffset() * 60;

/** The instant at which the clock of a chart shows this. */
function instantAt(unit, clock) {
  if (unit === 'day') return clock;
  const [day, minutes] = [new Date(clock * 1_000), (clock % DAY) / 60];
  return new Date(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate(), 0, minutes) / 1_000;
}

/** Where labels stand: on the hour, at midnight, on Mondays, equally far from each other. */
function labelsOf(unit, from, to, width) {
  const [begin, end] = [clockAt(unit, from), clockAt(unit, to)];
  const fits = (step) =>
    width * step >= LABEL_PX * (to - from) && to - from <= step * MOST_LABELS * 1.01;
  const step = LENGTHS.find(fits) ?? LENGTHS.at(-1);
  const first = Math.ceil((begin - MONDAY) / step);
  const count = Math.floor((end - MONDAY) / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, at) =>
    instantAt(unit, MONDAY + (first + at) * step),
  );
}

/** A chart whose bars would be too thin gets those of a longer time. */
function grouped(chart, width) {
  const { times, unit, series, before, calls } = chart;
  const slot = times[1] - times[0];
  const isThin = (length) => width * length < BAR_PX * slot * times.length;
  if (times.length < 2 || width <= 0 || !isThin(slot)) return chart;
  const length = LENGTHS.find((one) => one % slot === 0 && !isThin(one)) ?? LENGTHS.at(-1);
  const groupOf = (at) => Math.floor((clockAt(unit, at) - MONDAY) / length);
  const groups = [...Map.groupBy(times.keys(), (at) => groupOf(times[at])).values()];
  const starts = groups.map(([at]) => times[at]);
  // The first one may have fewer: its bar stands where the others do, and begins where the chart does.
  if (starts.length > 1) starts[0] = starts[1] - length;
  const summed = (counts) => groups.map((group) => group.reduce((sum, at) => sum + counts[at], 0));
  return {
    ...{ ...chart, times: starts, begins: times[0], length },
    series: series.map((figures) =>
      (calls === undefined ? summed : meansOf(groups, calls))(figures),
    ),
    ...(calls !== undefined && { calls: { ...calls, most: mostOf(groups, calls) } }),
    ...(before !== undefined && { before: { ...before, counts: summed(before.counts) } }),
  };
}

/** How long the calls of groups of bars took on average; nothing where there was none. */
const meansOf =
  (groups, { counts }) =>
  (means) =>
    groups.map((group) => {
      const all = group.reduce((sum, at) => sum + counts[at], 0);
      return all === 0 ? null : group.reduce((sum, at) => sum + means[at] * counts[at], 0) / all;
    });

/** The highest of what is told of each bar. */
const mostOf = (groups, { most }) =>
  groups.map((group) => {
    const told = group.map((at) => most[at]).filter((one) => one !== null);
    return told.length === 0 ? null : Math.max(...told);
  });

const counted = new Intl.NumberFormat(locale);
const inMilliseconds = new Intl.NumberFormat(locale, {
  ...{ style: 'unit', unit: 'millisecond', maximumFractionDigits: 1 },
});

/** A figure of a chart in words: a count, or how long something took; none where nothing was. */
function toldFigure({ calls }, figure) {
  if (figure == null) return '–';
  return (calls === undefined ? counted : inMilliseconds).format(figure);
}

const WHOLE_STEPS = [...Array(10).keys()].flatMap((power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
);

/** Lines across a chart, and the step between them: a whole number, as what is counted. */
const STEPS_UP = [0, 1, 2, 3, 4];
const stepTo = (most) => WHOLE_STEPS.find((step) => most <= step * STEPS_UP.at(-1)) ?? most;

/** How long a bar of a chart is; s. */
const lengthOf = ({ times, length = times[1] - times[0] }) => length;

/** When a bar of a chart begins and ends; s. */
const spanOf = (chart, at) => [
  Math.max(chart.times[at], chart.begins ?? 0),
  Math.min(chart.times[at] + lengthOf(chart), chart.ends ?? Number.POSITIVE_INFINITY),
];

/** Whether the time of a bar is not over: then it is low because more is to come. */
const isOpen = (chart, at) => chart.isOpen === true && at === chart.times.length - 1;

/** A length as people say it: 15 minutes, 6 hours, 2 days. */
function toldLength(seconds) {
  const [unit, of] = [
    ['day', DAY],
    ['hour', 3_600],
    ['minute', 60],
  ].find(([, one]) => seconds >= one);
  const form = { style: 'unit', unit, unitDisplay: 'long' };
  return new Intl.NumberFormat(locale, form).format(seconds / of);
}

const charts = new WeakMap();

function dress(part) {
  for (const time of part.querySelectorAll('time[datetime]:not([title])')) {
    const instant = new Date(time.dateTime);
    if (Number.isNaN(instant.getTime())) continue;
    time.title = isDay(time.dateTime) ? time.dateTime : wholly.format(instant);
    time.textContent = toldAs(time, instant);
  }
  if (!hasKeys)
    for (const one of part.querySelectorAll('[aria-keyshortcuts]'))
      one.removeAttribute('aria-keyshortcuts');
  for (const place of part.querySelectorAll('[data-chart]')) if (!charts.has(place)) draw(place);
}

/** What is told of a bar's time: both ends, and of one day the day. */
function toldTime(place, at) {
  const chart = chartOf(place);
  const { unit } = chart;
  const [from, to] = spanOf(chart, at);
  const told = timesOf(TIMES[unit].long)(from, unit === 'day' ? to - DAY : to);
  return isOpen(chart, at) ? `${told} (${said('soFar')})` : told;
}

/** What a bar stands for, while none is pointed at. */
const toldBar = (place) => said('bar').replace('{length}', toldLength(lengthOf(chartOf(place))));

/** The time in which nothing was recorded yet is not like one without calls. */
function shade(place, { ctx, bbox, valToPos }) {
  const { recordedFrom, times } = chartOf(place);
  if (recordedFrom === undefined) return;
  const first = times.findLastIndex((at) => at <= recordedFrom);
  const end = valToPos((times[first - 1] + times[first]) / 2, 'x', true);
  ctx.save();
  ctx.globalAlpha = 0.5;
  ctx.fillStyle = colourOf(place, 'line');
  ctx.fillRect(bbox.left, bbox.top, end - bbox.left, bbox.height);
  ctx.restore();
}

/** A bar whose time is not over, or of which the chart has a part, is paler than the others. */
function pale(place, { ctx, bbox, valToPos }) {
  const chart = chartOf(place);
  const length = lengthOf(chart);
  ctx.save();
  ctx.globalAlpha = 0.5;
  ctx.fillStyle = colourOf(place, 'paper');
  for (const [at, time] of chart.times.entries()) {
    const [from, to] = spanOf(chart, at);
    if (to - from === length && !isOpen(chart, at)) continue;
    const [left, right] = [-0.5, 0.5].map((half) => valToPos(time + half * length, 'x', true));
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
  }
  ctx.restore();
}

function draw(place) {
  if (typeof uPlot === 'undefined') return;
  const { labels, unit, before, tones, calls } = chartOf(place);
  const short = timesOf(TIMES[unit].short);
  // Half a bar stands beside the first and the last time.
  const besides = ({ data: [[first, second = first]] }, min, max) => {
    const half = (second - first) / 2;
    return [min - half, max + half];
  };
  const valueAt = (_, __, at, index) =>
    index == null ? '' : toldFigure(chartOf(place), figuresOf(place)[at - 1]?.[index]);
  const bars = (label, tone, size) => ({
    ...{ label, width: 0, points: { show: false }, class: tone === 'rest' ? 'behind' : null },
    ...{ fill: () => colourOf(place, tone), paths: uPlot.paths.bars({ size }) },
    value: valueAt,
  });
  const ink = () => colourOf(place, 'soft');
  const line = { stroke: () => colourOf(place, 'line'), width: 1 };
  const axis = { stroke: ink, ticks: line, font: `12px ${getComputedStyle(place).fontFamily}` };
  place.replaceChildren();
  const size = () => ({ width: Math.max(0, place.clientWidth - 16), height: 200 });
  const chart = new uPlot(
    {
      ...size(),
      legend: { show: true, markers: { width: 0 } },
      // A click is a click, also where a finger moved a little; what one pointed at last stays told.
      cursor: {
        ...{ drag: { x: false, y: false, click: () => {} }, y: false },
        bind: { mouseleave: () => null },
      },
      scales: {
        x: { range: besides },
        y: { range: (_, __, max) => [0, Math.ceil(max / stepTo(max) || 1) * stepTo(max)] },
      },
      // A label at the end has its room.
      padding: [null, LABEL_PX / 2, null, null],
      hooks: {
        drawClear: [(self) => shade(place, self)],
        draw: [(self) => pale(place, self)],
      },
      axes: [
        {
          ...{ ...axis, grid: { show: false }, size: 30 },
          splits: ({ bbox }, _, from, to) =>
            labelsOf(unit, from, to, bbox.width / devicePixelRatio),
          values: (_, splits) => splits.map((at) => short(at)),
        },
        // Counts have the room that the longest needs.
        {
          ...{ ...axis, grid: line, ticks: { show: false } },
          splits: (_, __, ___, top) =>
            STEPS_UP.map((step) => step * stepTo(top)).filter((at) => at <= top),
          size: (_, texts) => 16 + 8 * Math.max(...(texts ?? ['']).map(({ length }) => length)),
        },
      ],
      series: [
        {
          label: said('time'),
          value: (_, __, ___, at) => (at == null ? toldBar(place) : toldTime(place, at)),
        },
        ...labels.map((label, at) => bars(label, tones[at], [0.8, 40, 1])),
        // The time before is a line: it is seen where it was lower, too, and in any colours.
        ...(before === undefined
          ? []
          : [
              {
                ...{ label: before.label, width: 1.5, dash: [4, 3], points: { show: false } },
                ...{ stroke: ink, class: 'dashed', value: valueAt },
              },
            ]),
        // Told and not drawn: the few slow calls would make all others low.
        ...(calls === undefined
          ? []
          : [
              {
                ...{ label: calls.label, class: 'told', value: valueAt, auto: false },
                ...{ paths: () => null, points: { show: false } },
              },
            ]),
      ],
    },
    dataOf(place),
    place,
  );
  charts.set(place, chart);
  readable(place, chart);
  // The phone is turned, the window made smaller.
  new ResizeObserver(() => {
    if (chart.width === size().width) return;
    chart.setSize(size());
    chart.setData(dataOf(place));
    chart.over.ariaValueMax = chart.data[0].length - 1;
  }).observe(place);
}

/** What the numbers beside a chart, and the end of its labels, leave of a place; px. */
const BESIDE_PX = 76;

const chartOf = (place) => grouped(JSON.parse(place.dataset.chart), place.clientWidth - BESIDE_PX);

/** A colour of the style sheet, as it is where the chart stands. */
function colourOf(place, name) {
  const probe = place.appendChild(document.createElement('i'));
  probe.style.color = `var(--${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** The figures of a chart: its series, what was before, and what is told besides. */
function figuresOf(place) {
  const { series, before, calls } = chartOf(place);
  return [...series, before?.counts, calls?.most].filter((figures) => figures !== undefined);
}

/** What a chart draws: its times, and its figures; where they are stacked each stands on the next one. */
function dataOf(place) {
  const { times, isStacked } = chartOf(place);
  const figures = figuresOf(place);
  if (!isStacked) return [times, ...figures];
  const topOf = (at) =>
    times.map((_, index) => figures.slice(at).reduce((sum, counts) => sum + counts[index], 0));
  return [times, ...figures.map((_, at) => topOf(at))];
}

// Whose system turns dark meanwhile.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const place of document.querySelectorAll('[data-chart]')) charts.get(place)?.redraw();
});

/**
 * A chart is read by the mouse, by a finger and by the arrow keys; a click or Enter leads to the failed calls of a point,
 * of a finger its second tap on it: the first one reads.
 */
function readable(place, chart) {
  const { over } = chart;
  let read;
  let readBefore;
  const last = () => chart.data[0].length - 1;
  const go = (at) => {
    const { times } = chartOf(place);
    chart.setCursor({ left: chart.valToPos(times[at], 'x'), top: 0 });
    chart.setLegend({ idx: at });
    over.ariaValueNow = at;
    const figures = figuresOf(place).map(
      (counts, number) =>
        `${chart.series[number + 1].label} ${toldFigure(chartOf(place), counts[at])}`,
    );
    over.ariaValueText = [toldTime(place, at), ...figures].join(', ');
    read = at;
  };
  const lead = (at) => {
    const { leads } = chartOf(place);
    if (leads === undefined || at == null) return;
    const [from, to] = spanOf(chartOf(place), at);
    const instant = (seconds) => new Date(seconds * 1_000).toISOString();
    const path = new URL(leads, location.href);
    path.searchParams.set('createdFrom', instant(from));
    path.searchParams.set('createdTo', instant(to));
    location.assign(path);
  };
  Object.assign(over, { tabIndex: 0, role: 'slider', ariaLabel: said('time'), ariaValueMin: 0 });
  // A finger moves along it, and scrolls the page up and down.
  over.style.touchAction = 'pan-y';
  over.ariaValueMax = last();
  over.ariaValueNow = last();
  over.addEventListener('focus', () => over.matches(':focus-visible') && go(read ?? last()));
  over.addEventListener('keydown', (event) => {
    const at = read ?? last();
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last() }[event.key];
    if (event.key === 'Enter') lead(at);
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go(Math.max(0, Math.min(last(), to)));
  });
  over.addEventListener('pointerdown', () => {
    readBefore = read;
  });
  over.addEventListener('pointermove', ({ pointerType, offsetX }) => {
    if (pointerType === 'touch') go(chart.posToIdx(offsetX));
  });
  over.addEventListener('click', ({ pointerType, offsetX }) => {
    const at = chart.posToIdx(offsetX);
    const isRead = pointerType !== 'touch' || readBefore === at;
    go(at);
    if (isRead) lead(at);
  });
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (button?.dataset.passkey !== undefined) usePasskey(button);
  if (button?.dataset.copy !== undefined) {
    // A key that is shown in short is the button's value.
    const text = button.value || document.getElementById(button.dataset.copy).textContent;
    navigator.clipboard.writeText(text).then(() => toast(said('copied')));
  }
});

// One filter is one request: a choice sends the form, what is typed waits for Enter.
document.addEventListener('change', ({ target }) => {
  if (target.tagName === 'SELECT') target.closest('form.filters')?.requestSubmit();
});

// A date that was typed in part is sent as one that is wrong: browsers leave it out, as if there was none.
document.addEventListener(
  'submit',
  ({ target }) => {
    for (const field of target.querySelectorAll('[type=date]'))
      if (field.validity.badInput) Object.assign(field, { type: 'text', value: '?' });
  },
  true,
);

document.addEventListener('change', (event) => {
  const box = event.target;
  if (box.dataset.all === undefined) return;
  for (const one of document.querySelectorAll(`input[name="${box.dataset.all}"]`))
    one.checked = box.checked;
});

// Who speaks to the machine, or holds it unsteadily, switches keys that act alone off.
const hasKeys = document.documentElement.dataset.keys !== 'off';

/** Whether a key that acts alone was pressed; where text is typed, a key is a letter. */
function actsAlone({ ctrlKey, metaKey, altKey }) {
  const isTyping =
    document.activeElement?.matches('textarea, select, input:not([type="checkbox"])') === true;
  return hasKeys && !isTyping && !ctrlKey && !metaKey && !altKey;
}

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || !actsAlone(event)) return;
  const search = document.getElementById('q');
  if (search === null) return;
  event.preventDefault();
  search.focus();
});

// All keys, over the page.
document.addEventListener('keydown', (event) => {
  const list = document.getElementById('all-keys');
  if (event.key !== '?' || !actsAlone(event) || list === null) return;
  event.preventDefault();
  if (list.togglePopover()) list.querySelector('button').focus();
});

// One key each: it presses what names it; after G, a page of the menu.
let isGoing = false;
document.addEventListener('keydown', (event) => {
  if (!actsAlone(event) || event.repeat) return;
  const key = event.key.toLowerCase();
  const sign = isGoing ? 'go' : 'hotkey';
  isGoing = key === 'g' && !isGoing;
  const place = document.querySelector(`[data-${sign}="${CSS.escape(key)}"]`);
  if (place === null) return;
  event.preventDefault();
  place.click();
});

// A field for a key offers what there is, once somebody is in it and when they pause in their typing.
const PAUSE_OF_TYPING_MS = 200;
let offering;
let pauseOfTyping;
async function offer(field) {
  offering?.abort();
  offering = new AbortController();
  const path = `${field.dataset.offers}?${new URLSearchParams({ q: field.value })}`;
  try {
    const answer = await fetch(path, { signal: offering.signal });
    if (answer.ok) field.list.innerHTML = await answer.text();
  } catch {
    // The key can be typed.
  }
}
document.addEventListener('focusin', ({ target }) => {
  if (target.dataset.offers !== undefined && target.list.options.length === 0) offer(target);
});
document.addEventListener('input', ({ target }) => {
  if (target.dataset.offers === undefined) return;
  clearTimeout(pauseOfTyping);
  pauseOfTyping = setTimeout(() => offer(target), PAUSE_OF_TYPING_MS);
});

// A search box offers where to go by what is typed, and how to go on with what is typed (WAI-ARIA: editable combobox with a list).
let completing;
function complete(field) {
  const list = Object.assign(document.createElement('ul'), {
    ...{ id: `${field.id}-completions`, className: 'completions', hidden: true },
  });
  list.setAttribute('role', 'listbox');
  list.ariaLabel = said('ways');
  const told = Object.assign(document.createElement('span'), { className: 'hidden' });
  told.setAttribute('role', 'status');
  field.after(list, told);
  for (const [name, value] of [
    ['role', 'combobox'],
    ['aria-autocomplete', 'list'],
    ['aria-expanded', 'false'],
    ['aria-controls', list.id],
  ])
    field.setAttribute(name, value);
  const options = () => [...list.children];
  const mark = (option) => {
    for (const one of options()) one.setAttribute('aria-selected', String(one === option));
    if (option === undefined) field.removeAttribute('aria-activedescendant');
    else field.setAttribute('aria-activedescendant', option.id);
    option?.scrollIntoView({ block: 'nearest' });
  };
  const askNoMore = () => {
    completing?.abort();
    clearTimeout(pauseOfTyping);
  };
  const close = () => {
    askNoMore();
    list.hidden = true;
    told.textContent = '';
    mark(undefined);
    field.ariaExpanded = 'false';
  };
  const ask = async () => {
    completing?.abort();
    completing = new AbortController();
    const path = `${field.dataset.completions}&${new URLSearchParams({ q: field.value })}`;
    // Broken off, it may be at its beginning or in its text.
    const innerHTML = await fetch(path, { signal: completing.signal })
      .then((answer) => (answer.ok ? answer.text() : ''))
      .catch(() => undefined);
    if (innerHTML === undefined || document.activeElement !== field) return;
    const { content } = Object.assign(document.createElement('template'), { innerHTML });
    list.replaceChildren(...content.querySelectorAll('li'));
    for (const [at, option] of options().entries()) option.id = `${list.id}-${at}`;
    mark(undefined);
    list.hidden = list.children.length === 0;
    field.ariaExpanded = String(!list.hidden);
    told.textContent = content.querySelector('[data-said]')?.dataset.said ?? '';
  };
  const take = (option) => {
    if (option.dataset.url !== undefined) return location.assign(option.dataset.url);
    field.value = option.dataset.value;
    field.focus();
    ask();
  };
  field.addEventListener('input', () => {
    clearTimeout(pauseOfTyping);
    if (field.value.trim() === '') close();
    else pauseOfTyping = setTimeout(ask, PAUSE_OF_TYPING_MS);
  });
  field.addEventListener('blur', close);
  field.form.addEventListener('submit', close);
  field.addEventListener('keydown', (event) => {
    const { key, isComposing } = event;
    if (isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const present = list.querySelector('[aria-selected=true]');
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step !== undefined) {
      // Down from the filters of a list begins the list.
      if (list.hidden && field.form.matches('.filters')) return;
      event.preventDefault();
      if (list.hidden) return ask();
      // Who chooses among the offers gets no others in their place.
      askNoMore();
      const all = options();
      // Beyond the last one is the text as it was typed.
      const at = (all.indexOf(present) + 1 + step + all.length + 1) % (all.length + 1);
      mark(all[at - 1]);
    } else if (key === 'Enter' && present !== null && !list.hidden) {
      event.preventDefault();
      take(present);
    } else if (key === 'Escape' && !list.hidden) {
      event.preventDefault();
      close();
    }
  });
  // The field keeps the focus where one presses an offer.
  list.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    askNoMore();
  });
  list.addEventListener('click', ({ target }) => {
    const option = target.closest('li');
    if (option !== null) take(option);
  });
}
for (const field of document.querySelectorAll('[data-completions]')) complete(field);

// What is folded behind a button goes when one goes on elsewhere, or by Escape.
const more = () => document.querySelector('.more[open], .ask[open]');
document.addEventListener('click', ({ target }) => {
  if (more()?.contains(target) === false) more().removeAttribute('open');
});
document.addEventListener('keydown', ({ key }) => {
  const open = key === 'Escape' ? more() : null;
  open?.removeAttribute('open');
  open?.querySelector('summary').focus();
});

// What asks why has the focus at once; a reason that is offered fills the field, and may be changed there.
document.addEventListener(
  'toggle',
  ({ target }) => {
    const field = target.matches('.ask[open]') ? target.querySelector('input[required]') : null;
    // What a stream brings anew is unfolded again, with somebody in it.
    if (field?.parentElement.contains(document.activeElement) === false)
      field.focus({ preventScroll: true });
  },
  true,
);
document.addEventListener('click', ({ target }) => {
  const { fill } = target.dataset;
  if (fill === undefined) return;
  const field = document.getElementById(fill);
  field.value = target.textContent;
  field.focus();
});

// What the menu shows beside an entry goes by Escape, until the mouse or the focus comes again.
const menu = document.querySelector('.menu');
document.addEventListener('keydown', ({ key }) =>
  menu?.classList.toggle('quiet', key === 'Escape'),
);
for (const event of ['mouseleave', 'focusin'])
  menu?.addEventListener(event, () => menu.classList.remove('quiet'));

// The records of the list that this tab showed last, by their paths, in its order, and the pages beside it.
const LIST = 'list';
const records = () => document.getElementById('records');
const keepList = () => {
  const links = [...(records()?.querySelectorAll('tbody tr') ?? [])].map((row) =>
    row.querySelector('a[href]')?.getAttribute('href'),
  );
  const pageAt = (rel) => document.querySelector(`#list a[rel="${rel}"]`)?.getAttribute('href');
  const kept = { links, before: pageAt('prev'), after: pageAt('next') };
  if (links.length > 0) sessionStorage.setItem(LIST, JSON.stringify(kept));
};
const goBeside = (step) => {
  const { links = [], before, after } = JSON.parse(sessionStorage.getItem(LIST) ?? '{}');
  const at = links.indexOf(location.pathname);
  if (at < 0) return;
  const path = links[at + step] ?? (step < 0 ? before : after);
  if (path !== undefined) location.assign(path);
};

// Up and down go from record to record in a list, and from button to button behind "More actions"; J and K also
// from the page of a record to that of the next or the previous one, or to the page of the list that has it.
document.addEventListener('keydown', (event) => {
  const isLetter = /^[jk]$/.test(event.key);
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (isLetter && !actsAlone(event)) return;
  if (isLetter && records() === null) return goBeside(step);
  const here = document.activeElement;
  const isFilter = here?.matches('.filters :is(button, input:not([list], [type="date"]))') === true;
  const list = isLetter || (isFilter && event.key === 'ArrowDown') ? records() : null;
  const place = here?.closest('#records, .more') ?? list;
  if (step === undefined || place == null || event.ctrlKey || event.metaKey || event.altKey) return;
  const isList = place.id === 'records';
  const rows = [...place.querySelectorAll(isList ? 'tbody tr' : 'div > *')];
  const at = rows.indexOf(here.closest(isList ? 'tbody tr' : '.more > div > *'));
  const next = at < 0 && step < 0 && !isList ? rows.length - 1 : at + step;
  const row = rows[Math.max(0, Math.min(next, rows.length - 1))];
  if (row === undefined) return;
  event.preventDefault();
  if (!isList) place.open = true;
  (isList ? row.querySelector('a[href]') : row)?.focus();
});

document.addEventListener('htmx:sendError', () => toast(said('gone')));
document.addEventListener('htmx:responseError', ({ detail: { xhr } }) => {
  const problem = new DOMParser()
    .parseFromString(xhr.responseText, 'text/html')
    .querySelector('.problem');
  toast(problem?.textContent ?? `${xhr.status} ${xhr.statusText}`);
});
document.addEventListener('htmx:afterSwap', () => {
  dress(document);
  const list = document.querySelector('#list [data-said]');
  if (list !== null) toast(list.dataset.said);
  keepList();
  // The link to the next page went with the rows that it stood under: go on with the new ones.
  if (document.activeElement === document.body)
    document.querySelector('#list .scroll')?.focus({ preventScroll: true });
});

// Back after signing out shows nothing that was kept (WebKit keeps it in spite of `no-store`).
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

// CSS knows no focus of a frame.
const frames = document.querySelectorAll('iframe');
const markFrame = () => {
  for (const frame of frames) frame.classList.toggle('focused', frame === document.activeElement);
};
if (frames.length > 0)
  for (const event of ['blur', 'focus']) window.addEventListener(event, markFrame);

// On paper a frame is cut where its height ends: what is longer than that stands there as text, whole.
const FRAMED_CHARS = 1_000;
function writeForPaper() {
  tellTimes(true);
  for (const frame of document.querySelectorAll('iframe.preview[src]')) {
    if (frame.nextElementSibling?.matches('.paper')) continue;
    const asked = new XMLHttpRequest();
    // A page is printed as it is when this returns.
    asked.open('GET', frame.src, false);
    asked.send();
    // Nothing in a template runs, loads or has a style.
    const { content: seen } = Object.assign(document.createElement('template'), {
      innerHTML: asked.responseText,
    });
    for (const one of seen.querySelectorAll('style, script, title')) one.remove();
    for (const one of seen.querySelectorAll('br, p, div, li, tr, pre, h1, h2, h3, h4'))
      one.after('\n');
    const text = seen.textContent.trim();
    if (asked.status !== 200 || text.length <= FRAMED_CHARS) continue;
    const whole = document.createElement('pre');
    whole.className = 'paper';
    whole.textContent = text;
    frame.after(whole);
  }
}
window.addEventListener('beforeprint', writeForPaper);
matchMedia('print').addEventListener('change', ({ matches }) =>
  matches ? writeForPaper() : tellTimes(false),
);

// What a page tells once is not told again by a reload or a bookmark.
const here = new URL(location.href);
if (here.searchParams.has('told')) {
  const list = sessionStorage.getItem(LIST);
  sessionStorage.clear();
  if (list !== null) sessionStorage.setItem(LIST, list);
  here.searchParams.delete('told');
  history.replaceState(history.state, '', here);
}

// Drafts of editors (editor.js) end with what they were for.
for (const tail of ['edit', 'new']) sessionStorage.removeItem(`draft ${location.pathname}/${tail}`);
document.addEventListener('submit', ({ target }) => {
  if (/\/sign-out/.test(target.action)) sessionStorage.clear();
});

// Days are days of the reader, and pages of lists as long as one scrolls on the screen.
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
for (const own of [
  `zone=${timeZone}`,
  `narrow=${Number(matchMedia('(max-width: 37.5rem)').matches)}`,
]) {
  // The Cookie Store API is not in every browser.
  // biome-ignore lint/suspicious/noDocumentCookie: one plain value
  document.cookie = `ws01-${own}; path=${home}; max-age=31536000; samesite=lax`;
}

keepList();

dress(document);
