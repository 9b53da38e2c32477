// Calls Give and gives what it got to Take, by a proxy that wsdl made: ASP.NET's own client, as Mono has it.
using System;
public static class Judge {
  public static void Main(string[] all) {
    for (var at = 1; at < all.Length; at++) Run(new[] { all[at], all[0] + "/" + all[at] + ".asmx" });
  }

  static void Run(string[] args) {
    try {
      var proxy = Activator.CreateInstance(Type.GetType(args[0] + "." + args[0]));
      proxy.GetType().GetProperty("Url").SetValue(proxy, args[1], null);
      var given = proxy.GetType().GetMethod("Give").Invoke(proxy, null);
      Console.WriteLine(args[0] + "\t" + proxy.GetType().GetMethod("Take").Invoke(proxy, new[] { given }));
    } catch (Exception error) {
      var inner = error.InnerException ?? error;
      Console.WriteLine(args[0] + "\t" + inner.GetType().Name + ": " + inner.Message.Split('\n')[0]);
    }
  }
}
