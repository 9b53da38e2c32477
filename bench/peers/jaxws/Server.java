import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import javax.jws.WebMethod;
import javax.jws.WebParam;
import javax.jws.WebResult;
import javax.jws.WebService;
import javax.xml.bind.annotation.XmlAccessType;
import javax.xml.bind.annotation.XmlAccessorType;
import javax.xml.bind.annotation.XmlElement;
import javax.xml.bind.annotation.XmlRootElement;
import javax.xml.bind.annotation.XmlType;
import javax.xml.ws.Endpoint;
import javax.xml.ws.RequestWrapper;
import javax.xml.ws.ResponseWrapper;

/** countUserPosted on JAX-WS RI and the JDK's own HTTP server: parses the call, echoes one parameter. */
@WebService(serviceName = "WS01", portName = "WS01Soap", targetNamespace = "urn:ws01")
public class Server {
    private static final String NAMESPACE = "urn:ws01";

    // Debian's JAX-WS cannot make these classes itself: it comes without ASM.
    @XmlRootElement(name = "countUserPosted", namespace = NAMESPACE)
    @XmlType(name = "countUserPosted", namespace = NAMESPACE)
    @XmlAccessorType(XmlAccessType.FIELD)
    public static class Call {
        @XmlElement(namespace = NAMESPACE) public String tokenId;
        @XmlElement(namespace = NAMESPACE) public String userId;
        @XmlElement(namespace = NAMESPACE) public String lastFewDays;
        @XmlElement(namespace = NAMESPACE) public String level;
    }

    @XmlRootElement(name = "countUserPostedResponse", namespace = NAMESPACE)
    @XmlType(name = "countUserPostedResponse", namespace = NAMESPACE)
    @XmlAccessorType(XmlAccessType.FIELD)
    public static class Answer {
        @XmlElement(namespace = NAMESPACE) public String countUserPostedResult;
    }

    @WebMethod(action = "urn:ws01/countUserPosted")
    @WebResult(name = "countUserPostedResult", targetNamespace = NAMESPACE)
    @RequestWrapper(localName = "countUserPosted", targetNamespace = NAMESPACE, className = "Server$Call")
    @ResponseWrapper(localName = "countUserPostedResponse", targetNamespace = NAMESPACE, className = "Server$Answer")
    public String countUserPosted(
            @WebParam(name = "tokenId", targetNamespace = NAMESPACE) String tokenId,
            @WebParam(name = "userId", targetNamespace = NAMESPACE) String userId,
            @WebParam(name = "lastFewDays", targetNamespace = NAMESPACE) String lastFewDays,
            @WebParam(name = "level", targetNamespace = NAMESPACE) String level) {
        return lastFewDays;
    }

    public static void main(String[] arguments) throws Exception {
        var http = com.sun.net.httpserver.HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 1024);
        http.setExecutor(Executors.newFixedThreadPool(4));
        Endpoint.create(new Server()).publish(http.createContext("/WS01.asmx"));
        http.start();
        System.out.println("http://127.0.0.1:" + http.getAddress().getPort());
    }
}
