package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.control.ConfigurationReload;
import dev.komainu.intermediary.kit.FrameClient;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reloads under load: requests must notice only the new values. */
class ReloadUnderLoadTest {

    private static final int RELOADS = 50;
    private static final String UPLOAD = "u".repeat(40_000);

    @TempDir
    Path directory;

    private final Queue<String> broken = new ConcurrentLinkedQueue<>();
    /**
     * One permit per response: a reload waits for some, so that each one meets requests in
     * progress.
     */
    private final Semaphore answers = new Semaphore(0);

    private volatile boolean over;

    private interface Round {
        /**
         * Sends a request.
         *
         * @return the response
         */
        String go() throws Exception;
    }

    private Thread client(String name, String expected, Round round) {
        return Thread.ofVirtual().start(() -> {
            try {
                while (!over) {
                    String got = round.go();
                    if (!got.equals(expected)) {
                        broken.add(name + ": " + got);
                    }
                    answers.release();
                }
            } catch (Exception e) {
                broken.add(name + ": " + e);
                answers.release(1_000_000);
            }
        });
    }

    private static ScriptedOrigin origin() throws Exception {
        return new ScriptedOrigin()
                .ok("/kept", "Cache-Control: max-age=600\r\n", "kept".repeat(2000))
                .ok("/passed", "Cache-Control: no-store\r\n", "passed".repeat(2000))
                .on("/upload", (request, socket, out) -> {
                    String length = Integer.toString(request.body().length());
                    out.write(("HTTP/1.1 200 OK\r\nContent-Length: " + length.length() + "\r\n\r\n"
                                    + length)
                            .getBytes());
                    return request.bodyComplete();
                });
    }

    @Test
    void fiftyReloads_underKeepAliveHttp2AndUploads_failNoRequest() throws Exception {
        try (ScriptedOrigin one = origin();
                ScriptedOrigin two = origin();
                ReloadableProxy proxy = new ReloadableProxy("origin", one.url(), "workers", "2");
                RawClient hits = proxy.client();
                RawClient passes = proxy.client();
                RawClient uploads = proxy.client();
                FrameClient streams = proxy.http2();
                FrameClient streamUploads = proxy.http2()) {
            String length = Integer.toString(UPLOAD.length());
            List<Thread> clients = new ArrayList<>();
            clients.add(
                    client("hit", "kept".repeat(2000), () -> hits.get("/kept").body()));
            clients.add(client(
                    "pass", "passed".repeat(2000), () -> passes.get("/passed").body()));
            clients.add(client("new connection", "passed".repeat(2000), () -> {
                try (RawClient fresh = proxy.client()) {
                    return fresh.get("/passed", "Connection: close").body();
                }
            }));
            clients.add(client("upload", length, () -> {
                uploads.send("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: " + length
                        + "\r\n\r\n" + UPLOAD.substring(0, 30_000));
                return uploads.send(UPLOAD.substring(30_000)).read(false).body();
            }));
            clients.add(client(
                    "stream",
                    "passed".repeat(2000),
                    () -> streams.get("/passed").body()));
            clients.add(client("stream's upload", length, () -> {
                int stream = streamUploads.begin("POST", "/upload");
                streamUploads.upload(stream, UPLOAD, true);
                return streamUploads.answer(stream).body();
            }));
            for (int i = 0; i < RELOADS; i++) {
                assertThat(answers.tryAcquire(5, 60, TimeUnit.SECONDS))
                        .as("answers before reload %d", i)
                        .isTrue();
                ConfigurationReload.Report report = proxy.reload(
                        "origin",
                        i % 2 == 0 ? two.url() : one.url() + "," + two.url(),
                        "upstream.max-open",
                        Integer.toString(64 + i),
                        "upstream.max-idle",
                        Integer.toString(i % 3),
                        "upstream.response-timeout",
                        60 + i % 5 + "s",
                        "connections.idle-timeout",
                        60 + i % 7 + "s",
                        "connections.min-body-rate",
                        Integer.toString(i % 2),
                        "cache.grace",
                        i + "s",
                        "log.access",
                        directory.resolve("access." + i % 2 + ".log").toString());
                assertThat(report.problems()).isEmpty();
                assertThat(report.generation()).isEqualTo(i + 2);
            }
            over = true;
            for (Thread client : clients) {
                client.join();
            }
            assertThat(broken).isEmpty();
            assertThat(proxy.proxy.figures().reloads().refused()).isZero();
        }
    }
}
