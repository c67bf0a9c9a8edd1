package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.packet.CaptureWriter;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.Talk;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.wire.RecordJson;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as scripts use it: lines, exit codes, errors. */
class AnalyzeTest {

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Path file = Path.of("");

    @BeforeEach
    void setUp() throws Exception {
        List<Frame> frames = new ArrayList<>();
        new Talk("10.0.0.1:40000", "10.0.0.2:80", 1, 2, frames)
                .handshake()
                .get("/a")
                .ok("x")
                .closeByClient();
        new Talk("[::1]:40000", "[::2]:8080", 1, 2, frames)
                .handshake()
                .get("/b")
                .ok("y");
        file = CaptureWriter.pcap(directory.resolve("two.pcap"), frames);
    }

    @Test
    void json_oneObjectForEachConnection() throws Exception {
        assertThat(run("--json", file.toString())).isZero();
        List<String> lines = lines(out);
        assertThat(lines).hasSize(2);
        ConnectionRecord first = (ConnectionRecord) RecordJson.read(lines.getFirst(), 1);
        assertThat(first.service()).isNull();
        assertThat(first.exchanges().getFirst().target()).isEqualTo("/a");
        assertThat(lines.get(1))
                .contains("\"server\":\"[::2]:8080\"")
                .contains("\"state\":\"open\"");
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void jsonWithWindowsAndPort_onlyThatServer() throws Exception {
        assertThat(run(file.toString(), "--json", "--windows", "--port", "80")).isZero();
        List<String> lines = lines(out);
        assertThat(lines).hasSize(2);
        assertThat(((ConnectionRecord) RecordJson.read(lines.getFirst(), 1)).service())
                .isNull();
        ServiceWindow window = (ServiceWindow) RecordJson.read(lines.get(1), 2);
        assertThat(window.service()).isEqualTo("10.0.0.2:80");
        assertThat(window.lengthMicros()).isEqualTo(10_000_000);
        assertThat(window.connections().arrivals()).isEqualTo(1);
    }

    @Test
    void plain_summaryForPeople() {
        assertThat(run(file.toString())).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("2 connections, 2 exchanges")
                .contains("normal")
                .contains("T_r response")
                .contains("####");
    }

    @Test
    void windows_lengthGiven_isTheirLength() throws Exception {
        for (String[] words :
                new String[][] {{"--windows", "1s"}, {"--windows=1s"}, {"--windows=1000ms"}}) {
            out.reset();
            List<String> args = new ArrayList<>(List.of("--json", "--port=80"));
            args.addAll(List.of(words));
            args.add(file.toString());
            assertThat(run(args.toArray(String[]::new))).isZero();
            ServiceWindow window = (ServiceWindow) RecordJson.read(lines(out).getLast(), 1);
            assertThat(window.lengthMicros()).isEqualTo(1_000_000);
        }
    }

    @Test
    void csv_aHeadLineAndOneForEachConnectionOrWindow() {
        assertThat(run("--csv", file.toString())).isZero();
        assertTable("client,server,startMicros", "10.0.0.1:40000,10.0.0.2:80,");
        out.reset();
        assertThat(run("--csv", "--windows", file.toString())).isZero();
        assertTable("service,fromMicros,lengthMicros", "10.0.0.2:80,");
    }

    private void assertTable(String head, String first) {
        List<String> lines = lines(out);
        assertThat(lines).hasSize(3);
        assertThat(lines.getFirst()).startsWith(head);
        assertThat(lines.get(1)).startsWith(first);
        long commas = lines.getFirst().chars().filter(c -> c == ',').count();
        assertThat(lines)
                .allSatisfy(line ->
                        assertThat(line.chars().filter(c -> c == ',')).hasSize((int) commas));
    }

    @Test
    void plain_eachServerHasItsLine() {
        assertThat(run(file.toString())).isZero();
        assertThat(lines(out)).anyMatch(line -> line.matches(" +10\\.0\\.0\\.2:80 +1 +1 +0 .*"));
        assertThat(lines(out)).anyMatch(line -> line.matches(" +\\[::2]:8080 +1 +1 +0 .*"));
    }

    @Test
    void accessLog_besideThePackets_asTableAndAsOneObject() throws Exception {
        long second = Talk.START / 1_000_000;
        Path log = Files.writeString(
                directory.resolve("access.log"),
                second + ".005 0.002 200\nspoilt\n" + (second + 1) + ".000 0.001 200\n");
        assertThat(run(
                        file.toString(),
                        "--port",
                        "80",
                        "--access-log",
                        log.toString(),
                        "--log-format",
                        "$msec $request_time $status"))
                .isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("access log (nginx) and packets")
                .contains("in total");
        out.reset();
        assertThat(run(
                        "--json",
                        file.toString(),
                        "--port",
                        "80",
                        "--access-log",
                        log.toString(),
                        "--log-format",
                        "$msec $request_time $status"))
                .isZero();
        assertThat(lines(out).getLast())
                .startsWith(
                        "{\"type\":\"accessLogComparison\",\"format\":\"nginx\",\"hasDurations\":true")
                .contains("\"unreadable\":1")
                .contains(
                        "\"log\":{\"concurrentMean\":0.000,\"concurrentMax\":1,\"requests\":2,\"durationP50Micros\":100")
                .contains("\"packets\":{\"concurrentMean\":")
                .contains("\"total\":{");
    }

    @Test
    void accessLog_unknownFormat_exitCode2AndTheReason() throws Exception {
        Path log = Files.writeString(directory.resolve("access.log"), "what is this\n");
        assertThat(run(file.toString(), "--access-log", log.toString())).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("--log-format: missing (no line of ");
        err.reset();
        assertThat(run(file.toString(), "--access-log", log.toString(), "--log-format", "$status"))
                .isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("--log-format: $status (no readable time");
    }

    @Test
    void brokenFile_printsTheRecordsBeforeAndThePosition() throws Exception {
        byte[] bytes = Files.readAllBytes(file);
        Path broken = Files.write(
                directory.resolve("broken.pcap"), Arrays.copyOf(bytes, bytes.length - 5));
        assertThat(run("--json", broken.toString())).isEqualTo(1);
        assertThat(lines(out)).hasSize(2);
        assertThat(lines(err))
                .singleElement()
                .asString()
                .startsWith("Malformed capture " + broken + " at byte ")
                .contains("exceeds the");
    }

    @Test
    void wrongUsage_exitCode2AndTheReason() {
        assertThat(run("--json", "/nowhere.pcap")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("FILE: /nowhere.pcap (expected: an existing capture file)");
        err.reset();
        assertThat(run(file.toString(), "--port", "70000")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("--port: 70000 (expected: 1 to 65535)");
        err.reset();
        assertThat(run("--jsn", "--windows=1ms", "--csv", "--json")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("--jsn: unknown")
                .contains("--windows: 1ms (expected: 100ms to 24h")
                .contains("--csv: given with --json")
                .contains("FILE: none (expected: one file)");
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("--windows[=LENGTH]");
    }

    private int run(String... args) {
        return Analyze.run(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                args);
    }

    private static List<String> lines(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
