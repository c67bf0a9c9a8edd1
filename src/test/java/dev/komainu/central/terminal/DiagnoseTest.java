package dev.komainu.central.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the command: its output and its exit code. */
class DiagnoseTest {

    private static final String DIAGNOSIS = """
            {"service":"web-01:80","at":"2026-11-22T10:00:00Z","state":"saturated/processes","system":"apache",
             "cause":{"en":"Workers are all busy","ja":"ワーカが全て使用中"},"flowchart":"2",
             "path":["trouble","set-processes"],"leaves":["set-processes"],
             "decisions":[{"node":"trouble","verdict":"yes","confidence":"high","confidenceReasons":[],
               "evidence":[{"measurement":"workersBusyShare","text":{"en":"Workers busy: 100 %","ja":"使用中: 100 %"},
                 "thresholdSource":"thesis 3.4.2.2","windowSeconds":5,"source":"packets"}]}],
             "advice":[{"id":"apache/max-request-workers","node":"set-processes","setting":"MaxRequestWorkers",
               "title":{"en":"More workers: 10 → 38","ja":"ワーカを増やす: 10 → 38"},"proposed":"38","effect":"reload",
               "conflicts":[{"en":"ServerLimit holds it down","ja":"ServerLimitで頭打ち"}],
               "steps":[{"kind":"persistent","text":{"en":"Set it","ja":"設定する"},"command":"sed it"}]}],
             "obsolete":[{"id":"o","node":"set-processes","title":{"en":"Add swap","ja":"スワップ増強"},
               "why":{"en":"The wrong cure","ja":"誤り"},"reference":"r"}]}
            """;

    private static final String FLOWCHART = """
            {"version":"2","edges":[],"nodes":[
              {"id":"trouble","kind":"decision","title":{"en":"Is there trouble?","ja":"トラブルか"}},
              {"id":"set-processes","kind":"action","title":{"en":"More workers","ja":"ワーカを増やす"}}]}
            """;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path directory;

    private HttpServer centre;
    private String diagnosis = DIAGNOSIS;

    @BeforeEach
    void setUp() throws IOException {
        centre = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        centre.createContext("/", exchange -> {
            boolean known = "Bearer good-token"
                    .equals(exchange.getRequestHeaders().getFirst("Authorization"));
            String path = exchange.getRequestURI().getPath();
            String body = !known
                    ? "{\"title\":\"Who is it?\",\"detail\":\"no token\"}"
                    : path.equals("/api/v1/flowchart") ? FLOWCHART : diagnosis;
            boolean found = path.equals("/api/v1/flowchart")
                    || path.equals("/api/v1/services/web-01:80/diagnosis");
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(known ? found ? 200 : 404 : 401, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        centre.start();
    }

    @AfterEach
    void tearDown() {
        centre.stop(0);
    }

    @Test
    void diagnose_faultyService_printsPathEvidenceAndAdviceAndExitsWith1() {
        assertThat(run("web-01:80", "--central", url(), "--token-file", token("good-token")))
                .isEqualTo(1);

        assertThat(output())
                .contains("web-01:80  saturated/processes")
                .contains(" 1  Is there trouble?  [yes, high]")
                .contains("Workers busy: 100 % [thesis 3.4.2.2], 5 s, packets")
                .contains("▶ More workers: 10 → 38  [reload]")
                .contains("! ServerLimit holds it down")
                .contains("$ sed it")
                .contains("✗ Add swap");
    }

    @Test
    void diagnose_inAPersianLocale_numbersTheStepsInAsciiDigits() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.of("fa", "IR"));
        try {
            run("web-01:80", "--central", url(), "--token-file", token("good-token"));
        } finally {
            Locale.setDefault(before);
        }

        assertThat(output()).contains(" 1  Is there trouble?  [yes, high]");
    }

    @Test
    void diagnose_normalService_exitsWith0() {
        diagnosis = DIAGNOSIS.replace("saturated/processes", "normal");

        assertThat(run(
                        "web-01:80",
                        "--central=" + url(),
                        "--token-file=" + token("good-token"),
                        "--json"))
                .isZero();
        assertThat(output()).contains("\"state\":\"normal\"");
    }

    @Test
    void diagnose_japanese_printsJapanese() {
        run(
                "web-01:80",
                "--central",
                url(),
                "--token-file",
                token("good-token"),
                "--language",
                "ja");

        assertThat(output()).contains("トラブルか").contains("ワーカが全て使用中");
    }

    @Test
    void diagnose_wrongUsage_exitsWith2AndNamesIt() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("a", "b")).isEqualTo(2);
        assertThat(run("a", "--central")).isEqualTo(2);
        assertThat(run("a", "--central", "ftp://x", "--token-file", token("t"))).isEqualTo(2);
        assertThat(run("a", "--token-file", directory.resolve("none").toString()))
                .isEqualTo(2);
        assertThat(run("a", "--token-file", token("t"), "--language", "fr")).isEqualTo(2);
        assertThat(errors())
                .contains("SERVICE: none")
                .contains("b: (expected: diagnose SERVICE")
                .contains("--central: (expected: a value)")
                .contains("--central: ftp://x (expected: http://HOST:PORT)")
                .contains("(expected: a readable file)")
                .contains("--language: fr (expected: en or ja)");
        assertThat(run("--help")).isZero();
    }

    @Test
    void diagnose_noResponse_exitsWith3AndPrintsTheReason() {
        assertThat(run("web-01:80", "--central", url(), "--token-file", token("bad-token")))
                .isEqualTo(3);
        assertThat(run("nobody", "--central", url(), "--token-file", token("good-token")))
                .isEqualTo(3);
        String gone = url();
        centre.stop(0);
        assertThat(run("web-01:80", "--central", gone, "--token-file", token("good-token")))
                .isEqualTo(3);
        assertThat(errors())
                .contains("401 no token (expected: a valid token")
                .contains(": 404")
                .contains("not reached");
    }

    private int run(String... arguments) {
        return new Diagnose(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        Map.of())
                .run(arguments);
    }

    private String url() {
        return "http://127.0.0.1:" + centre.getAddress().getPort();
    }

    private String token(String token) {
        try {
            return Files.writeString(directory.resolve(token), "# a token\n" + token + "\n")
                    .toString();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private String output() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
