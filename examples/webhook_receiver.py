"""Takes Vigil's webhooks, and stops a training in which a rule has fired.

    HOOK_SECRET=... python webhook_receiver.py 8787
"""

import base64
import hashlib
import hmac
import json
import os
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["HOOK_SECRET"].encode()
seen = set()  # keep it where a restart finds it again


class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        key, at = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        signed = ("%s.%s." % (key, at)).encode() + body
        want = "v1," + base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
        genuine = hmac.compare_digest(want, self.headers.get("webhook-signature", "")) and abs(time.time() - int(at)) < 300
        self.send_response(204 if genuine else 401)
        self.end_headers()
        if not genuine or key in seen:
            return
        seen.add(key)
        job = json.loads(body)["detail"]
        fired = [r["RuleConfigurationName"] for r in job["DebugRuleEvaluationStatuses"] if r["RuleEvaluationStatus"] == "IssuesFound"]
        if job["TrainingJobStatus"] == "InProgress" and fired:
            print("stopping %s: %s" % (job["TrainingJobName"], ", ".join(fired)), flush=True)
            subprocess.run([os.environ.get("VIGIL_BIN", "vigil"), "stop", job["Vigil"]["path"]])


server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Hook)
print("http://127.0.0.1:%d" % server.server_port, flush=True)
server.serve_forever()
