// A process that serves the same WSDL by gSOAP, one connection after another; prints its port.
#include "soapObjectsSoapService.h"
#include "ObjectsSoap.nsmap"
#include <cstdio>
#include <netinet/in.h>

int ObjectsSoapService::Echo(_ns1__Echo *asked, _ns1__EchoResponse &answer) {
  answer.EchoResult = asked->items;
  return SOAP_OK;
}

int main() {
  ObjectsSoapService service(SOAP_IO_KEEPALIVE);
  if (!soap_valid_socket(service.bind("127.0.0.1", 0, 100))) return 1;
  sockaddr_in bound;
  socklen_t length = sizeof bound;
  getsockname(service.soap->master, (sockaddr *)&bound, &length);
  std::printf("%d\n", ntohs(bound.sin_port));
  std::fflush(stdout);
  while (soap_valid_socket(service.accept())) {
    service.serve();
    service.destroy();
  }
  return 0;
}
