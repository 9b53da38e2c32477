import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { it } from 'node:test';
import { HOUR_MS } from '@ws01/asmx/time';
import { Visits } from '../../src/domain/links/visits.ts';
import { ws01 } from '../kit/command.ts';
import { forBothEngines } from '../kit/database.ts';
import { LinkDesk } from '../kit/links.ts';
import { auditOf } from '../kit/rows.ts';

forBothEngines((_engine, fresh) => {
  it('ws01 link lists short links and takes them down', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const desk = new LinkDesk(store);
    desk.now = Date.now();
    const first = await desk.shorten('http://one.example/?<&>"漢字', {
      _userId: 'ada',
      _deadline: desk.now + HOUR_MS,
    });
    desk.now += 1;
    const second = await desk.shorten('http://two.example/');
    const visits = new Visits({
      store,
      clock: () => desk.now,
      timeZone: 'UTC',
      writeEvery: HOUR_MS,
      sourcesPerDay: 0,
    });
    visits.count(first, 'visits');
    visits.count(first, 'bots');
    await visits.close();

    const listed = await ws01(database, ['link', 'list']);
    assert.equal(listed.code, 0, listed.stderr);
    const lines = listed.stdout.trimEnd().split('\n');
    assert.match(lines[0]!, /^CODE +STATE +VISITS +CREATED +DEADLINE +USER +TARGET$/);
    assert.match(lines[1]!, new RegExp(`^${second} +live +0 .* - +http://two.example/$`));
    assert.match(lines[2]!, new RegExp(`^${first} +live +1 .* ada +http://one.example/\\?`));

    const disabled = await ws01(database, ['link', 'disable', `https://sho.rt/${first}`]);
    assert.deepEqual(disabled, { code: 0, stdout: `Disabled ${first}.\n`, stderr: '' });
    const again = await ws01(database, ['link', 'disable', first, '--json']);
    assert.deepEqual(again, {
      code: 0,
      stdout: `${JSON.stringify({ code: first })}\n`,
      stderr: '',
    });
    const told = await auditOf(store, 'link.disable');
    assert.deepEqual(
      told.map(({ target_key, token_id, address, details }) => [
        target_key,
        token_id,
        address,
        JSON.parse(details),
      ]),
      [[first, null, null, { operator: userInfo().username }]],
    );
    const unknown = await ws01(database, ['link', 'disable', 'BBBBBBB']);
    assert.deepEqual(
      [unknown.code, /no such short link/.test(unknown.stderr)],
      [1, true],
      unknown.stderr,
    );

    const { stdout } = await ws01(database, ['link', 'list', '--json', '--most', '1000']);
    const links = JSON.parse(stdout);
    assert.deepEqual(
      links.map(({ code, state, visits, userId }: Record<string, unknown>) => [
        code,
        state,
        visits,
        userId,
      ]),
      [
        [second, 'live', 0, null],
        [first, 'disabled', 1, 'ada'],
      ],
    );
  });
});
