// Jaxws URL CALLS, Axis URL CALLS: each call prints its way, its name, ok or error, and what a person sees.
import java.nio.file.Files;
import java.nio.file.Path;

public class Soap {
  static final String NS = "http://tempuri.org/ws01";
  interface Way { String call(String operation, String[] pairs) throws Exception; }

  static void each(String calls, String name, Way way) throws Exception {
    for (String line : Files.readAllLines(Path.of(calls))) {
      String[] fields = line.split("\t");
      String said;
      try {
        said = "ok\t" + way.call(fields[1], java.util.Arrays.copyOfRange(fields, 3, fields.length));
      } catch (Exception error) {
        said = "error\t" + String.valueOf(error.getMessage()).replaceAll("[\n\t]", " ");
      }
      System.out.println(name + "\t" + fields[0] + "\t" + said);
    }
  }

  static String key(String pair) { return pair.substring(0, pair.indexOf('=')); }
  static String value(String pair) throws Exception { return Files.readString(Path.of(pair.substring(pair.indexOf('=') + 1))); }
}
