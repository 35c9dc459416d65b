"""A real SMTP server for tests: Debian's aiosmtpd on a free port.

Reads its settings as JSON from the first line of standard input. Writes one JSON
object per line to standard output: first {"port": n}, then one for each mail
accepted. Ends when standard input ends.

Special recipients, by local part: "nobody" is refused permanently, "later" is
refused temporarily, and "busy" is refused temporarily on the first try only.
"""
import asyncio
import base64
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


def say(**line):
    print(json.dumps(line), flush=True)


class Handler:
    def __init__(self):
        self.seen = set()

    async def handle_RCPT(self, server, session, envelope, address, options):
        local = address.split("@")[0]
        if local == "nobody":
            return "550 5.1.1 no such mailbox"
        if local == "later" or local == "busy" and address not in self.seen:
            self.seen.add(address)
            say(refused=address)
            return "451 4.3.0 try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        auth = session.auth_data
        say(mail={
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "tls": session.ssl is not None or server.transport.get_extra_info("ssl_object") is not None,
            "user": auth.login.decode() if auth else "",
            "data": base64.b64encode(envelope.original_content).decode(),
        })
        return "250 taken"


async def main():
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    settings = json.loads(await reader.readline())

    def authenticate(server, session, envelope, mechanism, data):
        ok = data.login == settings["user"].encode() and data.password == settings["password"].encode()
        say(auth=mechanism, ok=ok)
        return AuthResult(success=ok, auth_data=data if ok else None, handled=False)

    tls = None
    if settings["tls"]:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(settings["cert"], settings["key"])
    handler = Handler()

    def factory():
        return SMTP(
            handler, hostname="smtptest", enable_SMTPUTF8=True,
            tls_context=tls if settings["tls"] == "starttls" else None,
            require_starttls=settings["tls"] == "starttls",
            authenticator=authenticate if settings["user"] else None,
            auth_required=bool(settings["user"]),
            auth_require_tls=settings["tls"] == "starttls",
        )

    server = await loop.create_server(factory, "127.0.0.1", 0, ssl=tls if settings["tls"] == "implicit" else None)
    say(port=server.sockets[0].getsockname()[1])
    await reader.read()


asyncio.run(main())
