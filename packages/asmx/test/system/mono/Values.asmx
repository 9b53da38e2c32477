<%@ WebService Language="C#" Class="Values" %>
using System;
using System.Collections.Generic;
using System.Data;
using System.Web.Services;
using System.Web.Services.Protocols;
using System.Xml;
using System.Xml.Serialization;

public enum Weather { Sun, Rain, [XmlEnum("heavy-snow")] Snow }
[Flags] public enum Days { Monday = 1, Tuesday = 2, Friday = 4 }
public class Person { public string Name; public int Age; [XmlAttribute] public int Id; [XmlAttribute("unit")] public string Unit; }
public class Price { [XmlText] public decimal Value; [XmlAttribute("currency")] public string Currency; }
public class Maybe { public int? None; public int? Some; public string Text; [XmlElement(IsNullable = true)] public string Nil; public DateTime? When; }
public class Flat { [XmlElement("number")] public int[] Numbers; public string Name; }
public class Node { public string Name; public List<Node> Children; }
[XmlInclude(typeof(Dog))] public class Animal { public string Name; }
public class Dog : Animal { public bool Barks; }
public class Either { public string Before; [XmlElement("left", typeof(int))] [XmlElement("right", typeof(string))] public object Item; }
public class Optional { public int A; [XmlIgnore] public bool ASpecified; public string B; }
public class Renamed { [XmlElement("first-name")] public string First; [XmlArray("things")] [XmlArrayItem("thing")] public string[] Things; }
public class Form { [XmlElement(DataType = "date")] public DateTime Day; [XmlElement(DataType = "time")] public DateTime At; [XmlElement(DataType = "hexBinary")] public byte[] Hex; [XmlElement(DataType = "anyURI")] public string Uri; }
public class Defaults { [System.ComponentModel.DefaultValue(7)] public int Seven = 7; [System.ComponentModel.DefaultValue("x")] public string X = "x"; public string Y; }

[WebService(Namespace = "http://example.com/values")]
[WebServiceBinding(ConformsTo = WsiProfiles.None)]
public class Values : WebService {
  [WebMethod] public string EchoString(string value) { return value; }
  [WebMethod] public bool EchoBool(bool value) { return value; }
  [WebMethod] public sbyte EchoSByte(sbyte value) { return value; }
  [WebMethod] public byte EchoByte(byte value) { return value; }
  [WebMethod] public short EchoShort(short value) { return value; }
  [WebMethod] public ushort EchoUShort(ushort value) { return value; }
  [WebMethod] public int EchoInt(int value) { return value; }
  [WebMethod] public uint EchoUInt(uint value) { return value; }
  [WebMethod] public long EchoLong(long value) { return value; }
  [WebMethod] public ulong EchoULong(ulong value) { return value; }
  [WebMethod] public decimal EchoDecimal(decimal value) { return value; }
  [WebMethod] public float EchoFloat(float value) { return value; }
  [WebMethod] public double EchoDouble(double value) { return value; }
  [WebMethod] public DateTime EchoDateTime(DateTime value) { return value; }
  [WebMethod] public Guid EchoGuid(Guid value) { return value; }
  [WebMethod] public char EchoChar(char value) { return value; }
  [WebMethod] public byte[] EchoBytes(byte[] value) { return value; }
  [WebMethod] public XmlQualifiedName EchoQName(XmlQualifiedName value) { return value; }
  [WebMethod] public Weather EchoEnum(Weather value) { return value; }
  [WebMethod] public Days EchoFlags(Days value) { return value; }
  [WebMethod] public int? EchoNullable(int? value) { return value; }
  [WebMethod] public int[] EchoInts(int[] value) { return value; }
  [WebMethod] public string[] EchoStrings(string[] value) { return value; }
  [WebMethod] public int?[] EchoNullables(int?[] value) { return value; }
  [WebMethod] public int[][] EchoJagged(int[][] value) { return value; }
  [WebMethod] public Person EchoPerson(Person value) { return value; }
  [WebMethod] public List<Person> EchoPeople(List<Person> value) { return value; }
  [WebMethod] public Price EchoPrice(Price value) { return value; }
  [WebMethod] public Maybe EchoMaybe(Maybe value) { return value; }
  [WebMethod] public Flat EchoFlat(Flat value) { return value; }
  [WebMethod] public Node EchoNode(Node value) { return value; }
  [WebMethod] public Animal EchoAnimal(Animal value) { return value; }
  [WebMethod] public Animal[] EchoZoo(Animal[] value) { return value; }
  [WebMethod] public Either EchoEither(Either value) { return value; }
  [WebMethod] public Optional EchoOptional(Optional value) { return value; }
  [WebMethod] public Renamed EchoRenamed(Renamed value) { return value; }
  [WebMethod] public Form EchoForm(Form value) { return value; }
  [WebMethod] public Defaults EchoDefaults(Defaults value) { return value; }
  [WebMethod] public XmlElement EchoXml(XmlElement value) { return value; }
  [WebMethod] public object EchoObject(object value) { return value; }
  [WebMethod] public void Nothing(string value) {}
}
