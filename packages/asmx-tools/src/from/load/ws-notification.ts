import { words } from '@ws01/asmx/internal/contract/words';

/**
 * WS-BaseNotification 1.3 with what it is made of, WS-Topics, WS-BaseFaults and WS-Resource,
 * written here after their specifications: ONVIF's contracts and others import them from where they
 * stand. Prefixes: see well-known.ts.
 */

const ANY =
  '<s:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>';
const OPEN = '<s:anyAttribute processContents="lax"/>';

const ANYTHING = '<s:any processContents="lax" minOccurs="0" maxOccurs="unbounded"/>';

const sequence = (content: string): string => `<s:sequence>${content}</s:sequence>`;
const element = (name: string, type: string, more = ''): string =>
  `<s:element name="${name}" type="${type}"${more}/>`;
const ref = (name: string, more = ''): string => `<s:element ref="${name}"${more}/>`;
const attribute = (name: string, type: string, more = ''): string =>
  `<s:attribute name="${name}" type="s:${type}"${more}/>`;
const complex = (content: string, more = ''): string =>
  `<s:complexType${more}>${content}</s:complexType>`;
const named = (name: string, content: string, more = ''): string =>
  complex(content, ` name="${name}"${more}`);
const holding = (name: string, type: string, more = ''): string =>
  `<s:element name="${name}"${more}>${type}</s:element>`;
const extending = (name: string, base: string, content: string): string =>
  named(
    name,
    `<s:complexContent><s:extension base="${base}">${content}</s:extension></s:complexContent>`,
  );
const OPTIONAL = ' minOccurs="0"';
const REPEATED = ' minOccurs="0" maxOccurs="unbounded"';
const REQUIRED = ' use="required"';
const NIL = ' nillable="true"';
const MIXED = ' mixed="true"';

/** An element with a type of its own. */
const message = (name: string, content = ''): string =>
  holding(name, complex(sequence(content + ANY) + OPEN));

/** A type of a fault with its element. */
const fault = (name: string, content = ''): string =>
  extending(`${name}Type`, 'bf:BaseFaultType', sequence(content)) + element(name, `t:${name}Type`);

const expression = (name: string): string =>
  named(
    name,
    sequence('<s:any processContents="lax" minOccurs="0"/>') +
      attribute('Dialect', 'anyURI', REQUIRED) +
      OPEN,
    MIXED,
  );

const TIMES = element('MinimumTime', 's:dateTime') + element('MaximumTime', 's:dateTime', OPTIONAL);

const FAULTS: Readonly<Record<string, string>> = {
  SubscribeCreationFailedFault: '',
  InvalidFilterFault: element('UnknownFilter', 's:QName', ' maxOccurs="unbounded"'),
  TopicExpressionDialectUnknownFault: '',
  InvalidTopicExpressionFault: '',
  TopicNotSupportedFault: '',
  MultipleTopicsSpecifiedFault: '',
  InvalidProducerPropertiesExpressionFault: '',
  InvalidMessageContentExpressionFault: '',
  UnrecognizedPolicyRequestFault: element('UnrecognizedPolicy', 's:QName', REPEATED),
  UnsupportedPolicyRequestFault: element('UnsupportedPolicy', 's:QName', REPEATED),
  NotifyMessageNotSupportedFault: '',
  UnacceptableInitialTerminationTimeFault: TIMES,
  NoCurrentMessageOnTopicFault: '',
  UnableToGetMessagesFault: '',
  UnableToDestroyPullPointFault: '',
  UnableToCreatePullPointFault: '',
  UnacceptableTerminationTimeFault: TIMES,
  UnableToDestroySubscriptionFault: '',
  PauseFailedFault: '',
  ResumeFailedFault: '',
};

const BASE_NOTIFICATION = [
  ...['QueryExpressionType', 'TopicExpressionType'].map(expression),
  ...['FilterType', 'SubscriptionPolicyType'].map((name) => named(name, sequence(ANYTHING))),
  `<s:simpleType name="AbsoluteOrRelativeTimeType">
    <s:union memberTypes="s:dateTime s:duration"/></s:simpleType>`,
  ...['TopicExpression', 'Topic'].map((name) => element(name, 't:TopicExpressionType')),
  ...['ProducerProperties', 'MessageContent'].map((name) => element(name, 't:QueryExpressionType')),
  ...['ConsumerReference', 'SubscriptionReference', 'ProducerReference'].map((name) =>
    element(name, 'wsa:EndpointReferenceType'),
  ),
  element('FixedTopicSet', 's:boolean', ' default="true"'),
  element('TopicExpressionDialect', 's:anyURI'),
  element('Filter', 't:FilterType'),
  element('SubscriptionPolicy', 't:SubscriptionPolicyType'),
  element('CreationTime', 's:dateTime'),
  element('CurrentTime', 's:dateTime'),
  element('TerminationTime', 's:dateTime', NIL),
  holding('UseRaw', complex('')),
  named(
    'NotificationMessageHolderType',
    sequence(
      ref('t:SubscriptionReference', OPTIONAL) +
        ref('t:Topic', OPTIONAL) +
        ref('t:ProducerReference', OPTIONAL) +
        holding('Message', complex(sequence('<s:any processContents="lax"/>'))),
    ),
  ),
  element('NotificationMessage', 't:NotificationMessageHolderType'),
  message('Notify', ref('t:NotificationMessage', ' maxOccurs="unbounded"')),
  message(
    'Subscribe',
    element('ConsumerReference', 'wsa:EndpointReferenceType') +
      element('Filter', 't:FilterType', OPTIONAL) +
      element('InitialTerminationTime', 't:AbsoluteOrRelativeTimeType', NIL + OPTIONAL) +
      element('SubscriptionPolicy', 't:SubscriptionPolicyType', OPTIONAL),
  ),
  message(
    'SubscribeResponse',
    element('SubscriptionReference', 'wsa:EndpointReferenceType') +
      ref('t:CurrentTime', OPTIONAL) +
      ref('t:TerminationTime', OPTIONAL),
  ),
  message('GetCurrentMessage', element('Topic', 't:TopicExpressionType')),
  message('GetMessages', element('MaximumNumber', 's:nonNegativeInteger', OPTIONAL)),
  message('GetMessagesResponse', ref('t:NotificationMessage', REPEATED)),
  message('CreatePullPointResponse', element('PullPoint', 'wsa:EndpointReferenceType')),
  message('Renew', element('TerminationTime', 't:AbsoluteOrRelativeTimeType', NIL)),
  message('RenewResponse', ref('t:TerminationTime') + ref('t:CurrentTime', OPTIONAL)),
  ...[
    ...['GetCurrentMessageResponse', 'CreatePullPoint', 'DestroyPullPoint'],
    ...['DestroyPullPointResponse', 'Unsubscribe', 'UnsubscribeResponse', 'PauseSubscription'],
    ...['PauseSubscriptionResponse', 'ResumeSubscription', 'ResumeSubscriptionResponse'],
  ].map((name) => message(name)),
  ...Object.entries(FAULTS).map(([name, content]) => fault(name, content)),
].join('');

const BASE_FAULTS =
  named(
    'BaseFaultType',
    sequence(
      ANY +
        element('Timestamp', 's:dateTime') +
        element('Originator', 'wsa:EndpointReferenceType', OPTIONAL) +
        holding(
          'ErrorCode',
          complex(sequence(ANY) + attribute('dialect', 'anyURI', REQUIRED), MIXED),
          OPTIONAL,
        ) +
        holding(
          'Description',
          complex(`<s:simpleContent><s:extension base="s:string"><s:attribute ref="xml:lang"/>
            </s:extension></s:simpleContent>`),
          REPEATED,
        ) +
        holding(
          'FaultCause',
          complex(sequence('<s:any namespace="##other" processContents="lax"/>')),
          OPTIONAL,
        ),
    ) + OPEN,
  ) + element('BaseFault', 't:BaseFaultType');

const documented = (name: string, content: string, attributes = ''): string =>
  extending(name, 't:ExtensibleDocumented', sequence(content) + attributes);

const FINAL = attribute('final', 'boolean', ' default="false"');
const TOPICS = [
  named('Documentation', sequence(ANYTHING), MIXED),
  named(
    'ExtensibleDocumented',
    sequence(element('documentation', 't:Documentation', OPTIONAL)) + OPEN,
    ' abstract="true"',
  ),
  expression('QueryExpressionType'),
  ...Object.entries({
    FullTopicExpression: 'token',
    ConcreteTopicExpression: 'token',
    SimpleTopicExpression: 'QName',
  }).map(
    ([name, base]) =>
      `<s:simpleType name="${name}"><s:restriction base="s:${base}"/></s:simpleType>`,
  ),
  documented(
    'TopicType',
    element('MessagePattern', 't:QueryExpressionType', OPTIONAL) +
      element('Topic', 't:TopicType', REPEATED) +
      ANY,
    attribute('name', 'NCName', REQUIRED) + attribute('messageTypes', 'string') + FINAL,
  ),
  documented(
    'TopicNamespaceType',
    element('Topic', 't:TopicType', REPEATED) + ANY,
    attribute('name', 'NCName') + attribute('targetNamespace', 'anyURI', REQUIRED) + FINAL,
  ),
  documented('TopicSetType', ANY),
  element('TopicNamespace', 't:TopicNamespaceType'),
  element('TopicSet', 't:TopicSetType'),
  attribute('topicNamespaceLocation', 'anyURI'),
  attribute('topic', 'boolean', ' default="false"'),
].join('');

/** The schemas, by namespace. */
export const NOTIFICATION: Readonly<Record<string, string>> = {
  'http://docs.oasis-open.org/wsn/b-2': BASE_NOTIFICATION,
  'http://docs.oasis-open.org/wsn/t-1': TOPICS,
  'http://docs.oasis-open.org/wsrf/bf-2': BASE_FAULTS,
  'http://docs.oasis-open.org/wsrf/r-2':
    fault('ResourceUnknownFault') + fault('ResourceUnavailableFault'),
};

const wsdlMessage = (name: string, part: string, of: string): string =>
  `<w:message name="${name}"><w:part name="${part}" element="${of}"/></w:message>`;

const RESOURCE_FAULTS = ['ResourceUnknownFault', 'ResourceUnavailableFault'];

/** By port type its operations, each with the faults that it may answer. */
const PORT_TYPES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  NotificationConsumer: { Notify: [] },
  NotificationProducer: {
    Subscribe: words(
      'InvalidFilterFault TopicExpressionDialectUnknownFault InvalidTopicExpressionFault',
      'TopicNotSupportedFault InvalidProducerPropertiesExpressionFault',
      'InvalidMessageContentExpressionFault UnacceptableInitialTerminationTimeFault',
      'UnrecognizedPolicyRequestFault UnsupportedPolicyRequestFault',
      'NotifyMessageNotSupportedFault SubscribeCreationFailedFault',
    ),
    GetCurrentMessage: [
      ...['TopicExpressionDialectUnknownFault', 'InvalidTopicExpressionFault'],
      ...['TopicNotSupportedFault', 'NoCurrentMessageOnTopicFault', 'MultipleTopicsSpecifiedFault'],
    ],
  },
  PullPoint: {
    GetMessages: ['UnableToGetMessagesFault'],
    DestroyPullPoint: ['UnableToDestroyPullPointFault'],
    Notify: [],
  },
  CreatePullPoint: { CreatePullPoint: ['UnableToCreatePullPointFault'] },
  SubscriptionManager: {
    Renew: ['UnacceptableTerminationTimeFault'],
    Unsubscribe: ['UnableToDestroySubscriptionFault'],
  },
  PausableSubscriptionManager: {
    Renew: ['UnacceptableTerminationTimeFault'],
    Unsubscribe: ['UnableToDestroySubscriptionFault'],
    PauseSubscription: ['PauseFailedFault'],
    ResumeSubscription: ['ResumeFailedFault'],
  },
};

const OPERATIONS = [...new Set(Object.values(PORT_TYPES).flatMap(Object.keys))];

const operation = (name: string, faults: readonly string[]): string =>
  name === 'Notify'
    ? '<w:operation name="Notify"><w:input message="t:Notify"/></w:operation>'
    : `<w:operation name="${name}"><w:input message="t:${name}Request"/><w:output message="t:${name}Response"/>
      <w:fault name="ResourceUnknownFault" message="rw:ResourceUnknownFault"/>${faults
        .map((each) => `<w:fault name="${each}" message="t:${each}"/>`)
        .join('')}</w:operation>`;

/** The messages and port types of the WSDLs beside them, by namespace. */
export const NOTIFICATION_WSDL: Readonly<Record<string, string>> = {
  'http://docs.oasis-open.org/wsn/bw-2': [
    wsdlMessage('Notify', 'Notify', 'wsnt:Notify'),
    ...OPERATIONS.filter((name) => name !== 'Notify').flatMap((name) => [
      wsdlMessage(`${name}Request`, `${name}Request`, `wsnt:${name}`),
      wsdlMessage(`${name}Response`, `${name}Response`, `wsnt:${name}Response`),
    ]),
    ...Object.keys(FAULTS).map((name) => wsdlMessage(name, name, `wsnt:${name}`)),
    ...Object.entries(PORT_TYPES).map(
      ([name, operations]) =>
        `<w:portType name="${name}">${Object.entries(operations)
          .map(([each, faults]) => operation(each, faults))
          .join('')}</w:portType>`,
    ),
  ].join(''),
  'http://docs.oasis-open.org/wsrf/rw-2': RESOURCE_FAULTS.map((name) =>
    wsdlMessage(name, name, `rf:${name}`),
  ).join(''),
};
