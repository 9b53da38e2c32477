import javax.xml.namespace.QName;
import org.apache.axis.client.Call;
import org.apache.axis.client.Service;
import org.apache.axis.configuration.BasicClientConfig;
import org.apache.axis.configuration.SimpleProvider;
import org.apache.axis.transport.http.CommonsHTTPSender;
import org.apache.axis.SimpleTargetedChain;

class Axis {
  public static void main(String[] args) throws Exception {
    String url = args[0], calls = args[1];
    SimpleProvider commons = new SimpleProvider(new BasicClientConfig());
    commons.deployTransport("http", new SimpleTargetedChain(new CommonsHTTPSender()));
    for (String name : new String[] { "Axis", "Axis over commons-httpclient" })
      Soap.each(calls, name, (operation, pairs) -> {
        Call call = (Call) (name.equals("Axis") ? new Service() : new Service(commons)).createCall();
        call.setTargetEndpointAddress(url);
        call.setTimeout(600_000);
        call.setSOAPActionURI(Soap.NS + "/" + operation);
        call.setUseSOAPAction(true);
        call.setOperationStyle("wrapped");
        call.setOperationUse("literal");
        call.setOperationName(new QName(Soap.NS, operation));
        QName string = new QName("http://www.w3.org/2001/XMLSchema", "string");
        Object[] values = new Object[pairs.length];
        for (int at = 0; at < pairs.length; at++) {
          call.addParameter(new QName(Soap.NS, Soap.key(pairs[at])), string, javax.xml.rpc.ParameterMode.IN);
          values[at] = Soap.value(pairs[at]);
        }
        call.setReturnType(string);
        return String.valueOf(call.invoke(values));
      });
    System.exit(0);
  }
}
