import { spawnSync } from 'node:child_process';
import { startSide } from '../kit/sides/side.ts';
import type { Peer } from './peer.ts';

const SETTINGS = ['opcache.enable_cli=1', 'soap.wsdl_cache_enabled=1', 'display_errors=0'];

/** PHP's SoapServer under PHP's own server, where php-cli and php-soap are installed. It closes after every answer. */
export const php: Peer = {
  name: 'PHP SoapServer, php -S',
  async start() {
    const modules = spawnSync('php', ['-m'], { encoding: 'utf8' }).stdout ?? '';
    if (!modules.split('\n').includes('soap')) return undefined;
    const settings = SETTINGS.flatMap((setting) => ['-d', setting]);
    return startSide(this.name, [
      'php',
      '-q',
      ...settings,
      '-S',
      '127.0.0.1:0',
      `${import.meta.dirname}/php-server.php`,
    ]);
  },
};
