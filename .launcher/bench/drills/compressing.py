"""An nginx that compresses each page itself: work that only the server does, and that one worker process cannot share."""

import random
import time
import zlib

TEXT = "/page/text.html"


def compress_each(server, seed, size):
    """Makes the server compress TEXT, of `size` bytes, for each request. Returns the CPU time of a response in seconds."""
    # A location that passes requests to the same process and asks for gzip: visitors need not accept it.
    inner = server.dir + "/inner.sock"
    server.http += "gzip on; gzip_comp_level 9; gzip_proxied any; gzip_http_version 1.0; server { listen unix:%s; root %s/www; }" % (inner, server.dir)
    server.location = "proxy_pass http://unix:%s; proxy_set_header Accept-Encoding gzip;" % inner
    page = words(seed, size)
    server.write("www" + TEXT, page.decode())
    begun = time.thread_time()
    zlib.compress(page, 9)
    return time.thread_time() - begun


def words(seed, size):
    """A text that compresses as prose does."""
    r = random.Random(seed)
    lexicon = [bytes(r.choice(b"etaoinshrdlu") for _ in range(r.randint(2, 9))) for _ in range(4_000)]
    return b" ".join(lexicon[min(3_999, int(r.paretovariate(0.7)))] for _ in range(size // 6))[:size]
