import assert from 'node:assert/strict';
import { it } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import { zoneOfWindows } from '../../src/config/windows-zones.ts';

const zoneFor = (TIME_ZONE: string) => loadConfig({ TIME_ZONE }).timeZone;

it('zones of Windows are those of IANA, and abbreviations are refused with the right names', () => {
  for (const [given, zone, offset] of [
    ['China Standard Time', 'Asia/Shanghai', 'GMT+8'],
    ['Eastern Standard Time', 'America/New_York', 'GMT-5'],
    ['GMT Standard Time', 'Europe/London', ''],
    ['W. Europe Standard Time', 'Europe/Berlin', 'GMT+1'],
    ['TOKYO STANDARD TIME', 'Asia/Tokyo', 'GMT+9'],
    ['Pacific SA Standard Time', 'America/Santiago', 'GMT-3'],
  ] as const) {
    assert.equal(zoneFor(given), zone);
    const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'shortOffset' });
    assert.ok(format.format(Date.UTC(2027, 0, 10)).endsWith(offset), zone);
  }
  for (const given of ['CST', 'BST', 'EST', 'PST', 'MST', 'IST', 'ist', 'AST'])
    assert.throws(
      () => zoneFor(given),
      /TIME_ZONE must be .*Asia\/Shanghai .*America\/Chicago .*America\/New_York .*Europe\/London/,
      given,
    );
  for (const given of ['UTC', 'GMT', 'CET', 'PRC', 'Etc/GMT-8']) assert.ok(zoneFor(given), given);
  assert.equal(zoneOfWindows('Moon Standard Time'), undefined);
});
