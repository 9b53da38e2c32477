// Calls Give and gives what it got to Take, by a proxy that wsdl2h and soapcpp2 made: gSOAP.
#include PROXY_HEADER
#include NAMESPACES
#include <iostream>
int main(int, char **arguments) {
  PROXY proxy(arguments[2], SOAP_C_UTFSTRING);
  _ns1__Give give;
  _ns1__GiveResponse given;
  std::cout << arguments[1] << "\t";
  if (proxy.Give(&give, given) != SOAP_OK) { std::cout << "Give: " << proxy.soap_fault_string() << "\n"; return 0; }
  _ns1__Take take;
  _ns1__TakeResponse taken;
  take.value = given.GiveResult;
  if (proxy.Take(&take, taken) != SOAP_OK) std::cout << "Take: " << proxy.soap_fault_string() << "\n";
  else std::cout << *taken.TakeResult << "\n";
  return 0;
}
