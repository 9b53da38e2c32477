using System.Net;
using System.Net.Http.Json;
using System.Reflection;
using System.Security;
using System.ServiceModel;
using System.ServiceModel.Channels;
using System.Text;
using System.Xml.Linq;

/// <summary>A way in which a .NET program calls the service: what it sends with, and how.</summary>
record Way(string Name, Func<Call, string> Send);

static class Ways {
    const long Most = 1L << 30;

    public static IEnumerable<Way> All(string url, string ns) {
        foreach (var (name, binding) in Bindings())
            yield return new($"WCF {name}", Wcf(binding, url));
        var client = new HttpClient();
        yield return new("HttpClient GET", call => Result(client.GetAsync($"{url}/{call.Operation}?{Form(call)}").Result));
        yield return new("HttpClient POST", call => Post(client, $"{url}/{call.Operation}", new StringContent(Form(call), Encoding.UTF8, "application/x-www-form-urlencoded")));
        yield return new("HttpClient PostAsJsonAsync", call => Result(client.PostAsJsonAsync($"{url}/{call.Operation}", Typed(call)).Result));
        yield return new("HttpClient multipart", call => Post(client, $"{url}/{call.Operation}", Multipart(call)));
        foreach (var soap12 in new[] { false, true })
            foreach (var chunked in new[] { false, true })
                foreach (var expect in new[] { false, true })
                    yield return new($"HttpClient SOAP 1.{(soap12 ? 2 : 1)}{(chunked ? " chunked" : "")}{(expect ? " Expect" : "")}", call => {
                        var request = new HttpRequestMessage(HttpMethod.Post, url) { Content = new ByteArrayContent(Envelope(call, ns, soap12)) };
                        request.Content.Headers.TryAddWithoutValidation("Content-Type", soap12 ? "application/soap+xml; charset=utf-8" : "text/xml; charset=utf-8");
                        if (!soap12) request.Headers.TryAddWithoutValidation("SOAPAction", $"\"{ns}/{call.Operation}\"");
                        request.Headers.TransferEncodingChunked = chunked;
                        request.Headers.ExpectContinue = expect;
                        return Result(client.Send(request));
                    });
        foreach (var chunked in new[] { false, true })
            foreach (var expect in new[] { false, true })
                yield return new($"HttpWebRequest{(chunked ? " chunked" : "")}{(expect ? " Expect" : "")}", call => Old(call, url, ns, chunked, expect));
        yield return new("HttpWebRequest HTTP/1.0", call => Old(call, url, ns, false, false, request => request.ProtocolVersion = HttpVersion.Version10));
        var cookies = new CookieContainer();
        yield return new("HttpWebRequest as .NET 2 in China", call => Old(call, url, ns, false, true, request => {
            request.UserAgent = "Mozilla/4.0 (compatible; MSIE 6.0; MS Web Services Client Protocol 2.0.50727.8000)";
            request.Headers["Accept-Language"] = "zh-cn,en-us;q=0.5";
            request.Headers["Pragma"] = "no-cache";
            request.AutomaticDecompression = DecompressionMethods.GZip | DecompressionMethods.Deflate;
            request.CookieContainer = cookies;
        }));
        yield return new("HttpClient SOAP 1.1 in chunks around buffers", call => {
            var request = new HttpRequestMessage(HttpMethod.Post, url) { Content = new Pieces(Envelope(call, ns, false)) };
            request.Content.Headers.TryAddWithoutValidation("Content-Type", "text/xml; charset=utf-8");
            request.Headers.TryAddWithoutValidation("SOAPAction", $"\"{ns}/{call.Operation}\"");
            request.Headers.TransferEncodingChunked = true;
            return Result(client.Send(request));
        });
        yield return new("HttpClient SOAP 1.1 with headers of WSE 2", call => {
            var body = Encoding.UTF8.GetString(Envelope(call, ns, false)).Replace("<s:Body>", $"<s:Header>{WseHeaders(url, $"{ns}/{call.Operation}")}</s:Header><s:Body>");
            var content = new StringContent(body, Encoding.UTF8, "text/xml");
            var request = new HttpRequestMessage(HttpMethod.Post, url) { Content = content };
            request.Headers.TryAddWithoutValidation("SOAPAction", $"\"{ns}/{call.Operation}\"");
            return Result(client.Send(request));
        });
    }

    /// <summary>Makes a call many times at once by Begin and End, as programs did before there was await.</summary>
    public static string[] AtOnce(string url, string ns, Call[] calls) {
        var answers = new string[calls.Length];
        using var left = new CountdownEvent(calls.Length);
        for (var index = 0; index < calls.Length; index++) {
            var (at, body) = (index, Envelope(calls[index], ns, false));
            var request = WebRequest.CreateHttp(url);
            request.Method = "POST";
            request.ContentType = "text/xml; charset=utf-8";
            request.Headers["SOAPAction"] = $"\"{ns}/{calls[at].Operation}\"";
            request.BeginGetRequestStream(opened => {
                using (var stream = request.EndGetRequestStream(opened)) stream.Write(body);
                request.BeginGetResponse(answered => {
                    try {
                        using var answer = request.EndGetResponse(answered);
                        answers[at] = Result(true, "text/xml", new StreamReader(answer.GetResponseStream()).ReadToEnd());
                    }
                    catch (Exception e) { answers[at] = e.Message; }
                    left.Signal();
                }, null);
            }, null);
        }
        left.Wait();
        return answers;
    }

    /// <summary>What WSE 2 adds to each message where no policy asks for more (WS-Addressing of March 2004, a timestamp).</summary>
    static string WseHeaders(string url, string action) => $"""
        <wsa:Action xmlns:wsa="http://schemas.xmlsoap.org/ws/2004/03/addressing">{action}</wsa:Action>
        <wsa:MessageID xmlns:wsa="http://schemas.xmlsoap.org/ws/2004/03/addressing">uuid:{Guid.NewGuid()}</wsa:MessageID>
        <wsa:ReplyTo xmlns:wsa="http://schemas.xmlsoap.org/ws/2004/03/addressing"><wsa:Address>http://schemas.xmlsoap.org/ws/2004/03/addressing/role/anonymous</wsa:Address></wsa:ReplyTo>
        <wsa:To xmlns:wsa="http://schemas.xmlsoap.org/ws/2004/03/addressing">{url}</wsa:To>
        <wsse:Security xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"><wsu:Timestamp xmlns:wsu="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"><wsu:Created>{DateTime.UtcNow:s}Z</wsu:Created></wsu:Timestamp></wsse:Security>
        """;

    /// <summary>A body that is written in pieces, each a chunk of HTTP, of sizes on both sides of usual buffers.</summary>
    class Pieces(byte[] body) : HttpContent {
        static readonly int[] Sizes = [1, 2, 4095, 4096, 4097, 16383, 16384, 16385, 65535, 65536, 65537];

        protected override void SerializeToStream(Stream stream, TransportContext context, CancellationToken token) {
            for (int at = 0, turn = 0; at < body.Length; turn++) {
                var size = Math.Min(Sizes[turn % Sizes.Length], body.Length - at);
                stream.Write(body, at, size);
                stream.Flush();
                at += size;
            }
        }

        protected override Task SerializeToStreamAsync(Stream stream, TransportContext context) {
            SerializeToStream(stream, context, CancellationToken.None);
            return Task.CompletedTask;
        }

        protected override bool TryComputeLength(out long length) { length = 0; return false; }
    }

    static IEnumerable<(string, Binding)> Bindings() {
        foreach (var mode in new[] { TransferMode.Buffered, TransferMode.Streamed }) {
            var streamed = mode == TransferMode.Streamed ? " streamed" : "";
            yield return ($"BasicHttp{streamed}", Long(new BasicHttpBinding { MaxReceivedMessageSize = Most, TransferMode = mode, ReaderQuotas = System.Xml.XmlDictionaryReaderQuotas.Max }));
            foreach (var envelope in new[] { EnvelopeVersion.Soap11, EnvelopeVersion.Soap12 }) {
                var version = MessageVersion.CreateVersion(envelope, AddressingVersion.None);
                var number = envelope == EnvelopeVersion.Soap11 ? "1.1" : "1.2";
                var mtom = new MtomMessageEncodingBindingElement(version, Encoding.UTF8) { MaxBufferSize = (int)Most };
                System.Xml.XmlDictionaryReaderQuotas.Max.CopyTo(mtom.ReaderQuotas);
                var text = new TextMessageEncodingBindingElement(version, Encoding.UTF8);
                System.Xml.XmlDictionaryReaderQuotas.Max.CopyTo(text.ReaderQuotas);
                if (number == "1.2") yield return ($"SOAP 1.2{streamed}", Custom(text, mode));
                yield return ($"MTOM {number}{streamed}", Custom(mtom, mode));
            }
        }
    }

    static Binding Custom(MessageEncodingBindingElement encoding, TransferMode mode) =>
        Long(new CustomBinding(encoding, new HttpTransportBindingElement { MaxReceivedMessageSize = Most, TransferMode = mode }));

    /// <summary>A machine with other work is slow; what is waited for is an answer.</summary>
    static Binding Long(Binding binding) {
        binding.SendTimeout = TimeSpan.FromMinutes(10);
        return binding;
    }

    static Func<Call, string> Wcf(Binding binding, string url) {
        var service = new ChannelFactory<IWs01>(binding, new EndpointAddress(url)).CreateChannel();
        return call => {
            var method = typeof(IWs01).GetMethod(call.Operation);
            var arguments = method.GetParameters().Select(parameter => Value(parameter, call)).ToArray();
            return Text(method.Invoke(service, arguments));
        };
    }

    static string Text(object result) => result is bool yes ? (yes ? "true" : "false") : (string)result ?? "";

    static object Value(ParameterInfo parameter, Call call) =>
        call.Values.TryGetValue(parameter.Name, out var text) ? Of(parameter.ParameterType, text)
            : parameter.ParameterType.IsValueType ? Activator.CreateInstance(parameter.ParameterType) : null;

    static object Of(Type type, string text) =>
        type == typeof(byte[]) ? Convert.FromBase64String(text)
        : type == typeof(DateTime) ? System.Xml.XmlConvert.ToDateTime(text, System.Xml.XmlDateTimeSerializationMode.RoundtripKind)
        : Convert.ChangeType(text, type, System.Globalization.CultureInfo.InvariantCulture);

    static string Form(Call call) => string.Join("&", call.Values.Select(pair => $"{pair.Key}={WebUtility.UrlEncode(pair.Value)}"));

    static Dictionary<string, object> Typed(Call call) => typeof(IWs01).GetMethod(call.Operation).GetParameters()
        .Where(parameter => call.Values.ContainsKey(parameter.Name))
        .ToDictionary(parameter => parameter.Name, parameter => Of(parameter.ParameterType, call.Values[parameter.Name]));

    static MultipartFormDataContent Multipart(Call call) {
        var content = new MultipartFormDataContent();
        foreach (var (name, value) in Typed(call))
            if (value is byte[] bytes) content.Add(new ByteArrayContent(bytes), name, "file");
            else content.Add(new StringContent(call.Values[name]), name);
        return content;
    }

    static byte[] Envelope(Call call, string ns, bool soap12) => Encoding.UTF8.GetBytes(
        $"<s:Envelope xmlns:s=\"{(soap12 ? "http://www.w3.org/2003/05/soap-envelope" : "http://schemas.xmlsoap.org/soap/envelope/")}\"><s:Body><{call.Operation} xmlns=\"{ns}\">"
        + string.Concat(call.Values.Select(pair => $"<{pair.Key}>{SecurityElement.Escape(pair.Value)}</{pair.Key}>"))
        + $"</{call.Operation}></s:Body></s:Envelope>");

    static string Post(HttpClient client, string url, HttpContent content) => Result(client.PostAsync(url, content).Result);

    static string Result(HttpResponseMessage answer) => Result(answer.IsSuccessStatusCode, answer.Content.Headers.ContentType?.MediaType, answer.Content.ReadAsStringAsync().Result);

    static string Old(Call call, string url, string ns, bool chunked, bool expect, Action<HttpWebRequest> set = null) {
        var request = WebRequest.CreateHttp(url);
        request.Method = "POST";
        request.Timeout = 600_000;
        request.ContentType = "text/xml; charset=utf-8";
        request.Headers["SOAPAction"] = $"\"{ns}/{call.Operation}\"";
        request.SendChunked = chunked;
        request.AllowWriteStreamBuffering = !chunked;
        request.ServicePoint.Expect100Continue = expect;
        set?.Invoke(request);
        var body = Envelope(call, ns, false);
        using (var stream = request.GetRequestStream())
            for (var at = 0; at < body.Length; at += 4096) stream.Write(body, at, Math.Min(4096, body.Length - at));
        try {
            using var answer = (HttpWebResponse)request.GetResponse();
            return Result(true, "text/xml", new StreamReader(answer.GetResponseStream()).ReadToEnd());
        }
        catch (WebException e) when (e.Response is not null) {
            return Result(false, "text/xml", new StreamReader(e.Response.GetResponseStream()).ReadToEnd());
        }
    }

    /// <summary>The text of a result; of a refusal, the sentence.</summary>
    static string Result(bool success, string type, string body) {
        if (type != null && type.EndsWith("json")) {
            var json = System.Text.Json.JsonDocument.Parse(body).RootElement;
            return success ? json.GetProperty("d").ToString().Replace("True", "true").Replace("False", "false") : throw new HttpRequestException(json.GetProperty("detail").GetString());
        }
        var root = XDocument.Parse(body, LoadOptions.PreserveWhitespace).Root;
        string Part(params string[] names) => root.DescendantsAndSelf().FirstOrDefault(element => names.Contains(element.Name.LocalName))?.Value;
        if (success) return root.Name.LocalName == "Envelope" ? root.Descendants().First(element => element.Name.LocalName.EndsWith("Result")).Value : root.Value;
        throw new HttpRequestException(Part("faultstring", "Text", "message"));
    }
}
