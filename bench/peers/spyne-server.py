"""countUserPosted on Spyne: parses the call, echoes one parameter; no credential, no database."""
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from spyne import Application, ServiceBase, Unicode, rpc
from spyne.protocol.soap import Soap11
from spyne.server.wsgi import WsgiApplication


class WS01(ServiceBase):
    @rpc(Unicode, Unicode, Unicode, Unicode, _returns=Unicode)
    def countUserPosted(ctx, tokenId, userId, lastFewDays, level):
        return lastFewDays



class Server(WSGIServer):
    request_queue_size = 1024


class Quiet(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


application = Application([WS01], "urn:ws01", in_protocol=Soap11(), out_protocol=Soap11())
server = make_server("127.0.0.1", 0, WsgiApplication(application), Server, Quiet)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
