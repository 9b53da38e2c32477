// Calls Give and gives what it got to Take, by classes that wsimport or WSDL2Java made.
import java.lang.reflect.Method;
import java.net.URL;

public class Judge {
  public static void main(String[] all) {
    for (int at = 2; at < all.length; at++) run(new String[] { all[at], all[1] + "/" + all[at] + ".asmx", all[0] });
  }

  static void run(String[] args) {
    String name = args[0];
    try {
      Object port = args[2].equals("axis") ? axis(name, args[1]) : jaxws(name, args[1]);
      Method give = null, take = null;
      for (Method method : port.getClass().getMethods()) {
        if (method.getName().equals("give")) give = method;
        if (method.getName().equals("take")) take = method;
      }
      System.out.println(name + "\t" + take.invoke(port, give.invoke(port)));
    } catch (Throwable error) {
      Throwable inner = error.getCause() == null ? error : error.getCause();
      System.out.println(name + "\t" + inner.getClass().getSimpleName() + ": " + String.valueOf(inner.getMessage()).split("\n")[0]);
    }
  }

  static Object jaxws(String name, String url) throws Exception {
    Class<?> type = Class.forName("made.of" + name.toLowerCase() + "." + name);
    Object service;
    try {
      service = type.getConstructor(URL.class).newInstance(new URL(url + "?WSDL&bindings=soap"));
    } catch (NoSuchMethodException absent) {
      service = Class.forName("made.of" + name.toLowerCase() + "." + name + "_Service").getConstructor(URL.class).newInstance(new URL(url + "?WSDL&bindings=soap"));
    }
    return service.getClass().getMethod("get" + name + "Soap").invoke(service);
  }

  static boolean exists(String name) {
    try {
      Class.forName(name);
      return true;
    } catch (ClassNotFoundException absent) {
      return false;
    }
  }

  static Object axis(String name, String url) throws Exception {
    Class<?> type;
    // Names that are words of Java, or those of types beside it, are changed.
    String home = "made.of" + name.toLowerCase() + ".";
    if (exists(home + name + "Locator")) type = Class.forName(home + name + "Locator");
    else if (exists(home + name + "_ServiceLocator")) type = Class.forName(home + name + "_ServiceLocator");
    else type = Class.forName(home + "_" + name.toLowerCase() + "Locator");
    return type.getMethod("get" + name + "Soap", URL.class).invoke(type.getConstructor().newInstance(), new URL(url));
  }
}
