import * as addresses from '../address-forms.ts';
import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

export const LISTENING = {
  host: setting({
    variable: 'HOST',
    form: addresses.host,
    fallback: '127.0.0.1',
    documentation: 'Address to listen on. `0.0.0.0` or `::` for all addresses of the machine.',
  }),
  port: setting({
    variable: 'PORT',
    form: forms.integer(0, 65_535),
    fallback: '8080',
    documentation: 'Port to listen on. `0` takes a free port, which is printed at the start.',
  }),
  socketPath: setting({
    variable: 'SOCKET_PATH',
    form: addresses.socketPath,
    without: 'none: `HOST` and `PORT` are used',
    documentation:
      'Unix socket to listen on instead of `HOST` and `PORT`, such as `/run/ws01/http.sock`. Its clients count as `127.0.0.1`.',
  }),
  tlsCertFile: setting({
    variable: 'TLS_CERT_FILE',
    form: addresses.folder,
    without: 'none: the service speaks HTTP',
    documentation:
      'File with the certificate and its chain, PEM; turns on HTTPS. Reloaded at SIGHUP. Needs `TLS_KEY_FILE`.',
  }),
  tlsKeyFile: setting({
    variable: 'TLS_KEY_FILE',
    form: addresses.folder,
    without: 'none',
    documentation: 'File with the private key of the certificate, PEM.',
  }),
  baseUrl: setting({
    variable: 'BASE_URL',
    form: addresses.publicUrl,
    without: 'none: `http://` and the host in the request; in mails `http://localhost:{PORT}`',
    documentation:
      'Public URL of the service, without `/WS01.asmx`. Addresses in WSDL and links begin with it. Set it behind a proxy.',
  }),
  trustedProxies: setting({
    variable: 'TRUSTED_PROXIES',
    form: addresses.networks,
    without: 'none: the address of the connection is used',
    documentation:
      'Addresses or networks, separated by commas, whose `X-Forwarded-For`, `-Host` and `-Proto` are trusted; also the words `loopback` and `private`.',
  }),
} as const satisfies Record<string, Setting>;
