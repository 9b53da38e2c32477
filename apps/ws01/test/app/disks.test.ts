import assert from 'node:assert/strict';
import { it } from 'node:test';
import { networkDisk } from '../../src/app/disks.ts';

it('SQLite on the disk of another machine is told, with what to do; no other place is', async () => {
  const dataDir = process.cwd();
  const told = (type: number, databaseUrl?: string) =>
    networkDisk({ dataDir, databaseUrl }, async () => type);
  if (process.platform === 'linux') {
    for (const [type, name] of [
      [0x6969, 'NFS'],
      [0xff534d42, 'SMB'],
      [0xfe534d42, 'SMB'],
    ] as const)
      assert.match(
        Object.values((await told(type))!).join('; '),
        new RegExp(`another machine \\(${name}\\).*; put DATA_DIR on`),
      );
  }
  for (const local of [0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630])
    assert.equal(await told(local), undefined);
  assert.equal(await told(0x6969, 'postgres://db/ws01'), undefined);
  const missing = { dataDir: `${dataDir}/missing`, databaseUrl: undefined };
  assert.equal(await networkDisk(missing), undefined);
});
