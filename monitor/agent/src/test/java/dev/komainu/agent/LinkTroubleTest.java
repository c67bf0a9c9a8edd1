package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.agent.lab.Lab;
import dev.komainu.agent.lab.Records;
import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links that are silent, go down, or vanish while an agent runs. */
class LinkTroubleTest {

    /** Two seconds on a quiet machine; tests run beside others. */
    private static final Duration PROMPT = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private Lab lab;
    private Path printed;

    @BeforeEach
    void setUp() {
        Capability.need("captures of an agent", Capability.NET_RAW);
        lab = Lab.orSkip();
        lab.namespace("here");
        lab.namespace("there");
        link();
        printed = directory.resolve("agent.jsonl");
    }

    private void link() {
        lab.cable("here", "w0", "there", "w1");
        lab.address("here", "w0", "10.78.0.1/24");
        lab.address("there", "w1", "10.78.0.2/24");
    }

    @AfterEach
    void tearDown() {
        if (lab != null) {
            lab.close();
        }
    }

    @Test
    void silentLink_aWindowOfZerosEachSecond_andAStopIsPrompt() throws Exception {
        Process agent = lab.start(
                "here",
                printed,
                Lab.agent(
                        "--capture-only",
                        "--interface",
                        "w0",
                        "--service",
                        "10.78.0.9:80",
                        "--print"));
        soon("windows of a silent link", () -> windows().size() >= 4);

        long startedNanos = System.nanoTime();
        agent.destroy();
        assertThat(agent.waitFor(60, TimeUnit.SECONDS)).isTrue();

        assertThat(Duration.ofNanos(System.nanoTime() - startedNanos)).isLessThan(PROMPT);
        List<ServiceWindow> windows = windows();
        for (int i = 1; i < windows.size(); i++) {
            assertThat(windows.get(i).fromMicros())
                    .isEqualTo(
                            windows.get(i - 1).fromMicros() + windows.get(i - 1).lengthMicros());
        }
        assertThat(windows).allSatisfy(window -> {
            assertThat(window.connections().arrivals()).isZero();
            assertThat(window.packets().up().packets()).isZero();
        });
    }

    @Test
    void interfaceDownThenGoneThenBack_isReportedAndReopened() throws Exception {
        lab.start(
                "here",
                printed,
                Lab.agent(
                        "--capture-only",
                        "--interface",
                        "lo,w0",
                        "--service",
                        "10.78.0.1:80",
                        "--print"));
        soon("both are watched", () -> watching("lo", "w0"));
        soon("windows", () -> !windows().isEmpty());

        lab.ip("here", "link set w0 down");
        soon("down is reported", () -> lastTrouble("interface-down"));
        lab.ip("here", "link set w0 up");
        soon("up again", () -> last().troubles().isEmpty());
        connect(1);

        lab.ip("here", "link del w0");
        soon(
                "gone is reported",
                () -> lastTrouble("no-such-interface") && !last().watching().contains("w0"));
        link();
        soon("taken up again", () -> watching("lo", "w0") && last().troubles().isEmpty());
        connect(2);
        // Nothing of the seconds between is missing: loopback was read all the time.
        List<ServiceWindow> windows = windows();
        assertThat((windows.getLast().fromMicros() - windows.getFirst().fromMicros()) / 1_000_000
                        + 1)
                .isEqualTo(windows.size());
    }

    @Test
    void onlyInterfaceGone_isTriedUntilItIsBack() throws Exception {
        lab.start(
                "here",
                printed,
                Lab.agent(
                        "--capture-only",
                        "--interface",
                        "w0",
                        "--service",
                        "10.78.0.1:80",
                        "--print"));
        soon("watched", () -> watching("w0"));

        lab.ip("here", "link del w0");
        soon("reported", () -> last().watching().isEmpty() && !last().troubles().isEmpty());
        link();
        soon("taken up again", () -> watching("w0") && last().troubles().isEmpty());
        connect(1);
    }

    /**
     * Connects without a listener: the host refuses the connection, which is two packets on the
     * wire.
     */
    private void connect(int times) {
        lab.run("there", List.of("curl", "-s", "-m", "2", "http://10.78.0.1/"), 7);
        soon(
                "the connection attempt is counted",
                () -> Records.of(printed, ServiceWindow.class).stream()
                                .mapToLong(window -> window.connections().refused())
                                .sum()
                        == times);
    }

    private List<ServiceWindow> windows() throws IOException {
        return Records.of(printed, ServiceWindow.class);
    }

    private boolean watching(String... names) throws IOException {
        List<SourceStatus> all = Records.of(printed, SourceStatus.class);
        return !all.isEmpty() && all.getLast().watching().containsAll(List.of(names));
    }

    private boolean lastTrouble(String code) throws IOException {
        return last().troubles().stream().anyMatch(trouble -> trouble.code().equals(code));
    }

    private SourceStatus last() throws IOException {
        return Records.of(printed, SourceStatus.class).getLast();
    }

    private static void soon(String what, Callable<Boolean> condition) {
        await(what)
                .atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(200))
                .until(condition);
    }
}
