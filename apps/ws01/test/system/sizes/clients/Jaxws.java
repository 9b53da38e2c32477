import javax.xml.namespace.QName;
import javax.xml.soap.MessageFactory;
import javax.xml.soap.SOAPElement;
import javax.xml.soap.SOAPMessage;
import javax.xml.ws.BindingProvider;
import javax.xml.ws.Dispatch;
import javax.xml.ws.Service;
import javax.xml.ws.soap.SOAPBinding;

class Jaxws {
  public static void main(String[] args) throws Exception {
    String url = args[0], calls = args[1];
    for (String version : new String[] { "1.1", "1.2" })
      for (int chunk : new int[] { 0, 8192 }) {
        String binding = version.equals("1.1") ? SOAPBinding.SOAP11HTTP_BINDING : SOAPBinding.SOAP12HTTP_BINDING;
        Service service = Service.create(new QName(Soap.NS, "WS01"));
        QName port = new QName(Soap.NS, "p");
        service.addPort(port, binding, url);
        MessageFactory messages = MessageFactory.newInstance("SOAP " + version + " Protocol");
        Soap.each(calls, "JAX-WS " + version + (chunk > 0 ? " chunked" : ""), (operation, pairs) -> {
          Dispatch<SOAPMessage> dispatch = service.createDispatch(port, SOAPMessage.class, Service.Mode.MESSAGE);
          dispatch.getRequestContext().put(BindingProvider.SOAPACTION_USE_PROPERTY, true);
          dispatch.getRequestContext().put(BindingProvider.SOAPACTION_URI_PROPERTY, Soap.NS + "/" + operation);
          if (chunk > 0) dispatch.getRequestContext().put("com.sun.xml.ws.transport.http.client.streaming.chunk.size", chunk);
          SOAPMessage message = messages.createMessage();
          SOAPElement call = message.getSOAPBody().addChildElement(new QName(Soap.NS, operation, "o"));
          for (String pair : pairs) call.addChildElement(new QName(Soap.NS, Soap.key(pair), "o")).addTextNode(Soap.value(pair));
          return dispatch.invoke(message).getSOAPBody().getTextContent().trim();
        });
      }
    System.exit(0);
  }
}
