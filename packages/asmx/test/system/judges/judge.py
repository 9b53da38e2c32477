"""Calls Give and gives what it got to Take, for the WSDL of each sample: zeep."""
import sys
from zeep import Client
from zeep.helpers import serialize_object
for url in sys.argv[1:]:
    name = url.rsplit('/', 1)[1].split('.')[0]
    try:
        client = Client(url)
        given = client.service.Give()
        kind = client.wsdl.types.get_element('{http://example.com/%s}Take' % name).type
        element = kind.elements[0][1]
        # zeep takes the list out of an element that holds nothing else.
        if isinstance(given, list) and hasattr(element.type, 'elements') and element.type.elements:
            given = element.type(**{element.type.elements[0][0]: given})
        print(name, client.service.Take(value=given), sep='\t')
    except Exception as error:
        print(name, '%s: %s' % (type(error).__name__, str(error).split('\n')[0]), sep='\t')
