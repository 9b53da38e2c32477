// The same by a proxy that svcutil made: WCF's client, as Mono has it.
using System;
using System.Linq;
using System.ServiceModel;
public static class SvcJudge {
  public static void Main(string[] args) {
    try {
      var assembly = typeof(SvcJudge).Assembly;
      var type = assembly.GetTypes().First(each => each.Name.EndsWith("SoapClient"));
      var proxy = Activator.CreateInstance(type, new BasicHttpBinding { MaxReceivedMessageSize = 10000000 }, new EndpointAddress(args[1]));
      var given = type.GetMethod("Give").Invoke(proxy, null);
      Console.WriteLine(args[0] + "\t" + type.GetMethod("Take").Invoke(proxy, new[] { given }));
    } catch (Exception error) {
      var inner = error.InnerException ?? error;
      Console.WriteLine(args[0] + "\t" + inner.GetType().Name + ": " + inner.Message.Split('\n')[0]);
    }
  }
}
