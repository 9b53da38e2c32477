<%@ WebService Language="C#" Class="Messages" %>
using System;
using System.Data;
using System.Web.Services;
using System.Web.Services.Protocols;
using System.Xml;
using System.Xml.Serialization;

public class Auth : SoapHeader { public string User; public string Password; }
public class Trace : SoapHeader { public string Id; public int Hops; }
public class Point { public int X; public int Y; }

[WebService(Namespace = "http://example.com/messages/", Description = "What messages are made of.")]
public class Messages : WebService {
  public Auth AuthHeader;
  public Trace TraceHeader;
  [WebMethod(Description = "Adds.")] public int Add(int a, int b) { return a + b; }
  [WebMethod] public bool TryParse(string text, ref int value, out string rest) { value = value + 1; rest = text; return true; }
  [WebMethod] [SoapHeader("AuthHeader")] [SoapHeader("TraceHeader", Direction = SoapHeaderDirection.InOut)]
  public string Whoami(int times) {
    if (TraceHeader != null) TraceHeader.Hops = TraceHeader.Hops + times;
    return AuthHeader == null ? "nobody" : AuthHeader.User;
  }
  [WebMethod] [SoapDocumentMethod(OneWay = true)] public void Notify(string text) {}
  [WebMethod] [SoapRpcMethod] public Point Encoded(Point value, int[] numbers, string text) { return value; }
  [WebMethod] [SoapDocumentMethod(ParameterStyle = SoapParameterStyle.Bare)] public Point Bare(Point value) { return value; }
  [WebMethod(MessageName = "AddThree")] public int Add(int a, int b, int c) { return a + b + c; }
  [WebMethod] [SoapDocumentMethod("http://example.com/other", RequestElementName = "Ask", ResponseElementName = "Told", RequestNamespace = "urn:r")]
  [return: XmlElement("answer")] public string Renamed([XmlElement("question")] string q) { return q; }
  [WebMethod] public DataSet Data(DataSet value) { return value; }
}
