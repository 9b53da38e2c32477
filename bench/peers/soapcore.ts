import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildLane } from '../../apps/ws01/test/system/dotnet/build.ts';
import { startSide } from '../kit/sides/side.ts';
import { hasProgram, type Peer, WSDL } from './peer.ts';

/** SoapCore on Kestrel, from the programs of `npm run test:system -- dotnet`; NuGet brings it. */
export const soapCore: Peer = {
  name: 'SoapCore, Kestrel',
  async start() {
    if (!hasProgram('dotnet'))
      throw new Error('dotnet is missing: apt-get install dotnet-sdk-10.0, or Microsoft’s SDK 10');
    const folder = mkdtempSync(join(tmpdir(), 'ws01-soapcore-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    return startSide(this.name, ['dotnet', await buildLane(folder, WSDL), 'count']);
  },
};
