package dev.komainu.agent.accesslog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Lines in the formats of servers, and the values read from each. */
class LogLinePatternTest {

    private static final Instant NOON = Instant.parse("2026-11-21T12:00:01Z");

    private final ParsedLogLine entry = new ParsedLogLine();

    @Test
    void read_combinedOfNginx_isAnInstantAtTheEndWithBytesAndStatus() throws Exception {
        LogLinePattern format = LogLinePattern.compile(LogDialect.NGINX, "combined");

        assertThat(
                        read(
                                format,
                                "192.0.2.7 - - [21/Nov/2026:21:00:01 +0900] \"GET /a?x=\\x22 HTTP/1.1\" 200 1234 \"-\" \"a \\\" b\""))
                .isTrue();
        assertThat(entry.timeMicros).isEqualTo(micros(NOON));
        assertThat(entry.status).isEqualTo(200);
        assertThat(entry.bytes).isEqualTo(1234);
        assertThat(entry.durationMicros).isEqualTo(ParsedLogLine.ABSENT);
        assertThat(format.hasDurations()).isFalse();
        assertThat(format.resolutionMicros()).isEqualTo(1_000_000);
        assertThat(format.isTimedAtBegin()).isFalse();
        assertThat(format.name()).isEqualTo("combined");
    }

    @Test
    void read_nginxWithTimes_takesTheFinestTimeAndPassesOverUpstreamLists() throws Exception {
        LogLinePattern format = LogLinePattern.compile(
                LogDialect.NGINX,
                "${remote_addr} [$time_local] $msec \"$request\" $upstream_response_time $request_time $status"
                        + " $bytes_sent $server_port");

        assertThat(read(
                        format,
                        "::1 [21/Nov/2026:12:00:01 +0000] 1795262401.250 \"GET / HTTP/2.0\" 0.100, 0.020 : 0.003 0.125 503"
                                + " 99 8443"))
                .isTrue();
        assertThat(entry.timeMicros).isEqualTo(micros(NOON) + 250_000);
        assertThat(entry.durationMicros).isEqualTo(125_000);
        assertThat(entry.status).isEqualTo(503);
        assertThat(entry.port).isEqualTo(8443);
        assertThat(format.resolutionMicros()).isEqualTo(1_000);
        assertThat(format.name()).isEqualTo("nginx");
    }

    @Test
    void read_nginxJson_isTextAndVariablesToo() throws Exception {
        LogLinePattern format = LogLinePattern.compile(
                LogDialect.NGINX,
                "{\"time\":\"$time_iso8601\",\"ua\":\"$http_user_agent\",\"status\":$status,\"took\":$request_time}");

        assertThat(
                        read(
                                format,
                                "{\"time\":\"2026-11-21T21:00:01+09:00\",\"ua\":\"x\\\",y\",\"status\":404,\"took\":1.5}"))
                .isTrue();
        assertThat(entry.timeMicros).isEqualTo(micros(NOON));
        assertThat(entry.durationMicros).isEqualTo(1_500_000);
    }

    @Test
    void read_apacheWithDuration_isTimedAtItsBegin() throws Exception {
        LogLinePattern format = LogLinePattern.compile(
                LogDialect.APACHE,
                "%v:%{local}p %h %l %u %t \\\"%r\\\" %>s %O \\\"%{Referer}i\\\" %T/%D");

        assertThat(
                        read(
                                format,
                                "host:80 10.0.0.1 - frank [21/Nov/2026:12:00:01 +0000] \"GET /a\" 200 512 \"-\" 0/250123"))
                .isTrue();
        assertThat(entry.timeMicros).isEqualTo(micros(NOON));
        assertThat(entry.durationMicros).isEqualTo(250_123);
        assertThat(entry.bytes).isEqualTo(512);
        assertThat(entry.port).isEqualTo(80);
        assertThat(format.isTimedAtBegin()).isTrue();
    }

    @Test
    void read_apacheTimeInParts_addsTheFraction() throws Exception {
        LogLinePattern format = LogLinePattern.compile(
                LogDialect.APACHE,
                "%{%Y-%m-%d %T}t.%{usec_frac}t %{%z}t %b %{ms}T %^FB %{end:usec}t");
        assertThat(format.resolutionMicros()).isEqualTo(1);
        assertThat(format.isTimedAtBegin()).isFalse();

        LogLinePattern parts = LogLinePattern.compile(
                LogDialect.APACHE, "%{%Y-%m-%dT%T%z}t %{msec_frac}t %b %{ms}T");
        assertThat(read(parts, "2026-11-21T12:00:01+0000 250 - 17")).isTrue();
        assertThat(entry.timeMicros).isEqualTo(micros(NOON) + 250_000);
        assertThat(entry.bytes).isZero();
        assertThat(entry.durationMicros).isEqualTo(17_000);
        assertThat(parts.resolutionMicros()).isEqualTo(1_000);
    }

    @Test
    void read_apacheMilliseconds_ofTheBegin() throws Exception {
        LogLinePattern format = LogLinePattern.compile(LogDialect.APACHE, "%{msec}t %{us}T %s");

        assertThat(read(format, "1795262401250 1234 200")).isTrue();
        assertThat(entry.timeMicros).isEqualTo(micros(NOON) + 250_000);
        assertThat(entry.durationMicros).isEqualTo(1_234);
    }

    @Test
    void read_tomcat_durationDependsOnItsVersion() throws Exception {
        String pattern = "%h %l %u %t \"%r\" %s %b %D";
        String line = "10.0.0.1 - - [21/Nov/2026:12:00:01 +0000] \"GET / HTTP/1.1\" 200 - 12";

        assertThat(read(LogLinePattern.compile(LogDialect.TOMCAT, pattern), line))
                .isTrue();
        assertThat(entry.durationMicros).isEqualTo(12);
        assertThat(read(LogLinePattern.compile(LogDialect.OLD_TOMCAT, pattern), line))
                .isTrue();
        assertThat(entry.durationMicros).isEqualTo(12_000);
    }

    @Test
    void read_squidNative_padsNumbersWithSpaces() throws Exception {
        LogLinePattern format = LogLinePattern.compile("squid");

        assertThat(read(
                        format,
                        "1795262401.250     45 10.0.0.1 TCP_MISS/200 5120 GET http://a.example/ - HIER_DIRECT/10.0.0.9"
                                + " text/html"))
                .isTrue();
        assertThat(entry.timeMicros).isEqualTo(micros(NOON) + 250_000);
        assertThat(entry.durationMicros).isEqualTo(45_000);
        assertThat(entry.status).isEqualTo(200);
        assertThat(entry.bytes).isEqualTo(5120);
        assertThat(format.name()).isEqualTo("squid");
    }

    @Test
    void read_otherLines_areNoEntries() throws Exception {
        LogLinePattern format = LogLinePattern.compile(LogDialect.APACHE, "common");

        for (String line : new String[] {
            "",
            "garbage",
            "10.0.0.1 - - [21/Nov/2026:12:00:01 +0000] \"GET / HTTP/1.1\" 200",
            "10.0.0.1 - - [21/Nov/2026:12:00:01] \"GET / HTTP/1.1\" 200 5",
            "10.0.0.1 - - [99/Nov/2026:12:00:01 +0000] \"GET / HTTP/1.1\" 200 5",
            "10.0.0.1 - - [21/Nov/2026:12:00:01 +0000] \"GET / HTTP/1.1\" 200 5x",
            "10.0.0.1 - - [21/Nov/2026:12:00:01 +0000] \"GET / HTTP/1.1\" 200 99999999999999999999"
        }) {
            assertThat(read(format, line)).as(line).isFalse();
        }
    }

    @Test
    void compile_formatsThatCannotBeUsed_sayWhy() {
        assertThatThrownBy(() -> LogLinePattern.compile("$remote_addr $status"))
                .hasMessageContaining("no readable time");
        assertThatThrownBy(() -> LogLinePattern.compile("%t%D"))
                .hasMessageContaining("side by side");
    }

    @Property(tries = 2_000)
    void read_anyBytes_neverThrows(
            @ForAll byte[] bytes,
            @ForAll @IntRange(max = 4) int which,
            @ForAll @IntRange(max = 120) int at)
            throws Exception {
        String[] formats = {
            "common",
            "combined",
            "squid",
            "$msec $upstream_addr $request_time \"$request\"",
            "%{%d/%b/%Y %T %z}t %D"
        };
        String[] lines = {
            "10.0.0.1 - - [21/Nov/2026:12:00:01 +0000] \"GET / HTTP/1.1\" 200 5",
            "10.0.0.1 - - [21/Nov/2026:12:00:01 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"b\"",
            "1795262401.250     45 10.0.0.1 TCP_MISS/200 5120 GET http://a.example/ - HIER_DIRECT/10.0.0.9 text/html",
            "1795262401.250 10.0.0.1:80, 10.0.0.2:80 0.125 \"GET /\"",
            "21/Nov/2026 12:00:01 +0000 17"
        };
        byte[] line = lines[which].getBytes(StandardCharsets.ISO_8859_1);
        byte[] broken = line.clone();
        for (int i = 0; i < bytes.length && at + i < broken.length; i++) {
            broken[at + i] = bytes[i];
        }
        LogLinePattern format = LogLinePattern.compile(formats[which]);

        assertThat(format.read(line, 0, line.length, entry)).isTrue();
        format.read(broken, 0, broken.length, entry);
        format.read(bytes, 0, bytes.length, entry);
    }

    private boolean read(LogLinePattern format, String line) {
        byte[] bytes = ("before" + line + "behind").getBytes(StandardCharsets.ISO_8859_1);
        return format.read(bytes, 6, bytes.length - 6, entry);
    }

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000;
    }
}
