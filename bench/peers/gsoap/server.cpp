// countUserPosted in gSOAP: parses the call, echoes one parameter; no credential, no database.
// Prints its URL and serves keep-alive connections until it is killed, in one of two ways:
//   threads  one thread a connection, which gSOAP's guide shows
//   epoll    one thread for all connections, a gSOAP context each
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include "WS01.nsmap"
#include "soapH.h"

static const int BACKLOG = 256;
static const int EVENTS = 64;

int ns__countUserPosted(struct soap *soap, char *tokenId, char *userId, char *lastFewDays, char *level, char **result) {
  *result = lastFewDays;
  return SOAP_OK;
}

// Frees what a request took; soap_serve itself does so only when the connection ends.
static int release(struct soap *soap) {
  soap_destroy(soap);
  soap_end(soap);
  return SOAP_OK;
}

static void close_connection(struct soap *soap) {
  soap_force_closesock(soap);
  release(soap);
  soap_free(soap);
}

static void *serve_connection(void *argument) {
  struct soap *soap = (struct soap *)argument;
  pthread_detach(pthread_self());
  soap->fserveloop = release;
  soap_serve(soap);
  close_connection(soap);
  return NULL;
}

static int serve_with_threads(struct soap *soap) {
  for (;;) {
    if (!soap_valid_socket(soap_accept(soap))) return 1;
    pthread_t thread;
    pthread_create(&thread, NULL, serve_connection, soap_copy(soap));
  }
}

// One request of a connection that can be read. What follows is soap_serve's loop body.
static bool serve_request(struct soap *soap) {
  soap->keep_alive = 1;
  if (soap_begin_serve(soap) || soap_serve_request(soap)) {
    if (soap->error == SOAP_EOF || soap->error == SOAP_STOP) return false;
    soap_send_fault(soap);
    return false;
  }
  release(soap);
  return soap->keep_alive != 0;
}

static int serve_with_epoll(struct soap *listener) {
  int poll = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {.ptr = listener}};
  epoll_ctl(poll, EPOLL_CTL_ADD, listener->master, &event);
  struct epoll_event ready[EVENTS];
  for (;;) {
    int count = epoll_wait(poll, ready, EVENTS, -1);
    for (int i = 0; i < count; i++) {
      struct soap *soap = (struct soap *)ready[i].data.ptr;
      if (soap == listener) {
        if (!soap_valid_socket(soap_accept(listener))) return 1;
        struct soap *connection = soap_copy(listener);
        event.data.ptr = connection;
        epoll_ctl(poll, EPOLL_CTL_ADD, connection->socket, &event);
        listener->socket = SOAP_INVALID_SOCKET;
      } else if (!serve_request(soap)) {
        close_connection(soap);
      }
    }
  }
}

int main(int count, char **arguments) {
  signal(SIGPIPE, SIG_IGN);
  struct soap *soap = soap_new1(SOAP_IO_BUFFER | SOAP_IO_KEEPALIVE | SOAP_C_UTFSTRING);
  soap->accept_flags = SO_REUSEADDR;
  soap->max_keep_alive = 0;  // no bound
  soap->bind_flags = SO_REUSEADDR;
  if (!soap_valid_socket(soap_bind(soap, "127.0.0.1", 0, BACKLOG))) {
    soap_print_fault(soap, stderr);
    return 1;
  }
  struct sockaddr_in address;
  socklen_t length = sizeof address;
  getsockname(soap->master, (struct sockaddr *)&address, &length);
  printf("http://127.0.0.1:%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return count > 1 && strcmp(arguments[1], "epoll") == 0 ? serve_with_epoll(soap) : serve_with_threads(soap);
}
