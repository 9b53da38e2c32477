"""python.py URL CALLS: zeep, suds and requests. Each call prints its way, its name, ok, error or the status, and what came."""
import base64, logging, sys

import requests, suds.client, zeep, zeep.transports

logging.disable(logging.CRITICAL)
url, calls = sys.argv[1:]
LINES = [line.rstrip('\n').split('\t') for line in open(calls)]


def say(way, name, kind, text):
    print(way, name, kind, str(text).replace('\n', ' ').replace('\t', ' '), sep='\t', flush=True)


def values(fields, decode):
    found = {}
    for pair in fields[3:]:
        name, path = pair.split('=', 1)
        text = open(path).read()
        found[name] = base64.b64decode(text) if decode and name == 'FileImg' else int(text) if name == 'pagesize' else text
    return found


def typed(way, method, decode):
    for fields in LINES:
        try:
            result = method(fields[1])(**values(fields, decode))
            say(way, fields[0], 'ok', {True: 'true', False: 'false'}.get(result, result) if isinstance(result, bool) else result)
        except Exception as error:
            say(way, fields[0], 'error', error)


transport = zeep.transports.Transport(timeout=600, operation_timeout=600)
settings = zeep.Settings(xml_huge_tree=True)
for port in ('WS01Soap', 'WS01Soap12'):
    client = zeep.Client(f'{url}?WSDL', transport=transport, settings=settings, port_name=port)
    client.service._binding_options['address'] = url
    typed(f'zeep {port}', lambda operation: getattr(client.service, operation), True)
client = suds.client.Client(f'{url}?WSDL', timeout=600, location=url, cache=None, port='WS01Soap')
typed('suds', lambda operation: getattr(client.service, operation), False)


def pieces(path, size):
    with open(path, 'rb') as file:
        while piece := file.read(size):
            yield piece


session = requests.Session()
for way, body in {
    'requests': lambda path: open(path, 'rb'),
    'requests chunked 1 kB': lambda path: pieces(path, 1024),
    'requests chunked 8 kB': lambda path: pieces(path, 8192),
}.items():
    for name, action, path, *_ in LINES:
        if way.endswith('1 kB') and '10485760' in name: continue
        headers = {'Content-Type': 'text/xml; charset=utf-8', 'SOAPAction': f'"http://tempuri.org/ws01/{action}"'}
        try:
            answer = session.post(url, data=body(path), headers=headers, timeout=600)
            say(way, name, answer.status_code, answer.text)
        except Exception as error:
            say(way, name, 'error', error)
