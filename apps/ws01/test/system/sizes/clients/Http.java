// Http URL CALLS: java.net.http and HttpURLConnection. Each call prints its way, its name, the status or error, and what came.
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;

public class Http {
  interface Way { String[] send(String operation, byte[] body) throws Exception; }

  static String url;
  static final HttpClient NEW = HttpClient.newHttpClient();

  public static void main(String[] args) throws Exception {
    url = args[0];
    run(args[1], "java.net.http", (operation, body) -> fresh(operation, BodyPublishers.ofByteArray(body), false));
    run(args[1], "java.net.http chunked", (operation, body) -> fresh(operation, BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)), false));
    run(args[1], "java.net.http chunked Expect", (operation, body) -> fresh(operation, BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)), true));
    run(args[1], "HttpURLConnection", (operation, body) -> old(operation, body, 0));
    run(args[1], "HttpURLConnection chunked 4 kB", (operation, body) -> old(operation, body, 4096));
    run(args[1], "HttpURLConnection chunked 64 kB", (operation, body) -> old(operation, body, 65536));
    System.exit(0);
  }

  static void run(String calls, String name, Way way) throws Exception {
    for (String line : Files.readAllLines(Path.of(calls))) {
      String[] fields = line.split("\t");
      String[] said;
      try {
        said = way.send(fields[1], Files.readAllBytes(Path.of(fields[2])));
      } catch (Exception error) {
        said = new String[] { "error", String.valueOf(error.getMessage()) };
      }
      System.out.println(name + "\t" + fields[0] + "\t" + said[0] + "\t" + said[1].replaceAll("[\n\t]", " "));
    }
  }

  static String[] fresh(String operation, HttpRequest.BodyPublisher body, boolean expect) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url)).expectContinue(expect)
      .header("Content-Type", "text/xml; charset=utf-8").header("SOAPAction", "\"http://tempuri.org/ws01/" + operation + "\"").POST(body).build();
    HttpResponse<String> answer = NEW.send(request, HttpResponse.BodyHandlers.ofString());
    return new String[] { "" + answer.statusCode(), answer.body() };
  }

  static String[] old(String operation, byte[] body, int chunk) throws Exception {
    HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
    connection.setDoOutput(true);
    connection.setRequestProperty("Content-Type", "text/xml; charset=utf-8");
    connection.setRequestProperty("SOAPAction", "\"http://tempuri.org/ws01/" + operation + "\"");
    if (chunk > 0) connection.setChunkedStreamingMode(chunk);
    connection.getOutputStream().write(body);
    connection.getOutputStream().close();
    int status = connection.getResponseCode();
    InputStream answer = status < 400 ? connection.getInputStream() : connection.getErrorStream();
    return new String[] { "" + status, answer == null ? "" : new String(answer.readAllBytes(), "UTF-8") };
  }
}
