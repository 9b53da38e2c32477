/** A process that sweeps as a node of two hours later would; started with the data folder and the database's URL. */

import { HOUR_MS } from '@ws01/asmx/time';
import { openFiles } from '../../../src/adapters/files/open.ts';
import { sweepFiles } from '../../../src/domain/images/sweep.ts';
import { openStore } from '../../../src/store/open.ts';

const [dataDir, databaseUrl] = process.argv.slice(2);
if (dataDir !== undefined) {
  const store = await openStore({
    dataDir,
    databaseUrl: databaseUrl === '' ? undefined : databaseUrl,
  });
  const files = await openFiles({ kind: 'disk', folder: `${dataDir}/files` }, dataDir);
  console.log('sweeping');
  const later = Date.now() + 2 * HOUR_MS;
  await sweepFiles(
    { store, files, clock: Date.now },
    { store: later, spool: later },
    { all: true },
  );
  await store.close();
}
