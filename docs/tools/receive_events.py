#!/usr/bin/env python3
"""Receives the events of leads and prints each one once, as a line of JSON. Python 3.9 or newer, nothing else.

    EVENTS_WEBHOOK_SECRET=whsec_... python3 receive_events.py [8099]

It listens on this machine only. A message with a wrong signature, or older than five minutes, is answered 401 and not read.
Leadgate may send an event more than once, always with the same webhook-id: a repeat is answered 204 and forgotten.
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, HTTPServer

TOLERANCE_S = 300
MOST_BYTES = 1_000_000
REMEMBERED = 10_000
SECRET = base64.b64decode(os.environ.get("EVENTS_WEBHOOK_SECRET", "").removeprefix("whsec_"))
seen = OrderedDict()


def is_genuine(headers, body):
    """The signature covers the id, the time and the raw body, so check it before you parse the body."""
    event_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > TOLERANCE_S:
        return False
    digest = hmac.new(SECRET, f"{event_id}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    signatures = headers.get("webhook-signature", "").encode().split()
    return any(hmac.compare_digest(expected, signature) for signature in signatures)


def handle(event):
    """Your own code. If it raises, Leadgate sends the event again."""
    print(json.dumps(event), flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(min(length, MOST_BYTES))
        if not is_genuine(self.headers, body):
            return self.answer(401)
        event_id = self.headers["webhook-id"]
        if event_id not in seen:
            handle(json.loads(body))
            seen[event_id] = True
            while len(seen) > REMEMBERED:
                seen.popitem(last=False)
        return self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if not SECRET:
        sys.exit(__doc__)
    server = HTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8099), Receiver)
    print(f"listens on http://127.0.0.1:{server.server_port}", file=sys.stderr, flush=True)
    server.serve_forever()
