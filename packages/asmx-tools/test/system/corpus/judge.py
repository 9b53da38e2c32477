"""What libxml2 and zeep, where they are there, say of WSDLs and messages: lines of JSON in and out."""
import json, os, signal, sys, tempfile
from urllib.parse import urljoin, urlparse
try:
    from lxml import etree
except ImportError:
    etree = None
try:
    import zeep
    from zeep.transports import Transport
except ImportError:
    zeep = None

XS = '{http://www.w3.org/2001/XMLSchema}'
WSDL = '{http://schemas.xmlsoap.org/wsdl/}'


def inline(path, seen):
    """The schemas inside a WSDL and those that it imports."""
    if path in seen:
        return []
    seen.add(path)
    root = etree.parse(path).getroot()
    base = 'file://' + path
    found = [(each, base) for types in root.iter(WSDL + 'types') for each in types.iter(XS + 'schema')]
    for each in root.iter(WSDL + 'import'):
        place = urlparse(urljoin(base, each.get('location', '')))
        if place.scheme == 'file' and os.path.isfile(place.path):
            imported = etree.parse(place.path).getroot()
            if imported.tag == XS + 'schema':
                found.append((imported, 'file://' + place.path))
            else:
                found += inline(place.path, seen)
    return found


def schema_of(path):
    """One schema of all, which imports each."""
    folder = tempfile.mkdtemp()
    by_namespace = {}
    for index, (schema, base) in enumerate(inline(path, set())):
        for each in schema:
            if isinstance(each.tag, str) and each.get('schemaLocation'):
                each.set('schemaLocation', urljoin(base, each.get('schemaLocation')))
        file = os.path.join(folder, '%d.xsd' % index)
        etree.ElementTree(schema).write(file)
        by_namespace.setdefault(schema.get('targetNamespace'), []).append(file)
    places = {}
    for index, (namespace, files) in enumerate(by_namespace.items()):
        places[namespace] = files[0]
        if len(files) > 1:
            whole = etree.Element(XS + 'schema', **({'targetNamespace': namespace} if namespace else {}))
            for file in files:
                etree.SubElement(whole, XS + 'include', schemaLocation=file)
            places[namespace] = os.path.join(folder, 'all%d.xsd' % index)
            etree.ElementTree(whole).write(places[namespace])
    for file in [file for files in by_namespace.values() for file in files]:
        tree = etree.parse(file)
        for each in tree.getroot().iter(XS + 'import'):
            if not each.get('schemaLocation') and each.get('namespace') in places:
                each.set('schemaLocation', places[each.get('namespace')])
        tree.write(file)
    driver = etree.Element(XS + 'schema')
    for namespace, file in places.items():
        etree.SubElement(driver, XS + 'import', schemaLocation=file,
                         **({'namespace': namespace} if namespace else {}))
    return etree.XMLSchema(etree.ElementTree(driver))


def validity(schema, messages):
    """Of the elements of bodies: how many were judged, and what was wrong with some."""
    judged, wrong = 0, []
    for name, body in messages:
        for element in etree.fromstring('<b>%s</b>' % body):
            valid = schema.validate(etree.fromstring(etree.tostring(element, with_tail=False)))
            reason = '' if valid else schema.error_log[0].message[:200]
            # Its schema is in a document that is not beside the WSDL.
            if 'available for the validation root' in reason:
                continue
            judged += 1
            if not valid:
                wrong.append('%s: %s' % (name, reason))
    return {'judged': judged, 'wrong': wrong}


if zeep:
    class Offline(Transport):
        def load(self, url):
            if url.startswith('http'):
                raise OSError('offline')
            return super().load(url)


def seen_by_zeep(path):
    client = zeep.Client(path, transport=Offline())
    return {
        '%s %s' % (type(port.binding).__name__, name):
            [operation.input.signature(), operation.output.signature() if operation.output else '']
        for service in client.wsdl.services.values() for port in service.ports.values()
        for name, operation in port.binding.all().items()
    }


def tried(work, *arguments):
    """What it gives, and why it gives nothing."""
    try:
        signal.alarm(30)
        return work(*arguments), None
    except Exception as error:
        return None, '%s: %s' % (type(error).__name__, str(error).split('\n')[0][:200])
    finally:
        signal.alarm(0)


def timed_out(*_):
    raise TimeoutError('30 s')


signal.signal(signal.SIGALRM, timed_out)
for line in sys.stdin:
    asked = json.loads(line)
    told = {'libxml2': etree is not None, 'zeep': zeep is not None}
    schema, told['noSchema'] = tried(schema_of, asked['wsdl']) if etree else (None, 'no lxml')
    if schema is not None:
        for kind in ('requests', 'answers'):
            told[kind], why = tried(validity, schema, asked[kind])
            told['noSchema'] = told['noSchema'] or why
    if zeep:
        old, told['old'] = tried(seen_by_zeep, asked['wsdl'])
        if old is not None:
            ours, told['ours'] = tried(seen_by_zeep, asked['served'])
            told['same'] = ours == old
    print(json.dumps(told), flush=True)
