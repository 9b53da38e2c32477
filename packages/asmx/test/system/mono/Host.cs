// Serves the .asmx files of a folder by Mono's own System.Web. Prints its address. xsp4 of Debian 12 does not start:
// it needs a type that Mono.Security has no more.
using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Text;
using System.Threading;
using System.Web;
using System.Web.Hosting;

public class Host : MarshalByRefObject {
  public static void Main(string[] args) {
    var host = (Host) ApplicationHost.CreateApplicationHost(typeof(Host), "/", args[0]);
    host.Serve(args[0], int.Parse(args[1]));
    Thread.Sleep(Timeout.Infinite);
  }

  public override object InitializeLifetimeService() { return null; }

  public void Serve(string root, int port) {
    var listener = new HttpListener();
    listener.Prefixes.Add("http://127.0.0.1:" + port + "/");
    listener.Start();
    Console.WriteLine("http://127.0.0.1:" + port);
    new Thread(() => {
      for (;;) {
        var context = listener.GetContext();
        ThreadPool.QueueUserWorkItem(_ => {
          try { HttpRuntime.ProcessRequest(new Request(context, root)); }
          catch (Exception error) { Console.Error.WriteLine(error); context.Response.Abort(); }
        });
      }
    }).Start();
  }
}

class Request : HttpWorkerRequest {
  readonly HttpListenerContext context;
  readonly string root;
  readonly byte[] body;

  public Request(HttpListenerContext context, string root) {
    this.context = context;
    this.root = root;
    var held = new MemoryStream();
    context.Request.InputStream.CopyTo(held);
    body = held.ToArray();
  }

  public override string GetUriPath() {
    return context.Request.Url.AbsolutePath;
  }
  // Service.asmx/Operation: the file, and what stands behind it.
  int End() { var path = GetUriPath(); var at = path.IndexOf(".asmx", StringComparison.OrdinalIgnoreCase); return at < 0 ? path.Length : at + 5; }
  public override string GetFilePath() { return GetUriPath().Substring(0, End()); }
  public override string GetPathInfo() { return GetUriPath().Substring(End()); }
  public override string GetFilePathTranslated() { return MapPath(GetFilePath()); }
  public override string MapPath(string path) { return Path.Combine(root, path.TrimStart('/').Replace('/', Path.DirectorySeparatorChar)); }
  public override string GetAppPath() { return "/"; }
  public override string GetAppPathTranslated() { return root; }
  public override string GetQueryString() { return context.Request.Url.Query.TrimStart('?'); }
  public override string GetRawUrl() { return context.Request.RawUrl; }
  public override string GetHttpVerbName() { return context.Request.HttpMethod; }
  public override string GetHttpVersion() { return "HTTP/1.1"; }
  public override string GetRemoteAddress() { return "127.0.0.1"; }
  public override int GetRemotePort() { return 0; }
  public override string GetLocalAddress() { return "127.0.0.1"; }
  public override int GetLocalPort() { return context.Request.Url.Port; }
  public override string GetServerName() { return "127.0.0.1"; }
  public override string GetKnownRequestHeader(int index) { return context.Request.Headers[GetKnownRequestHeaderName(index)]; }
  public override string GetUnknownRequestHeader(string name) { return context.Request.Headers[name]; }
  public override string[][] GetUnknownRequestHeaders() {
    var all = new List<string[]>();
    foreach (string name in context.Request.Headers)
      if (GetKnownRequestHeaderIndex(name) < 0) all.Add(new[] { name, context.Request.Headers[name] });
    return all.ToArray();
  }
  public override byte[] GetPreloadedEntityBody() { return body; }
  public override bool IsEntireEntityBodyIsPreloaded() { return true; }
  public override void SendStatus(int code, string description) { context.Response.StatusCode = code; }
  public override void SendKnownResponseHeader(int index, string value) { Add(GetKnownResponseHeaderName(index), value); }
  public override void SendUnknownResponseHeader(string name, string value) { Add(name, value); }
  void Add(string name, string value) {
    if (name == "Content-Length" || name == "Transfer-Encoding" || name == "Connection") return;
    if (name == "Content-Type") context.Response.ContentType = value; else context.Response.Headers[name] = value;
  }
  public override void SendResponseFromMemory(byte[] data, int length) { context.Response.OutputStream.Write(data, 0, length); }
  public override void SendResponseFromFile(string file, long offset, long length) { throw new NotSupportedException(); }
  public override void SendResponseFromFile(IntPtr file, long offset, long length) { throw new NotSupportedException(); }
  public override void FlushResponse(bool final) { context.Response.OutputStream.Flush(); }
  public override void EndOfRequest() { context.Response.Close(); }
}
