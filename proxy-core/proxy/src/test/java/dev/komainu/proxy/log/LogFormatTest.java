package dev.komainu.proxy.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.HierarchyCode;
import dev.komainu.intermediary.upstream.UpstreamInfo;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogFormatTest {

    private static LogEntry entry(String request) {
        RequestHead head = new RequestHead();
        head.read(Unpooled.copiedBuffer(request, StandardCharsets.ISO_8859_1));
        LogEntry e = new LogEntry();
        e.head = head;
        e.wallMillis = 1795315399_065L;
        e.durationMillis = 8;
        e.client = "127.0.0.1".getBytes(StandardCharsets.US_ASCII);
        e.code = ResultCode.TCP_MISS;
        e.status = 200;
        e.sentBytes = 343;
        type(e, "HTTP/1.1 200 OK\r\nX: y\r\ncontent-TYPE: \ttext/html; charset=utf-8\r\nZ: z\r\n");
        return e;
    }

    /** Sets the type to that of a head, with the remains of an earlier, longer head behind it. */
    private static void type(LogEntry e, String head) {
        byte[] bytes = (head + "Content-Type: image/png\r\n").getBytes(StandardCharsets.ISO_8859_1);
        e.findType(bytes, head.length());
    }

    private static String line(LogFormat format, LogEntry e) {
        LogLineBuffer text = new LogLineBuffer(LogLineBuffer.MAX_LENGTH);
        format.write(e, text, new LogClock());
        return new String(text.bytes(), 0, text.length(), StandardCharsets.ISO_8859_1);
    }

    /** The expected lines were written by Squid 5.7 for these requests. */
    @Test
    void squid_agreesWithSquid() throws Exception {
        LogEntry e = entry("GET /a?x=1 HTTP/1.1\r\nHost: test.example\r\n\r\n");
        e.server = InetAddress.ofLiteral("127.0.0.1");
        assertThat(line(LogFormat.SQUID, e))
                .isEqualTo(
                        "1795315399.065      8 127.0.0.1 TCP_MISS/200 343 GET http://test.example/a? - "
                                + "HIER_DIRECT/127.0.0.1 text/html");
        LogEntry tunnel =
                entry("CONNECT 127.0.0.1:24000 HTTP/1.1\r\nHost: 127.0.0.1:24000\r\n\r\n");
        tunnel.code = ResultCode.TCP_TUNNEL;
        tunnel.durationMillis = 1_234_567;
        tunnel.clearType();
        assertThat(line(LogFormat.SQUID, tunnel))
                .isEqualTo(
                        "1795315399.065 1234567 127.0.0.1 TCP_TUNNEL/200 343 CONNECT 127.0.0.1:24000 - HIER_NONE/- -");
        LogEntry left = entry("GET http://other.example HTTP/1.1\r\nHost: test.example\r\n\r\n");
        left.aborted = true;
        left.status = 0;
        left.sentBytes = 0;
        left.clearType();
        assertThat(line(LogFormat.SQUID, left))
                .isEqualTo(
                        "1795315399.065      8 127.0.0.1 TCP_MISS_ABORTED/000 0 GET http://other.example/ - "
                                + "HIER_NONE/- -");
        LogEntry nonsense = new LogEntry();
        nonsense.client = e.client;
        nonsense.wallMillis = 5;
        nonsense.status = 400;
        nonsense.setOwnType();
        assertThat(line(LogFormat.SQUID, nonsense))
                .isEqualTo(
                        "0.005      0 127.0.0.1 NONE_NONE/400 0 - error:invalid-request - HIER_NONE/- text/plain");
    }

    @Test
    void squid_hostileMediaType_cannotForgeALine() {
        LogEntry e = entry("GET /%0a'[x] HTTP/1.0\r\n\r\n");
        e.fallbackAuthority = "10.0.0.7:8080".getBytes(StandardCharsets.US_ASCII);
        type(e, "HTTP/1.1 200 OK\r\nContent-Type: a\"b\u0001\u00e9;x\r\n");
        assertThat(line(LogFormat.SQUID, e))
                .endsWith("GET http://10.0.0.7:8080/%0a'[x] - HIER_NONE/- a%22b%01%E9");
    }

    @Test
    void combined_quotesWithinQuotesAreEscaped() {
        LogEntry e = entry(
                "GET /a?b HTTP/1.0\r\nHost: h\r\nReferer: http://r/\"x\r\nUser-Agent: a\\b\u00e9\r\n\r\n");
        e.withQuery = true;
        assertThat(line(LogFormat.COMBINED, e))
                .matches(
                        "127\\.0\\.0\\.1 - - \\[\\d\\d/[A-Z][a-z]{2}/2026:\\d\\d:\\d\\d:19 [+-]\\d{4}] .*")
                .endsWith("] \"GET /a?b HTTP/1.0\" 200 343 \"http://r/\\\"x\" \"a\\\\b\\xE9\"");
        e.http2 = true;
        assertThat(line(LogFormat.COMMON, e)).endsWith("\"GET /a?b HTTP/2.0\" 200 343");
        assertThat(line(LogFormat.COMBINED, entry("GET / HTTP/1.1\r\nHost: h\r\n\r\n")))
                .endsWith("\"GET / HTTP/1.1\" 200 343 \"-\" \"-\"");
    }

    @Test
    void json_isOneObject() throws Exception {
        LogEntry e = entry("GET /a HTTP/1.1\r\nHost: h\r\nUser-Agent: \"q\\\u00e9\r\n\r\n");
        e.server = InetAddress.ofLiteral("2001:db8::1");
        assertThat(line(LogFormat.JSON, e))
                .isEqualTo(
                        "{\"time\":\"2026-11-22T02:43:19.065Z\",\"durationMillis\":8,\"client\":\"127.0.0.1\","
                                + "\"result\":\"TCP_MISS\",\"aborted\":false,\"status\":200,\"sentBytes\":343,"
                                + "\"method\":\"GET\",\"uri\":\"http://h/a\",\"server\":\"2001:db8::1\",\"member\":null,"
                                + "\"type\":\"text/html\",\"referer\":null,\"userAgent\":\"\\\"q\\\\\\u00E9\"}");
    }

    @Test
    void memberOfTheCluster_isWrittenWithItsSource() throws Exception {
        LogEntry e = entry("GET /a HTTP/1.1\r\nHost: h\r\n\r\n");
        e.member = new UpstreamInfo("web1", null, 5, HierarchyCode.MEMBER);
        assertThat(line(LogFormat.SQUID, e))
                .endsWith("GET http://h/a - CLOSEST_PARENT/web1 text/html");
        assertThat(line(LogFormat.JSON, e)).contains("\"server\":null,\"member\":\"web1\",");
        e.member = new UpstreamInfo("web2", null, 5, HierarchyCode.OWNER);
        assertThat(line(LogFormat.SQUID, e)).contains(" CARP/web2 ");
    }

    @ParameterizedTest
    @CsvSource({
        "2001:db8::1, 2001:db8::1",
        "::, ::",
        "::1, ::1",
        "fe80::, fe80::",
        "1:0:0:2:0:0:0:3, 1:0:0:2::3",
        "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
        "1:0:3:4:5:6:7:8, 1:0:3:4:5:6:7:8",
        "10.2.30.255, 10.2.30.255"
    })
    void address_hasTheFormOfRfc5952(String address, String written) throws Exception {
        LogLineBuffer text = new LogLineBuffer(64);
        text.address(InetAddress.ofLiteral(address));
        assertThat(new String(text.bytes(), 0, text.length(), StandardCharsets.US_ASCII))
                .isEqualTo(written);
    }

    @Test
    void text_tooLong_isTruncatedWithItsEnd() {
        LogLineBuffer text = new LogLineBuffer(8);
        text.put("0123456789").number(12).percent("a b".getBytes(StandardCharsets.US_ASCII), 0, 3);
        text.end();
        assertThat(new String(text.bytes(), 0, text.length(), StandardCharsets.US_ASCII))
                .isEqualTo("0123456\n");
    }

    @ParameterizedTest
    @CsvSource({
        "HIT, 200, false, false, false, TCP_MEM_HIT",
        "HIT, 206, false, false, false, TCP_MEM_HIT",
        "HIT, 304, false, false, true, TCP_INM_HIT",
        "HIT, 304, false, false, false, TCP_IMS_HIT",
        "HIT, 404, false, false, false, TCP_NEGATIVE_HIT",
        "STALE, 200, false, false, false, TCP_STALE_HIT",
        "STALE, 200, true, true, false, TCP_REFRESH_FAIL_OLD",
        "REVALIDATED, 200, true, true, false, TCP_REFRESH_UNMODIFIED",
        "MISS, 200, true, true, false, TCP_REFRESH_MODIFIED",
        "MISS, 200, true, false, false, TCP_MISS",
        "PASS, 200, true, false, false, TCP_MISS",
        "COLLAPSED, 200, true, false, false, TCP_CF_HIT",
        "ERROR, 403, false, false, false, TCP_DENIED",
        "ERROR, 504, true, true, false, TCP_REFRESH_FAIL_ERR",
        "ERROR, 504, false, false, false, TCP_MISS",
        "TUNNEL, 200, true, false, false, TCP_TUNNEL"
    })
    void code_agreesWithSquid(
            CacheOutcome outcome,
            int status,
            boolean forwarded,
            boolean known,
            boolean byTag,
            ResultCode expected) {
        assertThat(ResultCode.of(outcome, status, forwarded, known, byTag)).isEqualTo(expected);
    }
}
