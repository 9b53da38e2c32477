import { loadLimits } from './limits.ts';
import { NOTIFICATION, NOTIFICATION_WSDL } from './ws-notification.ts';
import { readXml, WSDL, type XmlTree } from './xml-document.ts';

/** Attributes that everybody may hang on an element or type of the namespaces below. */
const OPEN = '<s:anyAttribute namespace="##other" processContents="lax"/>';
const ANYTHING =
  '<s:sequence><s:any namespace="##any" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></s:sequence>';

/** A type that is a text with further attributes. */
const text = (name: string, base: string, attributes = ''): string =>
  `<s:complexType name="${name}"><s:simpleContent><s:extension base="s:${base}">${attributes}${OPEN}</s:extension></s:simpleContent></s:complexType>`;

/** A type that may hold any elements. */
const open = (name: string): string =>
  `<s:complexType name="${name}">${ANYTHING}${OPEN}</s:complexType>`;

const elements = (types: Readonly<Record<string, string>>): string =>
  Object.entries(types)
    .map(([name, type]) => `<s:element name="${name}" type="${type}"/>`)
    .join('');

const sequence = (name: string, content: string): string =>
  `<s:complexType name="${name}"><s:sequence>${content}<s:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></s:sequence>${OPEN}</s:complexType>`;

/** The media type of bytes: an attribute, and types that have it. */
const MIME = `<s:attribute name="contentType"><s:simpleType><s:restriction base="s:string"><s:minLength value="3"/></s:restriction></s:simpleType></s:attribute>
  <s:attribute name="expectedContentTypes" type="s:string"/>
  ${['base64Binary', 'hexBinary']
    .map(
      (base) =>
        `<s:complexType name="${base}"><s:simpleContent><s:extension base="s:${base}"><s:attribute ref="t:contentType"/></s:extension></s:simpleContent></s:complexType>`,
    )
    .join('')}`;

const ADDRESSING_HEADERS = ['ReplyTo', 'From', 'FaultTo', 'EndpointReference'];

/** WS-Addressing 1.0, section 2 of its core and of its SOAP binding. */
const ADDRESSING = [
  sequence(
    'EndpointReferenceType',
    `<s:element name="Address" type="t:AttributedURIType"/><s:element ref="t:ReferenceParameters" minOccurs="0"/><s:element ref="t:Metadata" minOccurs="0"/>`,
  ),
  ...['ReferenceParametersType', 'MetadataType', 'AttributedAnyType'].map(open),
  text('AttributedURIType', 'anyURI'),
  text('AttributedQNameType', 'QName'),
  text('AttributedUnsignedLongType', 'unsignedLong'),
  text('RelatesToType', 'anyURI', '<s:attribute name="RelationshipType" type="s:anyURI"/>'),
  `<s:complexType name="ProblemActionType"><s:sequence><s:element ref="t:Action" minOccurs="0"/><s:element name="SoapAction" type="s:anyURI" minOccurs="0"/></s:sequence>${OPEN}</s:complexType>`,
  elements({
    ...Object.fromEntries(ADDRESSING_HEADERS.map((name) => [name, 't:EndpointReferenceType'])),
    ...Object.fromEntries(
      ['To', 'Action', 'MessageID', 'ProblemIRI'].map((name) => [name, 't:AttributedURIType']),
    ),
    ReferenceParameters: 't:ReferenceParametersType',
    Metadata: 't:MetadataType',
    RelatesTo: 't:RelatesToType',
    RetryAfter: 't:AttributedUnsignedLongType',
    ProblemHeaderQName: 't:AttributedQNameType',
    ProblemAction: 't:ProblemActionType',
  }),
  '<s:attribute name="IsReferenceParameter" type="s:boolean"/><s:attribute name="Action" type="s:anyURI"/>',
].join('');

/** The member submission of WS-Addressing of August 2004. */
const ADDRESSING_2004 = [
  sequence(
    'EndpointReferenceType',
    `<s:element name="Address" type="t:AttributedURI"/><s:element name="ReferenceProperties" type="t:ReferencePropertiesType" minOccurs="0"/>
     <s:element name="ReferenceParameters" type="t:ReferenceParametersType" minOccurs="0"/>
     <s:element name="PortType" type="t:AttributedQName" minOccurs="0"/><s:element name="ServiceName" type="t:ServiceNameType" minOccurs="0"/>`,
  ),
  ...['ReferencePropertiesType', 'ReferenceParametersType'].map(open),
  text('AttributedURI', 'anyURI'),
  text('AttributedQName', 'QName'),
  text('ServiceNameType', 'QName', '<s:attribute name="PortName" type="s:NCName"/>'),
  text('Relationship', 'anyURI', '<s:attribute name="RelationshipType" type="s:QName"/>'),
  elements({
    ...Object.fromEntries(ADDRESSING_HEADERS.map((name) => [name, 't:EndpointReferenceType'])),
    ...Object.fromEntries(['To', 'Action', 'MessageID'].map((name) => [name, 't:AttributedURI'])),
    RelatesTo: 't:Relationship',
  }),
  '<s:attribute name="Action" type="s:anyURI"/>',
].join('');

/** XML's own attributes are built in; this is the group of them. */
const XML = `<s:attributeGroup name="specialAttrs">${['base', 'lang', 'space', 'id'].map((name) => `<s:attribute ref="xml:${name}"/>`).join('')}</s:attributeGroup>`;

/** The part of an MTOM message that holds bytes. */
const XOP = `<s:complexType name="Include"><s:sequence><s:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></s:sequence>
  <s:attribute name="href" type="s:anyURI" use="required"/>${OPEN}</s:complexType><s:element name="Include" type="t:Include"/>`;

/** A SOAP 1.1 fault, whose parts are in no namespace (SOAP 1.1, 4.4). */
const FAULT_11 = `<s:complexType name="detail">${ANYTHING}<s:anyAttribute processContents="lax"/></s:complexType>
  <s:complexType name="Fault"><s:sequence>${[
    ['faultcode', 's:QName', '1'],
    ['faultstring', 's:string', '1'],
    ['faultactor', 's:anyURI', '0'],
    ['detail', 't:detail', '0'],
  ]
    .map(
      ([name, type, min]) =>
        `<s:element name="${name}" type="${type}" minOccurs="${min}" form="unqualified"/>`,
    )
    .join('')}</s:sequence></s:complexType><s:element name="Fault" type="t:Fault"/>`;

/** Axis's maps and vectors. */
const APACHE = `<s:complexType name="mapItem"><s:sequence>${['key', 'value']
  .map((name) => `<s:element name="${name}" nillable="true" type="s:anyType" form="unqualified"/>`)
  .join('')}</s:sequence></s:complexType>${Object.entries({ Map: 't:mapItem', Vector: 's:anyType' })
  .map(
    ([name, item]) =>
      `<s:complexType name="${name}"><s:sequence><s:element name="item" type="${item}" nillable="true"
        minOccurs="0" maxOccurs="unbounded" form="unqualified"/></s:sequence></s:complexType>`,
  )
  .join('')}`;

const FAULT_12 = `${open('Fault')}<s:element name="Fault" type="t:Fault"/>`;

/** XLink 1.1, 5: attributes that hang on elements, alone or as a simple link. */
const XLINK_ATTRIBUTES = ['href', 'role', 'arcrole', 'title', 'show', 'actuate'];
const XLINK = `${['type', 'label', 'from', 'to', ...XLINK_ATTRIBUTES]
  .map((name) => `<s:attribute name="${name}" type="s:string"/>`)
  .join('')}${['simpleLink', 'simpleAttrs']
  .map(
    (group) =>
      `<s:attributeGroup name="${group}">${['type', ...XLINK_ATTRIBUTES]
        .map((name) => `<s:attribute ref="t:${name}"/>`)
        .join('')}</s:attributeGroup>`,
  )
  .join('')}`;

const ENVELOPE_11 =
  '<s:attribute name="mustUnderstand" type="s:boolean"/><s:attribute name="actor" type="s:anyURI"/><s:attribute name="encodingStyle" type="s:anyURI"/>';
const ENVELOPE_12 =
  '<s:attribute name="mustUnderstand" type="s:boolean"/><s:attribute name="role" type="s:anyURI"/><s:attribute name="relay" type="s:boolean"/><s:attribute name="encodingStyle" type="s:anyURI"/>';

/** What WCF puts beside its data contracts. */
const SERIALIZATION = `<s:simpleType name="char"><s:restriction base="s:int"/></s:simpleType><s:simpleType name="duration"><s:restriction base="s:duration"/></s:simpleType>
  <s:simpleType name="guid"><s:restriction base="s:string"><s:pattern value="[\\da-fA-F]{8}-[\\da-fA-F]{4}-[\\da-fA-F]{4}-[\\da-fA-F]{4}-[\\da-fA-F]{12}"/></s:restriction></s:simpleType>
  <s:attribute name="FactoryType" type="s:QName"/><s:attribute name="Id" type="s:ID"/><s:attribute name="Ref" type="s:IDREF"/>`;

/** The wsu:Id that signed elements have. */
const UTILITY = `<s:attribute name="Id" type="s:ID"/>${text('AttributedDateTime', 'string', '<s:attribute ref="t:Id"/>')}
  <s:element name="Created" type="t:AttributedDateTime"/><s:element name="Expires" type="t:AttributedDateTime"/>
  <s:complexType name="TimestampType"><s:sequence><s:element ref="t:Created" minOccurs="0"/><s:element ref="t:Expires" minOccurs="0"/></s:sequence><s:attribute ref="t:Id"/></s:complexType>
  <s:element name="Timestamp" type="t:TimestampType"/>`;

/**
 * Namespaces whose schemas everybody knows and hardly anybody has beside the WSDL, with what
 * contracts use of each, written here after their specifications. Attributes and types that this
 * package has built in, such as XML's and those of SOAP's encoding, need none.
 */
const CONTENT: Readonly<Record<string, string>> = {
  'http://www.w3.org/2001/XMLSchema': '',
  'http://schemas.xmlsoap.org/wsdl/': '',
  'http://schemas.xmlsoap.org/wsdl/soap/': '',
  'http://microsoft.com/wsdl/types/': '',
  'http://ws-i.org/profiles/basic/1.1/xsd': '',
  'http://schemas.xmlsoap.org/soap/encoding/': '',
  'http://www.w3.org/2003/05/soap-encoding': '',
  'http://www.w3.org/XML/1998/namespace': XML,
  'http://schemas.xmlsoap.org/soap/envelope/': ENVELOPE_11 + FAULT_11,
  'http://www.w3.org/2003/05/soap-envelope': ENVELOPE_12 + FAULT_12,
  'http://www.w3.org/1999/xlink': XLINK,
  'http://xml.apache.org/xml-soap': APACHE,
  ...NOTIFICATION,
  'http://www.w3.org/2005/05/xmlmime': MIME,
  'http://www.w3.org/2004/11/xmlmime': MIME,
  'http://www.w3.org/2004/06/xmlmime': MIME,
  'http://www.w3.org/2005/08/addressing': ADDRESSING,
  'http://schemas.xmlsoap.org/ws/2004/08/addressing': ADDRESSING_2004,
  'http://www.w3.org/2004/08/xop/include': XOP,
  'http://schemas.microsoft.com/2003/10/Serialization/': SERIALIZATION,
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd': UTILITY,
};

/** Whether a namespace needs no document. */
export function isWellKnown(namespace: string): boolean {
  return Object.hasOwn(CONTENT, namespace);
}

/**
 * What contracts use of a well-known namespace, as a schema; `undefined` for any other namespace.
 */
export function wellKnownSchema(namespace: string): XmlTree | undefined {
  const content = isWellKnown(namespace) ? CONTENT[namespace] : undefined;
  if (content === undefined) return undefined;
  // No other prefix than its own may stand for XML's namespace.
  const prefix = content === XML ? '' : ` xmlns:t="${namespace}"`;
  const schema = `<s:schema ${SCHEMA}${prefix}${BESIDE} targetNamespace="${namespace}">${content}</s:schema>`;
  return readXml(Buffer.from(schema), namespace, loadLimits());
}

/**
 * A WSDL of a standard that others import for its messages and port types; `undefined` for
 * others.
 */
export function wellKnownWsdl(namespace: string): XmlTree | undefined {
  const content = Object.hasOwn(NOTIFICATION_WSDL, namespace)
    ? NOTIFICATION_WSDL[namespace]
    : undefined;
  if (content === undefined) return undefined;
  const names = `xmlns:w="${WSDL}" xmlns:t="${namespace}"${BESIDE}`;
  const wsdl = `<w:definitions ${names} targetNamespace="${namespace}">${content}</w:definitions>`;
  return readXml(Buffer.from(wsdl), namespace, loadLimits());
}

const SCHEMA = 'xmlns:s="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified"';

/** Prefixes of well-known namespaces that others refer to. */
const BESIDE = Object.entries({
  wsa: 'http://www.w3.org/2005/08/addressing',
  wsnt: 'http://docs.oasis-open.org/wsn/b-2',
  bf: 'http://docs.oasis-open.org/wsrf/bf-2',
  rf: 'http://docs.oasis-open.org/wsrf/r-2',
  rw: 'http://docs.oasis-open.org/wsrf/rw-2',
})
  .map(([name, uri]) => ` xmlns:${name}="${uri}"`)
  .join('');
