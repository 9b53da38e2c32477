/** Small WSDLs of our own, made of what a test is about. */

export interface Shape {
  /** Inside the schema of `urn:old`, whose prefix is `t`; elementFormDefault is qualified. */
  readonly schema?: string;
  /** Further schemas beside it. */
  readonly schemas?: string;
  /** The children of the request wrapper `Ask`, and of `AskResponse`. */
  readonly asks?: string;
  readonly answers?: string;
  /** Instead of all messages: `wsdl:message` elements. */
  readonly messages?: string;
  /** Inside the binding's operation. */
  readonly bound?: string;
  readonly portOperation?: string;
  readonly style?: 'document' | 'rpc';
  readonly ports?: string;
  /** More at the end of the definitions. */
  readonly more?: string;
}

const LITERAL =
  '<wsdl:input><soap:body use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output>';

/** A document/literal service `Old` of `urn:old` with the operation `Ask`. */
export function wsdlOf(shape: Shape = {}): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/" xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/"
  xmlns:http="http://schemas.xmlsoap.org/wsdl/http/" xmlns:m="http://microsoft.com/wsdl/types/" xmlns:u="urn:other"
  xmlns:s="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:old" targetNamespace="urn:old">
  <wsdl:types>
    <s:schema elementFormDefault="qualified" targetNamespace="urn:old">
      <s:element name="Ask"><s:complexType><s:sequence>${shape.asks ?? ''}</s:sequence></s:complexType></s:element>
      <s:element name="AskResponse"><s:complexType><s:sequence>${shape.answers ?? ''}</s:sequence></s:complexType></s:element>
      ${shape.schema ?? ''}
    </s:schema>
    ${shape.schemas ?? ''}
  </wsdl:types>
  ${
    shape.messages ??
    `<wsdl:message name="In"><wsdl:part name="parameters" element="t:Ask"/></wsdl:message>
  <wsdl:message name="Out"><wsdl:part name="parameters" element="t:AskResponse"/></wsdl:message>`
  }
  <wsdl:portType name="OldSoap">
    ${
      shape.portOperation ??
      '<wsdl:operation name="Ask"><wsdl:input message="t:In"/><wsdl:output message="t:Out"/></wsdl:operation>'
    }
  </wsdl:portType>
  <wsdl:binding name="OldSoap" type="t:OldSoap">
    <soap:binding transport="http://schemas.xmlsoap.org/soap/http" style="${shape.style ?? 'document'}"/>
    <wsdl:operation name="Ask"><soap:operation soapAction="urn:old/Ask"/>${shape.bound ?? LITERAL}</wsdl:operation>
  </wsdl:binding>
  <wsdl:service name="Old">
    ${shape.ports ?? '<wsdl:port name="OldSoap" binding="t:OldSoap"><soap:address location="http://old.example/Old.asmx"/></wsdl:port>'}
  </wsdl:service>
  ${shape.more ?? ''}
</wsdl:definitions>`;
}
