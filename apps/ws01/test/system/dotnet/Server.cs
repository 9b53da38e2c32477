using System.ServiceModel;
using SoapCore;

/// <summary>SoapCore on Kestrel.</summary>
static class Server {
    /// <summary>Serves a contract, and prints the URL.</summary>
    public static async Task Serve<TContract, TService>(string path) where TContract : class where TService : class, TContract {
        var builder = WebApplication.CreateBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddSoapCore().AddSingleton<TContract, TService>();
        var app = builder.Build();
        ((IApplicationBuilder)app).UseSoapEndpoint<TContract>(path, new SoapEncoderOptions(), SoapSerializer.XmlSerializer);
        await app.StartAsync();
        Console.WriteLine(app.Urls.First());
        await app.WaitForShutdownAsync();
    }
}

/// <summary>What the benches measure peers with: it parses the call, and echoes one parameter.</summary>
[ServiceContract(Namespace = "urn:ws01"), XmlSerializerFormat]
public interface ICounted {
    [OperationContract(Action = "urn:ws01/countUserPosted")] string countUserPosted(string tokenId, string userId, string lastFewDays, string level);
}
public class CountedService : ICounted {
    public string countUserPosted(string tokenId, string userId, string lastFewDays, string level) => lastFewDays;
}
