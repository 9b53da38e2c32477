// The service of servers.system.ts by SoapCore.
using System.ServiceModel;
using System.Xml.Serialization;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using SoapCore;

var builder = WebApplication.CreateBuilder();
builder.Logging.ClearProviders();
builder.WebHost.UseUrls("http://127.0.0.1:0");
builder.Services.AddSoapCore();
builder.Services.AddSingleton<IShop, Shop>();
var app = builder.Build();
((IApplicationBuilder)app).UseSoapEndpoint<IShop>(options =>
{
    options.Path = "/Shop.asmx";
    options.SoapSerializer = SoapSerializer.XmlSerializer;
    options.EncoderOptions = [new SoapEncoderOptions()];
});
await app.StartAsync();
Console.WriteLine(app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>().Addresses.First());
await app.WaitForShutdownAsync();

[ServiceContract(Namespace = "urn:shop")]
public interface IShop
{
    [OperationContract] int Sum(int a, int b);
    [OperationContract] Order Give(Order order);
    [OperationContract] string Fail();
}

public class Shop : IShop
{
    public int Sum(int a, int b) => a + b;
    public Order Give(Order order) => order;
    public string Fail() => throw new FaultException(new FaultReason("It broke."), new FaultCode("Client"), null);
}

[XmlType(Namespace = "urn:shop")]
public class Order
{
    public int id { get; set; }
    public string note { get; set; }
    public State state { get; set; }
    public decimal total { get; set; }
    public Line[] lines { get; set; }
}

[XmlType(Namespace = "urn:shop")]
public class Line
{
    public string sku { get; set; }
    public int count { get; set; }
}

[XmlType(Namespace = "urn:shop")]
public enum State { Open, Closed }
