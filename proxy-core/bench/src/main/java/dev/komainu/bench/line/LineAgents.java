package dev.komainu.bench.line;

import dev.komainu.load.ObjectSizes;
import dev.komainu.organizer.line.ConnectionFigures;
import dev.komainu.organizer.line.LineAddress;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.line.endpoint.LineFigures;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The paper's agents: each requests the next object as soon as the last is received. An agent's
 * objects have the same sizes in the same order for each transport. Objects that end within the
 * measured time are counted, whenever they started.
 */
// Scheduled tasks end with the event loop.
@SuppressWarnings("FutureReturnValueIgnored")
@Command(
        name = "line-agents",
        description = "The agents of the organizer's experiment",
        sortOptions = false)
public final class LineAgents implements Callable<Integer> {

    private static final int SMALL_BYTES = 10_000;
    private static final long MAX_MICROS = 600_000_000;

    /** The agents' transport. */
    enum Transport {
        LINE,
        /** A line over QUIC. */
        QUIC,
        /** A line that selects its transport; it starts on TCP. */
        AUTO,
        HTTP10,
        HTTP11
    }

    @Option(names = "--to", required = true, description = "ADDRESS:PORT")
    String to = "";

    @Option(names = "--over", required = true, description = "${COMPLETION-CANDIDATES}")
    Transport over = Transport.LINE;

    @Option(names = "--agents", required = true, description = "Number of agents")
    int agents;

    @Option(
            names = "--warm-up",
            description = "Seconds before the measured time (${DEFAULT-VALUE})")
    double warmUp = 2;

    @Option(names = "--seconds", description = "Measured seconds (${DEFAULT-VALUE})")
    double seconds = 8;

    @Option(
            names = "--connections",
            description = "Connections of the line, 1 to 4 (${DEFAULT-VALUE})")
    int connections = 4;

    @Option(
            names = "--congestion",
            description = "Congestion control of the line (${DEFAULT-VALUE})")
    String congestion = "auto";

    @Option(
            names = "--tls",
            description = "Directory with line.crt and line.key; required by QUIC and AUTO")
    @Nullable
    Path tls;

    @Option(names = "--seed", description = "Random seed (${DEFAULT-VALUE})")
    long seed = 1;

    private final ObjectSizes sizes = ObjectSizes.organizer();
    private final Histogram small = new Histogram(1, MAX_MICROS, 3);
    private final Histogram large = new Histogram(1, MAX_MICROS, 3);
    private boolean counting;
    private long objects;
    private long bytes;
    private long failures;
    private String lastFailure = "";
    private boolean ended;

    public static void main(String[] args) {
        System.exit(new CommandLine(new LineAgents()).execute(args));
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException, SSLException {
        InetSocketAddress address;
        try {
            address = LineOrigin.address(to);
        } catch (IllegalArgumentException e) {
            System.err.println("--to: " + to + " (expected: ADDRESS:PORT)");
            return 2;
        }
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        EventLoop loop = (EventLoop) loops.next();
        Path certificates = tls;
        if ((over == Transport.QUIC || over == Transport.AUTO) && certificates == null) {
            System.err.println("--tls: none (expected: a directory, with QUIC)");
            return 2;
        }
        Line line = over == Transport.HTTP10 || over == Transport.HTTP11
                ? null
                : new Line(
                        loop,
                        new LineAddress(address.getAddress(), address.getPort(), "origin"),
                        settings(),
                        certificates == null ? null : LineOrigin.tls(certificates));
        CountDownLatch done = new CountDownLatch(1);
        loop.execute(() -> {
            for (int i = 0; i < agents; i++) {
                BenchAgent agent = line == null
                        ? new Http1Agent(loop, address, over == Transport.HTTP11)
                        : new LineAgent(line, address.getHostString());
                next(loop, agent, new Random(seed * 100_003 + i));
            }
        });
        long[] cpu = new long[2];
        long[] nanos = new long[2];
        loop.schedule(
                () -> {
                    counting = true;
                    cpu[0] = cpuNanos();
                    nanos[0] = System.nanoTime();
                },
                (long) (warmUp * 1e9),
                TimeUnit.NANOSECONDS);
        loop.schedule(
                () -> {
                    counting = false;
                    ended = true;
                    cpu[1] = cpuNanos();
                    nanos[1] = System.nanoTime();
                    done.countDown();
                },
                (long) ((warmUp + seconds) * 1e9),
                TimeUnit.NANOSECONDS);
        done.await();
        LineFigures figures = line == null ? null : loop.submit(line::figures).get();
        System.out.println(report((nanos[1] - nanos[0]) / 1e9, (cpu[1] - cpu[0]) / 1e3, figures));
        return failures > 0 ? 1 : 0;
    }

    /**
     * Returns settings with a long connect timeout: agents wait for their line as browsers wait for
     * a connection, and a JVM that has just started takes longer than the second that organizers
     * wait.
     */
    private LineSettings settings() {
        String carrier = switch (over) {
            case QUIC -> "quic";
            case AUTO -> "auto";
            default -> "tcp";
        };
        return LineOrigin.settings(Map.of(
                        "lines.congestion",
                        congestion,
                        "line-carrier",
                        carrier,
                        "lines.patience",
                        "30s"))
                .withConnections(connections);
    }

    private static long cpuNanos() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(time -> time.toNanos())
                .orElse(0L);
    }

    private void next(EventLoop loop, BenchAgent agent, Random random) {
        if (ended) {
            return;
        }
        int size = (int) sizes.draw(random);
        long start = System.nanoTime();
        agent.request(new BenchAgent.Round() {
            @Override
            public int bytes() {
                return size;
            }

            @Override
            public void done(int received) {
                if (received != size) {
                    failed(received + " bytes instead of " + size);
                    return;
                }
                if (counting) {
                    objects++;
                    bytes += size;
                    long micros = Math.clamp((System.nanoTime() - start) / 1_000, 1, MAX_MICROS);
                    (size <= SMALL_BYTES ? small : large).recordValue(micros);
                }
                next(loop, agent, random);
            }

            @Override
            public void failed(String reason) {
                if (ended) {
                    return;
                }
                failures++;
                lastFailure = reason;
                // Not at once: an immediate failure would repeat in a tight loop.
                loop.schedule(() -> next(loop, agent, random), 50, TimeUnit.MILLISECONDS);
            }
        });
    }

    private String report(double elapsedSeconds, double cpuMicros, @Nullable LineFigures figures) {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "{\"over\":\"%s\",\"agents\":%d,\"connections\":%d,\"seconds\":%.2f,\"objects\":%d,\"objectsPerSecond\":%.1f,\"megabitsPerSecond\":%.1f,"
                        + "\"failures\":%d,\"agentCpuMicrosPerObject\":%.0f,\"smallP50Micros\":%d,\"smallP95Micros\":%d,\"largeP50Micros\":%d,\"largeP95Micros\":%d",
                over.name().toLowerCase(Locale.ROOT),
                agents,
                figures == null ? agents : connections,
                elapsedSeconds,
                objects,
                objects / elapsedSeconds,
                bytes * 8 / elapsedSeconds / 1e6,
                failures,
                objects == 0 ? 0 : cpuMicros / objects,
                small.getValueAtPercentile(50),
                small.getValueAtPercentile(95),
                large.getValueAtPercentile(50),
                large.getValueAtPercentile(95)));
        if (figures != null) {
            text.append(",\"repeated\":").append(figures.repeated()).append(",\"line\":[");
            for (ConnectionFigures connection : figures.connections()) {
                text.append(text.charAt(text.length() - 1) == '[' ? "" : ",")
                        .append(String.format(
                                Locale.ROOT,
                                "{\"over\":\"%s\",\"congestion\":\"%s\",\"rttMicros\":%d,\"leastRttMicros\":%d,\"receivedBytes\":%d,\"loss\":%.5f}",
                                connection.over().text(),
                                connection.tcp().congestion(),
                                connection.rttMicros(),
                                connection.leastRttMicros(),
                                connection.receivedBytes(),
                                connection.tcp().loss()));
            }
            text.append(']');
        }
        if (failures > 0) {
            text.append(",\"lastFailure\":\"")
                    .append(lastFailure.replaceAll("[^ -!#-\\[\\]-~]", "?"))
                    .append('"');
        }
        return text.append('}').toString();
    }
}
