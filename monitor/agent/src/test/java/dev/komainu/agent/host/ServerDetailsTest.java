package dev.komainu.agent.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.telemetry.record.HostSample;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The details of real processes: this one, as a server with threads, and small programs. */
@EnabledOnOs(OS.LINUX)
class ServerDetailsTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final List<AutoCloseable> open = new ArrayList<>();
    private final HostSampler sampler = new HostSampler("here", HostProbe.ofThisSystem());

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        sampler.close();
    }

    /** Threads of this JVM as a server's workers, each of which waits for another peer. */
    @Test
    void blockedThreads_areToldByTheirConnections() throws Exception {
        ServerSocket server = listener();
        Socket slowReader = connect(server);
        Socket writing = accept(server);
        connect(server);
        Socket reading = accept(server);
        ServerSocket backend = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        open.add(backend);
        Socket asking = connect(backend);
        assertThat(slowReader.isConnected()).isTrue();
        worker(() -> {
            byte[] much = new byte[1 << 20];
            while (true) {
                writing.getOutputStream().write(much);
            }
        });
        worker(() -> reading.getInputStream().read());
        worker(() -> asking.getInputStream().read());
        WatchedServer watched = watched(ProcessHandle.current().pid(), server.getLocalPort());

        await().atMost(LIMIT).untilAsserted(() -> {
            HostSample.ServerProcesses seen = sample(watched, true);
            HostSample.ThreadStates states =
                    Objects.requireNonNull(seen.details().states());
            assertThat(states.stoppedShare()).isZero();
            assertThat(states.clientWriteShare()).isPositive();
            assertThat(states.clientReadShare()).isPositive();
            assertThat(states.backendWaitShare()).isPositive();
            HostSample.Links links = Objects.requireNonNull(seen.details().links());
            assertThat(links.clients()).isEqualTo(2);
            assertThat(links.clientsBlocked()).isEqualTo(1);
            assertThat(links.backends()).isEqualTo(3);
            assertThat(links.backendsConnecting()).isZero();
        });
    }

    @Test
    void sleepingProgram_sleeps_andWaitsAreNotReadWithoutDoubt() throws Exception {
        WatchedServer watched = watched(program("sleep", "600").pid(), 1);
        await().atMost(LIMIT)
                .untilAsserted(
                        () -> assertThat(states(watched, true).sleepShare()).isEqualTo(1));
        assertThat(states(watched, false).sleepShare()).isNull();
    }

    /** A stopped process does not run: its counters alone look like those of an idle one. */
    @Test
    void stoppedProgram_isStopped_alsoWithoutDoubt() throws Exception {
        Process program = program("sleep", "600");
        WatchedServer watched = watched(program.pid(), 1);
        assertThat(states(watched, false).stoppedShare()).isZero();
        signal("STOP", program);
        await().atMost(LIMIT)
                .untilAsserted(
                        () -> assertThat(states(watched, false).stoppedShare()).isEqualTo(1));
        signal("CONT", program);
        await().atMost(LIMIT)
                .untilAsserted(
                        () -> assertThat(states(watched, false).stoppedShare()).isZero());
    }

    @Test
    void busyThread_isThePeak_andTheRuntimesThreadsAreCounted() throws Exception {
        worker(() -> {
            while (true) {
                Thread.onSpinWait();
            }
        });
        WatchedServer watched = watched(ProcessHandle.current().pid(), 1);
        await().atMost(LIMIT).untilAsserted(() -> {
            System.gc();
            HostSample.ServerProcesses seen = sample(watched, false);
            HostSample.PeakUse peaks = Objects.requireNonNull(seen.details().peaks());
            assertThat(peaks.busiestThreadCores()).isBetween(0.01, 1.5);
            assertThat(peaks.busiestProcessCores())
                    .isGreaterThanOrEqualTo(
                            Objects.requireNonNull(peaks.busiestThreadCores()) - 0.1);
            assertThat(peaks.runtimeCores()).isPositive();
            assertThat(peaks.gcShare()).isBetween(1e-6, 1.0);
        });
    }

    @Test
    void busyProgram_isNamedAsTheOther() throws Exception {
        Process busy = program("yes");
        WatchedServer watched = watched(program("sleep", "600").pid(), 1);
        await().atMost(LIMIT).untilAsserted(() -> {
            HostSample.OtherUse others =
                    Objects.requireNonNull(sample(watched, true).details().others());
            assertThat(others.cores()).isPositive();
            assertThat(others.name()).isNotNull();
            assertThat(others.nameCores()).isPositive();
        });
        assertThat(busy.isAlive()).isTrue();
    }

    private HostSample.ThreadStates states(WatchedServer watched, boolean inDoubt) {
        return Objects.requireNonNull(sample(watched, inDoubt).details().states());
    }

    private HostSample.ServerProcesses sample(WatchedServer watched, boolean inDoubt) {
        HostSample sample = sampler.sample(List.of(watched), null, inDoubt);
        return sample == null ? sample(watched, inDoubt) : sample.servers().getFirst();
    }

    private static WatchedServer watched(long id, int port) {
        return new WatchedServer("here:1", id, port, List.of());
    }

    private ServerSocket listener() throws IOException {
        ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        open.add(server);
        return server;
    }

    private Socket connect(ServerSocket server) throws IOException {
        Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
        open.add(socket);
        return socket;
    }

    private Socket accept(ServerSocket server) throws IOException {
        Socket socket = server.accept();
        open.add(socket);
        return socket;
    }

    private Process program(String... command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        open.add(() -> {
            process.destroyForcibly();
            process.waitFor();
        });
        return process;
    }

    private static void signal(String name, Process process) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(kill.exitValue()).isZero();
    }

    /** A task that ends with an exception when its socket is closed. */
    @FunctionalInterface
    private interface Blocking {
        void run() throws IOException;
    }

    private void worker(Blocking task) {
        Thread thread = Thread.ofPlatform().daemon().unstarted(() -> {
            try {
                task.run();
            } catch (IOException e) {
                // The test is over.
            }
        });
        thread.start();
    }
}
