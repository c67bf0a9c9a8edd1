"""The application /app of the drills, written for each kind of application server.

Parameters of a request, all numbers: sleep (milliseconds of waiting), cpu (milliseconds of CPU time), spin (thousands of steps of computing),
read (kilobytes that the kernel makes), write (kilobytes into a file of the directory `disk`; Apache only), keep (megabytes that the process holds from then on), churn (megabytes of garbage), bytes (of the
response), call (a request to the backend). A body is read to its end. While a file `broken` exists, the response is 500. While a file `leak`
exists, Tomcat's heap is filled except for as many megabytes as it says.
"""

LUA = """
kept = kept or nil
local steps_of_a_millisecond = 50000
function handle(r)
  local broken = io.open(r.document_root .. "/../broken")
  if broken then
    broken:close()
    return 500
  end
  local wish = {}
  for name, value in string.gmatch(r.args or "", "(%a+)=(%d+)") do wish[name] = tonumber(value) end
  if r.method == "POST" then r:requestbody() end
  if wish.keep and not kept then kept = string.rep("k", wish.keep * 1048576) end
  if wish.sleep then r.usleep(wish.sleep * 1000) end
  local least = (wish.spin or 0) * 1000 + (wish.cpu or 0) * steps_of_a_millisecond
  local ending = os.clock() + (wish.cpu or 0) / 1000
  local x, done = 0, 0
  -- The clock counts all threads of a process: where there are several, the number of steps decides.
  while done < least or os.clock() < ending do
    for i = 1, 5000 do x = (x + i) % 7919 end
    done = done + 5000
  end
  if wish.read then
    local made = io.open("/dev/urandom", "rb")
    made:setvbuf("no")
    for i = 1, wish.read / 64 do made:read(65536) end
    made:close()
  end
  if wish.write then
    local name = r.document_root .. "/../disk/" .. r.useragent_ip .. "-" .. r:clock() .. "-" .. math.random(1e9)
    local made = io.open(name, "wb")
    local whole = made and made:write(string.rep("w", wish.write * 1024)) and made:flush()
    if made then made:close() end
    os.remove(name)
    if not whole then return 500 end
  end
  r.content_type = "text/plain"
  r:puts(string.rep("komainu ", (wish.bytes or 1024) / 8))
  return apache2.OK
end
"""

SERVLET = """
import jakarta.servlet.http.*;
import java.util.ArrayList;
import java.util.List;
public class Waiting extends HttpServlet {
  private static final String BASE = System.getProperty("catalina.base");
  private static final String BACKEND = System.getProperty("drill.backend", "");
  private static final int TIMEOUT = Integer.getInteger("drill.timeout", 30000);
  private static final List<byte[]> LEAKED = new ArrayList<>();
  private static volatile Object sink;
  @Override public void init() {
    pause(Integer.getInteger("drill.start", 0));
    Thread watch = new Thread(() -> { for (;; pause(200)) leak(new java.io.File(BASE, "leak")); });
    watch.setDaemon(true);
    watch.start();
  }
  @Override protected void service(HttpServletRequest request, HttpServletResponse response) throws java.io.IOException {
    if (new java.io.File(BASE, "broken").exists()) {
      response.sendError(500);
      return;
    }
    request.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
    pause(number(request, "sleep"));
    long x = 0;
    for (long i = 1, steps = number(request, "spin") * 1000L; i <= steps; i++) x = (x + i) % 7919;
    sink = x;
    int cpu = number(request, "cpu");
    if (cpu > 0) compute(cpu * 1_000_000L);
    for (int i = number(request, "churn") * 64; i > 0; i--) sink = new byte[16384];
    if (request.getParameter("call") != null) call();
    response.setContentType("text/plain");
    int bytes = number(request, "bytes");
    response.getWriter().write("komainu ".repeat(bytes == 0 ? 128 : bytes / 8));
  }
  private static void compute(long nanos) {
    var threads = java.lang.management.ManagementFactory.getThreadMXBean();
    long end = threads.getCurrentThreadCpuTime() + nanos, x = 0;
    while (threads.getCurrentThreadCpuTime() < end) for (int i = 0; i < 20000; i++) x = (x + i) % 7919;
    sink = x;
  }
  private static void call() throws java.io.IOException {
    var connection = (java.net.HttpURLConnection) new java.net.URL("http://" + BACKEND + "/").openConnection();
    connection.setConnectTimeout(TIMEOUT);
    connection.setReadTimeout(TIMEOUT);
    connection.setRequestProperty("Connection", "close");
    try (var answer = connection.getInputStream()) { answer.readAllBytes(); }
  }
  private static void leak(java.io.File file) {
    if (!file.exists()) { LEAKED.clear(); return; }
    if (!LEAKED.isEmpty()) return;
    try {
      long free = Long.parseLong(java.nio.file.Files.readString(file.toPath()).trim()) * 1_000_000 + 500_000;
      System.gc();
      Runtime jvm = Runtime.getRuntime();
      while (jvm.maxMemory() - jvm.totalMemory() + jvm.freeMemory() > free) LEAKED.add(new byte[262144]);
    } catch (java.io.IOException | NumberFormatException notYetWritten) {
      return;
    } catch (OutOfMemoryError full) {
      for (int i = 0; i < 16 && !LEAKED.isEmpty(); i++) LEAKED.remove(LEAKED.size() - 1);
    }
  }
  private static void pause(int millis) {
    try { Thread.sleep(millis); } catch (InterruptedException e) { Thread.currentThread().interrupt(); }
  }
  private static int number(HttpServletRequest request, String name) {
    String value = request.getParameter(name);
    return value == null ? 0 : Integer.parseInt(value);
  }
}
"""

WSGI = '''
import http.client
import os
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BACKEND, TIMEOUT = os.environ.get("DRILL_BACKEND", ""), float(os.environ.get("DRILL_TIMEOUT", "30"))
kept = []


def application(environ, start_response):
    if os.path.exists(HERE + "/broken"):
        start_response("500 Internal Server Error", [("Content-Length", "0")])
        return [b""]
    wish = {name: int(value) for name, _, value in (part.partition("=") for part in environ.get("QUERY_STRING", "").split("&")) if value.isdigit()}
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if length:
        environ["wsgi.input"].read(length)
    if "keep" in wish and not kept:
        kept.append(b"k" * (wish["keep"] << 20))
    if "sleep" in wish:
        time.sleep(wish["sleep"] / 1000)
    if "cpu" in wish:
        end, x = time.thread_time() + wish["cpu"] / 1000, 0
        while time.thread_time() < end:
            for i in range(2000):
                x = (x + i) % 7919
    if "call" in wish:
        connection = http.client.HTTPConnection(BACKEND, timeout=TIMEOUT)
        connection.request("GET", "/", headers={"Connection": "close"})
        connection.getresponse().read()
        connection.close()
    body = b"komainu " * (wish.get("bytes", 1024) // 8)
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
'''

PHP = """<?php
if (file_exists(__DIR__ . "/broken")) { http_response_code(500); exit; }
$wish = array_map("intval", $_GET);
if (isset($wish["sleep"])) usleep($wish["sleep"] * 1000);
if (isset($wish["cpu"])) {
  $used = function () { $u = getrusage(); return $u["ru_utime.tv_sec"] * 1000 + $u["ru_utime.tv_usec"] / 1000; };
  for ($end = $used() + $wish["cpu"], $x = 0; $used() < $end;) for ($i = 0; $i < 5000; $i++) $x = ($x + $i) % 7919;
}
if (isset($wish["call"])) {
  $answer = file_get_contents("http://" . getenv("DRILL_BACKEND") . "/", false, stream_context_create(["http" => ["timeout" => (float) getenv("DRILL_TIMEOUT"), "header" => "Connection: close"]]));
  if ($answer === false) { http_response_code(500); exit; }
}
header("Content-Type: text/plain");
echo str_repeat("komainu ", intdiv($wish["bytes"] ?? 1024, 8));
"""
