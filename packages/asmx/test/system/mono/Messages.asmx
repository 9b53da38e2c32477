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
  [WebMethod] public DataTable EchoTable(DataTable value) { return value; }
  [WebMethod] public DataSet MakeSet() { return Library(); }
  [WebMethod] public DataTable MakeTable() { return Library().Tables["Books"].Copy(); }
  [WebMethod] public string TellSet(DataSet value) {
    string told = value.DataSetName;
    foreach (DataTable table in value.Tables) told += "\n" + Told(table);
    return told;
  }
  [WebMethod] public string TellTable(DataTable value) { return Told(value); }

  static DataSet Library() {
    DataSet set = new DataSet("Library");
    DataTable books = set.Tables.Add("Books");
    books.Columns.Add("Title", typeof(string));
    books.Columns.Add("Pages", typeof(int));
    books.Columns.Add("Unit Price", typeof(decimal));
    books.Columns.Add("Weight", typeof(double));
    books.Columns.Add("Sold", typeof(long));
    books.Columns.Add("InPrint", typeof(bool));
    books.Columns.Add("Added", typeof(DateTime));
    books.Columns.Add("Id", typeof(Guid));
    books.Columns.Add("Cover", typeof(byte[]));
    books.Rows.Add("a < b & \u00e4", 3, 12.50m, 0.1, 9007199254740993L, true, new DateTime(2024, 2, 29, 12, 0, 0, DateTimeKind.Utc),
      new Guid("6f9619ff-8b86-d011-b42d-00cf4fc964ff"), new byte[] { 0, 1, 255 });
    books.Rows.Add("gone", 1);
    books.Rows.Add("", DBNull.Value, -1m, -1.5e-7, -1L, false);
    set.AcceptChanges();
    // What was deleted is not told; what was changed and added is, as it is now.
    books.Rows[1].Delete();
    books.Rows[0]["Pages"] = 4;
    books.Rows.Add("new", 2);
    return set;
  }

  static string Told(DataTable table) {
    string told = table.TableName;
    foreach (DataRow row in table.Rows) {
      if (row.RowState == DataRowState.Deleted) continue;
      told += "\n ";
      foreach (DataColumn column in table.Columns) told += " " + column.ColumnName + "=" + Told(row[column]);
    }
    return told;
  }

  static string Told(object value) {
    if (value is DBNull) return "null";
    if (value is bool) return (bool) value ? "true" : "false";
    if (value is byte[]) return Convert.ToBase64String((byte[]) value);
    if (value is DateTime) return ((DateTime) value).ToUniversalTime().ToString("yyyy-MM-ddTHH:mm:ss.fffZ");
    return Convert.ToString(value, System.Globalization.CultureInfo.InvariantCulture);
  }
}
