package dev.komainu.agent.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.agent.host.RecordedHost.Counts;
import dev.komainu.agent.host.linux.CpuTime;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.HostSample;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Samples of a server with application pools, made from trees of {@code /proc}. */
class PooledHostsTest {

    private static final String SOCKET = "/run/php.sock";
    private static final Endpoint PORT = Endpoint.parse("127.0.0.1:9000");
    private static final WatchedServer ALONE = new WatchedServer("here:80", 10L, 80, List.of());
    private static final WatchedServer UNIX = server(new ApplicationPool(20, SOCKET, null));
    private static final WatchedServer TCP = server(new ApplicationPool(20, null, PORT));

    /** The read call of this machine, as {@code /proc/PID/task/TID/syscall} numbers it. */
    private static final int READ = "amd64".equals(System.getProperty("os.arch")) ? 0 : 63;

    private static final int WRITE = READ + 1;
    private static final int CONNECT = READ == 0 ? 42 : 203;

    @TempDir
    private Path directory;

    private RecordedHost host;
    private HostReading before;

    /** nginx is 10 with the worker 11, php-fpm is 20 with the worker 21. */
    @BeforeEach
    void start() {
        host = RecordedHost.kernel6(directory);
        host.process(10, 1, 5, new Counts(100, 1, 50, 10, 1_000, 3), List.of(11L));
        host.process(11, 10, 6, new Counts(200, 0, 100, 20, 2_000, 9), List.of());
        host.process(20, 1, 7, new Counts(300, 2, 90_000, 30, 3_000, 4), List.of(21L));
        host.process(21, 20, 8, new Counts(400, 0, 90_000, 40, 4_000, 12), List.of());
    }

    @Test
    void figures_areSumsOverServerAndPool() {
        try (LinuxProbe probe = probe()) {
            read(probe, UNIX);
            host.process(11, 10, 6, new Counts(260, 0, 200, 50, 2_500, 9), List.of());
            host.process(21, 20, 8, new Counts(420, 3, 90_300, 90, 4_100, 12), List.of());
            HostSample.ServerProcesses actual = next(probe, 10, UNIX);
            assertThat(actual.use().processes()).isEqualTo(4);
            assertThat(actual.use().threads()).isEqualTo(4);
            assertThat(actual.use().residentBytes()).isEqualTo(400 * CpuTime.pageBytes());
            assertThat(actual.use().cpuCores()).isCloseTo(0.4, within(1e-9));
            assertThat(actual.files().openFiles()).isEqualTo(12);
            assertThat(actual.work()).isEqualTo(new HostSample.Work(8, 0.3, 8, 60.0));
            HostSample.PeakUse peaks = Objects.requireNonNull(actual.details().peaks());
            assertThat(peaks.busiestProcessCores()).isCloseTo(0.3, within(0.003));
        }
    }

    /** php-fpm has used 1,800 s of CPU before, also as a service of its own. */
    @Test
    void pool_thatIsFoundLater_addsOnlyItsGrowthSinceThen() {
        WatchedServer itself = new WatchedServer("here:9000", 20L, 9_000, List.of());
        try (LinuxProbe probe = probe()) {
            read(probe, ALONE, itself);
            host.process(21, 20, 8, new Counts(900, 0, 95_000, 140, 9_000, 12), List.of());
            HostSample.ServerProcesses joined = next(probe, 10, UNIX, itself);
            assertThat(joined.use().processes()).isEqualTo(4);
            assertThat(joined.use().cpuCores()).isZero();
            assertThat(joined.work()).isEqualTo(new HostSample.Work(0, 0, 0, 0.0));

            host.process(21, 20, 8, new Counts(950, 0, 95_100, 150, 9_000, 12), List.of());
            HostSample.ServerProcesses later = next(probe, 10, UNIX, itself);
            assertThat(later.use().cpuCores()).isCloseTo(0.1, within(1e-9));
            assertThat(later.work()).isEqualTo(new HostSample.Work(5, 0, 1, 0.0));
        }
    }

    @Test
    void pool_thatVanishes_leavesTheServersOwnFigures() {
        try (LinuxProbe probe = probe()) {
            read(probe, UNIX);
            host.process(21, 20, 8, new Counts(500, 0, 90_500, 90, 4_000, 12), List.of());
            next(probe, 10, UNIX);
            host.end(20);
            host.end(21);
            host.process(11, 10, 6, new Counts(260, 0, 200, 50, 2_500, 9), List.of());
            HostSample.ServerProcesses actual = next(probe, 10, UNIX);
            assertThat(actual.use().processes()).isEqualTo(2);
            assertThat(actual.files().openFiles()).isEqualTo(9);
            assertThat(actual.use().cpuCores()).isCloseTo(0.1, within(1e-9));
            assertThat(actual.work()).isEqualTo(new HostSample.Work(6, 0, 3, 50.0));

            // Another pool at the same place, with a history of its own.
            host.process(30, 1, 900, new Counts(9_000, 9, 70_000, 800, 9_000, 2), List.of());
            WatchedServer again = server(new ApplicationPool(30, SOCKET, null));
            assertThat(next(probe, 10, again).use().cpuCores()).isZero();
            host.process(30, 1, 900, new Counts(9_000, 9, 70_100, 810, 9_000, 2), List.of());
            assertThat(next(probe, 10, again).use().cpuCores()).isCloseTo(0.1, within(1e-9));
        }
    }

    @Test
    void server_thatIsGone_isNotReplacedByItsPool() {
        try (LinuxProbe probe = probe()) {
            read(probe, UNIX);
            host.end(10);
            host.end(11);
            assertThat(next(probe, 10, UNIX).use().processes()).isZero();
        }
    }

    /** A pool's place may be listed twice, and a pool may be a child of the server. */
    @Test
    void processes_areCountedOnce() {
        WatchedServer twice = server(
                new ApplicationPool(20, SOCKET, null),
                new ApplicationPool(20, null, PORT),
                new ApplicationPool(21, null, PORT),
                new ApplicationPool(11, null, PORT));
        try (LinuxProbe probe = probe()) {
            read(probe, twice);
            assertThat(next(probe, 10, twice).use().processes()).isEqualTo(4);
        }
    }

    @Test
    void stoppedWorkersOfThePool_showBesideARunningServer() {
        try (LinuxProbe probe = probe()) {
            read(probe, UNIX);
            host.replace("21/stat", ") S ", ") T ");
            assertThat(states(next(probe, 10, UNIX)).stoppedShare()).isEqualTo(0.5);
            host.replace("21/stat", ") T ", ") S ");
            host.replace("11/stat", ") S ", ") T ");
            host.replace("10/stat", ") S ", ") T ");
            assertThat(states(next(probe, 10, UNIX)).stoppedShare()).isEqualTo(1);
        }
    }

    @Test
    void limitsOfGroups_areTheServersOwn_andThePoolsWhereItHasNone() {
        host.write(
                "self/mountinfo",
                "30 23 0:26 / " + directory.resolve("groups") + " rw - cgroup2 cgroup2 rw\n");
        host.write("10/cgroup", "0::/web\n");
        host.write("20/cgroup", "0::/php\n");
        host.write("groups/web/memory.max", "1000000\n");
        host.write("groups/web/memory.current", "400000\n");
        host.write("groups/php/memory.max", "9000000\n");
        host.write("groups/php/memory.current", "500000\n");
        host.write("groups/php/cpu.max", "50000 100000\n");
        host.write("groups/php/cpu.stat", "nr_periods 1\nnr_throttled 0\nthrottled_usec 0\n");
        try (LinuxProbe probe = probe()) {
            read(probe, UNIX);
            HostSample.ControlGroup group =
                    Objects.requireNonNull(next(probe, 10, UNIX).group());
            assertThat(group.cpuQuotaCores()).isEqualTo(0.5);
            assertThat(group.memoryLimitBytes()).isEqualTo(1_000_000);
            assertThat(next(probe, 10, ALONE).group().cpuQuotaCores()).isNull();

            host.write("groups/php/cgroup.events", "populated 1\nfrozen 1\n");
            assertThat(states(next(probe, 10, UNIX)).stoppedShare()).isEqualTo(1);
        }
    }

    /** Worker 21 holds the listener 70, its accepted connection 71 and one to a database, 72. */
    @Test
    void waitsAtUnixSockets_areToldByTheirPaths() {
        unixSockets();
        hold(21, 3, 70);
        hold(21, 4, 71);
        hold(21, 5, 72);
        try (LinuxProbe probe = probe()) {
            read(probe, UNIX);
            call(21, READ, 4);
            assertThat(sampled(probe, UNIX))
                    .as("kept connection without a request")
                    .isZero();
            call(21, READ, 3);
            assertThat(sampled(probe, UNIX)).as("listener").isZero();
            call(21, READ, 5);
            assertThat(states(inDoubt(probe, UNIX)).backendWaitShare()).isEqualTo(1);
            call(21, WRITE, 4);
            assertThat(states(inDoubt(probe, UNIX)).clientWriteShare()).isEqualTo(1);
        }
    }

    /** Worker 21 accepted connection 71 at port 9000, and opened 72 to a database. */
    @Test
    void waitsAtAPoolsPort_areToldByTheirConnections() {
        tcpSockets();
        hold(21, 4, 71);
        hold(21, 5, 72);
        WatchedServer itself = new WatchedServer("here:9000", 20L, 9_000, List.of());
        try (LinuxProbe probe = probe()) {
            read(probe, TCP);
            call(21, READ, 4);
            assertThat(sampled(probe, TCP))
                    .as("kept connection without a request")
                    .isZero();
            assertThat(states(inDoubt(probe, itself)).clientReadShare())
                    .as("the same pool as a service with clients")
                    .isEqualTo(1);
            call(21, READ, 5);
            assertThat(states(inDoubt(probe, TCP)).backendWaitShare()).isEqualTo(1);
        }
    }

    /** Apache's worker 11 waits for the pool, in which worker 21 waits for a database. */
    @Test
    void waitForThePool_isThatOfThePoolsThreads() {
        unixSockets();
        hold(11, 4, 90);
        try (LinuxProbe probe = probe()) {
            read(probe, UNIX);
            call(11, READ, 4);
            assertThat(sampled(probe, UNIX)).isZero();
            call(11, CONNECT, 4);
            assertThat(sampled(probe, UNIX)).isZero();
            assertThat(states(inDoubt(probe, ALONE)).backendWaitShare()).isEqualTo(1);
        }
        tcpSockets();
        hold(11, 5, 73);
        try (LinuxProbe probe = probe()) {
            read(probe, TCP);
            call(11, READ, 5);
            assertThat(sampled(probe, TCP)).isZero();
            assertThat(states(inDoubt(probe, ALONE)).backendWaitShare()).isEqualTo(1);
        }
    }

    @Test
    void backends_areThoseOfThePoolToo_withoutTheConnectionsToThePool() {
        tcpSockets();
        hold(21, 4, 71);
        hold(21, 5, 72);
        hold(11, 5, 73);
        WatchedServer named =
                new WatchedServer("here:80", 10L, 80, List.of(), true, List.of(PORT), TCP.pools());
        try (LinuxProbe probe = probe()) {
            read(probe, TCP);
            assertThat(links(inDoubt(probe, TCP)).backends()).isEqualTo(1);
            assertThat(links(inDoubt(probe, named)).backends()).isEqualTo(1);
            assertThat(links(inDoubt(probe, ALONE)).backends()).isEqualTo(1);
        }
    }

    private void unixSockets() {
        host.write("net/unix", """
                Num       RefCount Protocol Flags    Type St Inode Path
                00000000: 00000002 00000000 00010000 0001 01    70 /run/php.sock
                00000000: 00000003 00000000 00000000 0001 03    71 /run/php.sock
                00000000: 00000003 00000000 00000000 0001 03    72
                00000000: 00000003 00000000 00000000 0001 03    90
                00000000: 00000003 00000000 00000000 0001 03    99 /run/mysqld.sock
                """);
    }

    /** Pool at 9000: 71 accepted there, 73 the server's side of it; 72 leads to 127.0.0.1:3306. */
    private void tcpSockets() {
        host.write("net/tcp", """
                  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
                   0: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 555 1
                   1: 0100007F:2328 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 70 1
                   2: 0100007F:2328 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 71 1
                   3: 0100007F:C002 0100007F:0CEA 01 00000000:00000000 00:00000000 00000000     0        0 72 1
                   4: 0100007F:C001 0100007F:2328 01 00000000:00000000 00:00000000 00000000     0        0 73 1
                """);
    }

    private void hold(long process, int descriptor, long inode) {
        try {
            Path link = directory.resolve(process + "/fd/" + descriptor);
            Files.deleteIfExists(link);
            Files.createSymbolicLink(link, Path.of("socket:[" + inode + "]"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void call(long process, int number, int descriptor) {
        host.write(
                process + "/task/" + process + "/syscall",
                number + " 0x" + descriptor + " 0x0 0x0 0x0 0x0 0x0 0x7ffd 0x7f0a\n");
    }

    private int sampled(LinuxProbe probe, WatchedServer server) {
        return Objects.requireNonNull(states(inDoubt(probe, server)).sampledThreads());
    }

    private static HostSample.ThreadStates states(HostSample.ServerProcesses sample) {
        return Objects.requireNonNull(sample.details().states());
    }

    private static HostSample.Links links(HostSample.ServerProcesses sample) {
        return Objects.requireNonNull(sample.details().links());
    }

    private static WatchedServer server(ApplicationPool... pools) {
        return new WatchedServer("here:80", 10L, 80, List.of(), false, List.of(), List.of(pools));
    }

    private LinuxProbe probe() {
        return new LinuxProbe(new ProcFiles(directory), directory.resolve("nosys"), false);
    }

    private void read(LinuxProbe probe, WatchedServer... servers) {
        before = probe.read(List.of(servers), false);
    }

    private HostSample.ServerProcesses inDoubt(LinuxProbe probe, WatchedServer server) {
        return sample(probe, 1, true, server);
    }

    /** Returns the first server's sample, as if so many seconds had passed. */
    private HostSample.ServerProcesses next(
            LinuxProbe probe, int seconds, WatchedServer... servers) {
        return sample(probe, seconds, false, servers);
    }

    private HostSample.ServerProcesses sample(
            LinuxProbe probe, int seconds, boolean inDoubt, WatchedServer... servers) {
        HostReading last = before;
        HostReading now = probe.read(List.of(servers), inDoubt);
        before = new HostReading(
                now.atMicros(),
                last.atNanos() + seconds * 1_000_000_000L,
                now.resources(),
                now.kernel(),
                now.network(),
                now.pressure(),
                now.totals(),
                now.servers());
        return HostSampler.between("here", last, before).servers().getFirst();
    }
}
