// Lane calls URL NAMESPACE FILE: makes each call of a JSON file in each way, and prints an answer a line.
// Lane at-once URL NAMESPACE FILE: makes the calls of a JSON file all at once, and prints an answer a line.
// Lane describe URL: what Microsoft's reader of WSDLs says of one.
// Lane serve: the service that is moved, on SoapCore; prints its URL.
// Lane count: countUserPosted alone, on SoapCore, for `npm run bench -- peers`; prints its URL.
// Lane moved URL: the same calls of it, wherever it is served; prints an answer a line.
using System.Text.Json;

switch (args[0]) {
    case "calls": Calls.Make(args[1], args[2], args[3]); break;
    case "at-once": Calls.AtOnce(args[1], args[2], args[3]); break;
    case "describe": await Describe.Print(args[1]); break;
    case "serve": await Server.Serve<IMoved, MovedService>("/Moved.asmx"); break;
    case "count": await Server.Serve<ICounted, CountedService>("/WS01.asmx"); break;
    case "moved": MovedClient.Call(args[1]); break;
}

/// <summary>A call of a file: values are text, as over GET, and absent ones are not sent.</summary>
record Call(string Name, string Operation, Dictionary<string, string> Values);

static class Calls {
    static Call[] Of(string file) => JsonSerializer.Deserialize<Call[]>(File.ReadAllText(file), JsonSerializerOptions.Web);

    public static void AtOnce(string url, string ns, string file) {
        var calls = Of(file);
        foreach (var (call, answer) in calls.Zip(Ways.AtOnce(url, ns, calls))) Lines.Print("APM", call.Name, () => answer);
    }

    public static void Make(string url, string ns, string file) {
        var calls = Of(file);
        foreach (var way in Ways.All(url, ns))
            foreach (var call in calls)
                Lines.Print(way.Name, call.Name, () => way.Send(call));
    }
}

static class Lines {
    static readonly JsonSerializerOptions Plain = new() { Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Prints the answer of a call, or what a person sees who catches the exception.</summary>
    public static void Print(string way, string name, Func<string> call) {
        string answer = null, error = null, type = null;
        try { answer = call(); }
        catch (Exception e) {
            if (e is System.Reflection.TargetInvocationException) e = e.InnerException;
            error = e.Message;
            type = e.GetType().Name;
        }
        Console.WriteLine(JsonSerializer.Serialize(new { way, name, answer, error, type }, Plain));
    }
}
