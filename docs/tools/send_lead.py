#!/usr/bin/env python3
"""Sends one lead to Leadgate and stays with it until its end. Python 3.9 or newer, nothing else.

    python3 send_lead.py ORDER-4711 lead.json [/api/clinicsys/no-prescreen]

ORDER-4711 is the lead's own name in your system: sent again with it, for 72 hours, the lead arrives once, and the answer is the same.
LEADGATE_URL says where Leadgate is (http://127.0.0.1:8080), LEADGATE_API_KEY holds your gateway key where it asks for one.
Exit status: 0 it is done, 1 it was refused, 2 a person decides: do not send it again, 3 not reached: run the same again.
"""

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request

BASE = os.environ.get("LEADGATE_URL", "http://127.0.0.1:8080").rstrip("/")
API_KEY = os.environ.get("LEADGATE_API_KEY", "")
DONE, REFUSED, A_PERSON_DECIDES, NOT_REACHED = range(4)
TIMEOUT_S = 70  # longer than Leadgate ever keeps a caller waiting
GIVE_UP_AFTER_S = float(os.environ.get("GIVE_UP_AFTER_S", "600"))


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would take the lead to another place."""

    def redirect_request(self, *_):
        return None


class NotLeadgate(Exception):
    pass


opener = urllib.request.build_opener(NoRedirect)


def ask(method, path, body=None, headers=None):
    """Status, headers and body; no status is an exception, only no answer is."""
    request = urllib.request.Request(BASE + path, method=method, headers=dict(headers or {}))
    if API_KEY:
        request.add_header("x-gateway-key", API_KEY)
    if body is not None:
        request.add_header("Content-Type", "application/json")
        request.data = json.dumps(body).encode()
    try:
        response = opener.open(request, timeout=TIMEOUT_S)
    except urllib.error.HTTPError as refused:
        response = refused
    with response:
        text = response.read()
        status, answered = response.status, response.headers
    try:
        answer = json.loads(text)
        is_ours = "X-Log-Id" in answered or "success" in answer if status < 300 else "code" in answer["error"]
    except (ValueError, TypeError, KeyError):
        is_ours = False
    if is_ours:
        return status, answered, answer
    if status == 429 or status >= 500:
        raise OSError(f"a proxy answered {status}")
    raise NotLeadgate(f"what answers at {BASE} is not Leadgate (status {status})")


def until_answered(method, path, body=None, headers=None):
    """Sends the same again while nothing was started or nothing came back."""
    give_up_at = time.monotonic() + GIVE_UP_AFTER_S
    while True:
        pause_s = 5.0
        try:
            status, answered, answer = ask(method, path, body, headers)
            may_repeat = status in (429, 503) and answer["error"].get("retryable", False)
            if not may_repeat and not was_not_started(answer):
                return status, answer
            pause_s = float(answered.get("Retry-After", pause_s))
            print(f"{status}: again in {pause_s:g} s", file=sys.stderr)
        except (OSError, http.client.HTTPException) as no_answer:
            print(f"no answer ({no_answer}): again in {pause_s:g} s", file=sys.stderr)
        if time.monotonic() + pause_s > give_up_at:
            return None, {}
        time.sleep(pause_s)


def was_not_started(answer):
    """If the engine stopped answering during the hand-over, the lead itself tells whether it was started."""
    is_unknown = answer.get("error", {}).get("code") == "OUTCOME_UNKNOWN" and "state" not in answer
    return is_unknown and "leadId" in answer and ask("GET", f"/api/leads/{answer['leadId']}")[0] == 404


def send(order, lead, path):
    status, answer = until_answered("POST", path, lead, {"Idempotency-Key": order})
    if status is None:
        return NOT_REACHED, answer
    if status == 202:
        return follow(answer["statusUrl"])
    if status == 200:
        return DONE, answer
    if answer.get("state") == "parked" or (status >= 500 and answer["error"]["code"] != "CONFIG_ERROR"):
        return A_PERSON_DECIDES, answer
    return REFUSED, answer


def follow(status_url):
    """Asks until the lead is at its end, or parked; each question waits up to twenty seconds for that."""
    while True:
        status, answer = until_answered("GET", f"{status_url}?wait=20")
        if status != 200:
            return (NOT_REACHED if status is None else A_PERSON_DECIDES), answer
        state = answer["state"]
        if state in ("delivered", "skipped"):
            return DONE, answer
        if state in ("failed", "discarded"):
            return REFUSED, answer
        if state == "parked":
            return A_PERSON_DECIDES, answer
        time.sleep(1)


def main(arguments):
    if len(arguments) not in (2, 3):
        sys.exit(__doc__)
    order, file, path = (*arguments, "/api/clinicsys/no-prescreen")[:3]
    with open(file, encoding="utf-8") as text:
        lead = json.load(text)
    try:
        outcome, answer = send(order, lead, path)
    except NotLeadgate as error:
        print(error, file=sys.stderr)
        return NOT_REACHED
    for detail in answer.get("error", {}).get("details", []):
        print(f"{detail['field']}: {detail['message']}", file=sys.stderr)
    if outcome == A_PERSON_DECIDES and "leadId" in answer:
        print(f"look here: {BASE}/console#/leads/{answer['leadId']}", file=sys.stderr)
    print(json.dumps(answer, indent=2))
    return outcome


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
