using System.ServiceModel;
using System.Text.Json;
using System.Xml.Serialization;

/// <summary>
/// A service of the kind that .NET shops move; each operation gives back what it gets. It has only what SoapCore's WSDL
/// describes as it is sent: of [Flags], [XmlText], DataType and repeated elements it says something else, and `object` it loses.
/// </summary>
[ServiceContract(Namespace = "http://example.com/moved/"), XmlSerializerFormat]
public interface IMoved {
    [OperationContract] string Text(string value);
    [OperationContract] int Whole(int value);
    [OperationContract] DateTime Moment(DateTime value);
    [OperationContract] decimal Price(decimal value);
    [OperationContract] byte[] Bytes(byte[] value);
    [OperationContract] int? Perhaps(int? value);
    [OperationContract] Scalars Scalars(Scalars value);
    [OperationContract] Order Order(Order value);
    [OperationContract] List<Shape> Shapes(List<Shape> value);
    [OperationContract] Node Node(Node value);
    [OperationContract] bool Find(string key, ref int count, out string found);
    [OperationContract] void Nothing();
    [OperationContract, FaultContract(typeof(Problem))] string Fail(string how);
}

public class Scalars {
    public bool Yes; public sbyte Small; public byte Octet; public short Short; public ushort UShort; public int Int; public uint UInt;
    public long Long; public ulong ULong; public float Float; public double Double; public decimal Decimal; public char Letter;
    public DateTime Moment; public Guid Id; public TimeSpan Span; public string Text; public byte[] Bytes; public Colour Colour;
    public int? Maybe; public DateTime? When; public Colour? Which;
}

public enum Colour { Red, [XmlEnum("dark-green")] Green, Blue }

public class Order {
    [XmlAttribute] public int Number;
    [XmlAttribute("when")] public DateTime When;
    public string Customer;
    public List<Line> Lines;
    public string[] Tags;
    public int[][] Grid;
}
public class Line { [XmlAttribute] public string Sku; public decimal Price; public string Remark; }
[XmlInclude(typeof(Circle)), XmlInclude(typeof(Square))] public class Shape { public string Name; }
public class Circle : Shape { public double Radius; }
[XmlInclude(typeof(Cube))] public class Square : Shape { public double Side; }
public class Cube : Square { public double Depth; }
public class Node { public string Name; public Node[] Children; }
public class Problem { public int Code; public string Why; }

public class MovedService : IMoved {
    public string Text(string value) => value;
    public int Whole(int value) => value;
    public DateTime Moment(DateTime value) => value;
    public decimal Price(decimal value) => value;
    public byte[] Bytes(byte[] value) => value;
    public int? Perhaps(int? value) => value;
    public Scalars Scalars(Scalars value) => value;
    public Order Order(Order value) => value;
    public List<Shape> Shapes(List<Shape> value) => value;
    public Node Node(Node value) => value;
    public bool Find(string key, ref int count, out string found) { count++; found = key; return true; }
    public void Nothing() { }
    public string Fail(string how) => throw new FaultException(how);
}

static class MovedClient {
    static readonly JsonSerializerOptions Plain = new() { IncludeFields = true, NumberHandling = System.Text.Json.Serialization.JsonNumberHandling.AllowNamedFloatingPointLiterals };

    public static void Call(string url) {
        var service = new ChannelFactory<IMoved>(new BasicHttpBinding { MaxReceivedMessageSize = 1 << 26 }, new EndpointAddress(url)).CreateChannel();
        void Say(string name, Func<object> call) => Lines.Print("WCF", name, () => { var answer = call(); return $"{answer?.GetType().Name} {JsonSerializer.Serialize(answer, answer?.GetType() ?? typeof(object), Plain)}"; });
        void Each<T>(string name, Func<T, T> call, params T[] values) {
            for (var at = 0; at < values.Length; at++) { var value = values[at]; Say($"{name} {at}", () => call(value)); }
        }
        Each("Text", service.Text, null, "", " ", " a\tb\nc ", "a\r\nb", "<&>\"']]>", "ä中😀\uFEFF", new string('x', 100_000));
        Each("Whole", service.Whole, 0, -1, int.MaxValue, int.MinValue);
        Each("Moment", service.Moment, default, DateTime.MaxValue, new(1900, 1, 1), new(1899, 12, 30), new(1753, 1, 1, 7, 8, 9), new(2031, 12, 25, 1, 2, 3), new(2031, 12, 25, 1, 2, 3, DateTimeKind.Utc), new DateTime(2024, 12, 31, 23, 59, 59).AddTicks(9_999_999));
        Each("Price", service.Price, 0, 1.50m, -0.000_1m, decimal.MaxValue, decimal.MinValue);
        Each("Bytes", service.Bytes, null, [], [0, 255], new byte[70_000]);
        Each<int?>("Perhaps", service.Perhaps, null, 0, 7);
        Each<Scalars>("Scalars", service.Scalars, null, new(), Full());
        Each<Order>("Order", service.Order, null, new(), new() {
            Number = 7, When = new(2031, 12, 25), Customer = "c", Lines = [new() { Sku = "s", Price = 1.50m, Remark = "r" }, null, new()],
            Tags = ["a", null, ""], Grid = [[1, 2], [], [3]],
        });
        Each<List<Shape>>("Shapes", service.Shapes, null, [], [new Circle { Name = "c", Radius = 0.1 }, new Cube { Name = "q", Side = 1, Depth = double.NaN }, null, new Shape { Name = "s" }, new Square { Side = double.PositiveInfinity }]);
        Each<Node>("Node", service.Node, null, new() { Name = "a", Children = [new() { Name = "b", Children = [] }, new() { Children = [new() { Name = "c" }] }] });
        Say("Find", () => { var count = 4; var yes = service.Find("k", ref count, out var found); return $"{yes} {count} {found}"; });
        Say("Nothing", () => { service.Nothing(); return "done"; });
        Each("Fail", service.Fail, "It is full.");
    }

    static Scalars Full() => new() {
        Yes = true, Small = -128, Octet = 255, Short = short.MinValue, UShort = ushort.MaxValue, Int = int.MinValue, UInt = uint.MaxValue,
        Long = long.MinValue, ULong = ulong.MaxValue, Float = 0.1f, Double = double.Epsilon, Decimal = 12.340m, Letter = 'é',
        Moment = new(2031, 12, 25, 1, 2, 3, 4), Id = Guid.Parse("0f8fad5b-d9cb-469f-a165-70867728950e"), Span = new(1, 2, 3, 4, 5), Text = "t", Bytes = [1, 2, 3],
        Colour = Colour.Green, Maybe = 5, When = new(2031, 12, 25, 1, 2, 3, DateTimeKind.Utc), Which = Colour.Blue,
    };
}
