using System.Web.Services.Description;
using System.Xml;

/// <summary>Microsoft's own reader of WSDLs.</summary>
static class Describe {
    public static async Task Print(string url) {
        using var reader = XmlReader.Create(await new HttpClient().GetStreamAsync(url));
        var description = ServiceDescription.Read(reader, true);
        foreach (var warning in description.ValidationWarnings) Console.WriteLine($"warning: {warning}");
        foreach (PortType port in description.PortTypes)
            Console.WriteLine($"{port.Name}: {port.Operations.Count}");
    }
}
