import * as forms from '../forms.ts';
import { type Setting, setting } from '../setting.ts';

export const LISTENING = {
  host: setting({
    variable: 'HOST',
    form: forms.host,
    fallback: '127.0.0.1',
    documentation: 'Where to listen. `0.0.0.0` or `::` for every address of the machine.',
  }),
  port: setting({
    variable: 'PORT',
    form: forms.integer(0, 65_535),
    fallback: '8080',
    documentation: 'Where to listen. `0` takes a free port, which the start prints.',
  }),
  socketPath: setting({
    variable: 'SOCKET_PATH',
    form: forms.folder,
    without: 'none: `HOST` and `PORT` count',
    documentation:
      'A socket of the file system to listen on in place of `HOST` and `PORT`, such as `/run/ws01/http.sock`. Who connects there counts as `127.0.0.1`.',
  }),
  socketMode: setting({
    variable: 'SOCKET_MODE',
    form: forms.accessMode,
    fallback: '660',
    documentation: 'Access rights of `SOCKET_PATH`, octal. The group of the socket is that of the service.',
  }),
  tlsCertFile: setting({
    variable: 'TLS_CERT_FILE',
    form: forms.folder,
    without: 'none: the service speaks HTTP',
    documentation:
      'File with the certificate and its chain, PEM: the service speaks HTTPS. Read again at SIGHUP. Goes with `TLS_KEY_FILE`.',
  }),
  tlsKeyFile: setting({
    variable: 'TLS_KEY_FILE',
    form: forms.folder,
    without: 'none',
    documentation: 'File with the key of the certificate, PEM.',
  }),
  baseUrl: setting({
    variable: 'BASE_URL',
    form: forms.publicUrl,
    without: 'none: `http://` and the host that the client used; outside answers `http://localhost:{PORT}`',
    documentation: 'What WSDL addresses and links begin with. Behind a proxy: the public URL, without `/WS01.asmx`.',
  }),
  trustedProxies: setting({
    variable: 'TRUSTED_PROXIES',
    form: forms.networks,
    without: 'none: the address of the connection counts',
    documentation:
      'Addresses or networks, separated by commas, whose `X-Forwarded-For`, `-Host` and `-Proto` are believed; also the words `loopback` and `private`.',
  }),
} as const satisfies Record<string, Setting>;
