package dev.komainu.agent.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.packet.FrameList;
import dev.komainu.agent.summary.Analysis;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.HttpExchange;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real TLS and HTTP/2 read by us without the keys and by tshark with them: handshakes, exchanges
 * and their times are equal on every connection. {@code -Dcompare.tls=DIRECTORY} takes captures
 * recorded before.
 */
class TlsComparisonTest {

    private static final List<Integer> HTTP_1 = List.of(8443, 8444, 8446, 8447, 8448, 9443, 9444);
    private static final List<Integer> HTTP_2 = List.of(8445, 9445);
    private static final List<Integer> CLEAR = List.of(8080, 9080);
    private static final Set<Integer> PORTS =
            Stream.of(HTTP_1, HTTP_2, CLEAR).flatMap(List::stream).collect(Collectors.toSet());

    /** 1,514 bytes at 40 Mbit/s. */
    private static final int PACKET_MICROS = 303;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path temporary;

    private static final Map<String, Place> PLACES = new TreeMap<>();

    /** Where packets were captured: their frames, and what tshark reads in them. */
    private record Place(Frames frames, Map<Integer, Decrypted.Connection> truth) {

        List<Decrypted.Connection> on(List<Integer> ports) {
            return truth.values().stream()
                    .filter(it -> ports.contains(it.serverPort))
                    .toList();
        }
    }

    @BeforeAll
    static void record() throws Exception {
        Tool.need("tshark", "nghttp", "h2load", "openssl");
        String given = System.getProperty("compare.tls");
        Path directory = given == null ? temporary : Path.of(given);
        if (given == null) {
            RealServers.recordTls(directory);
        }
        List<Integer> tls = Stream.concat(HTTP_1.stream(), HTTP_2.stream()).toList();
        for (String name : List.of("link", "local")) {
            Path capture = directory.resolve(name + ".pcap");
            Frames frames = Frames.read(capture);
            Path keys = directory.resolve("keys.log");
            PLACES.put(
                    name,
                    new Place(frames, Decrypted.read(capture, keys, frames.list(), tls, CLEAR)));
        }
    }

    private static List<DynamicTest> everywhere(Check check) {
        return PLACES.entrySet().stream()
                .map(it -> DynamicTest.dynamicTest(
                        it.getKey(), () -> check.at(it.getKey(), it.getValue())))
                .toList();
    }

    private interface Check {
        void at(String name, Place place) throws Exception;
    }

    /**
     * Tickets, resumption, early data, retries, client certificates, key updates; TLS 1.2 and 1.3.
     */
    @TestFactory
    List<DynamicTest> handshakesAndExchanges_areTsharks() {
        return everywhere((name, place) -> {
            Map<Integer, ConnectionRecord> ours = analyse(place.frames());
            List<String> differences = new ArrayList<>();
            List<String> wrongFacts = new ArrayList<>();
            int exchanges = 0;
            int guessed = 0;
            List<Decrypted.Connection> inOrder = inOrder(place.on(HTTP_1), ours);
            for (Decrypted.Connection it : inOrder) {
                ConnectionRecord record = ours.get(it.clientPort);
                facts(it, record, wrongFacts);
                List<Decrypted.Times> theirs =
                        it.http1.stream().map(Decrypted.Exchange::times).toList();
                if (isGuess(it, times(record), theirs)) {
                    guessed++;
                } else {
                    difference(it, times(record), theirs, differences);
                }
                exchanges += theirs.size();
            }
            System.out.println(name + ": TLS, " + inOrder.size() + " connections, " + exchanges
                    + " exchanges, " + guessed + " with a ticket taken for data, different: "
                    + differences);
            assertThat(wrongFacts).isEmpty();
            // A client that gives up on a busy machine leaves requests that only one of us counts.
            assertThat(guessed + differences.size()).isLessThan(exchanges / 30);
            assertThat(place.on(HTTP_1).size()).isGreaterThan(70);
            assertThat(exchanges).isGreaterThan(40);
        });
    }

    /**
     * On a busy machine the link reorders packets. tshark then loses its place in a connection,
     * does not decrypt the rest and finds no frames in it; so those whose packets came in order are
     * compared, and WireComparisonTest has the others.
     */
    private static List<Decrypted.Connection> inOrder(
            List<Decrypted.Connection> all, Map<Integer, ConnectionRecord> ours) {
        return all.stream()
                .filter(it -> isInOrder(ours.get(it.clientPort).up())
                        && isInOrder(ours.get(it.clientPort).down()))
                .toList();
    }

    private static boolean isInOrder(DirectionTotals it) {
        return it.outOfOrder() + it.retransmissions() == 0;
    }

    /**
     * Without the keys a ticket is known by its length and place only. A single one of a length not
     * met before may be taken for the first byte of the first answer, one behind the last answer
     * for its last byte: then one exchange's T_r or T_d is off, its request and all others are
     * right.
     */
    private static boolean isGuess(
            Decrypted.Connection it, List<Decrypted.Times> ours, List<Decrypted.Times> theirs) {
        if (ours.size() != theirs.size() || !"1.3".equals(it.version)) {
            return false;
        }
        int wrong = 0;
        for (int i = 0; i < ours.size(); i++) {
            if (ours.get(i).requestMicros() != theirs.get(i).requestMicros()) {
                return false;
            }
            wrong += ours.get(i).equals(theirs.get(i)) ? 0 : 1;
        }
        return wrong == 1;
    }

    private static void facts(
            Decrypted.Connection it, ConnectionRecord record, List<String> differences) {
        String theirs = it.version + " " + it.sni + " " + it.alpn + " " + it.doneMicros;
        var tls = Objects.requireNonNull(record.tls(), it::toString);
        String ours = tls.version() + " " + tls.sni() + " " + tls.alpn() + " "
                + tls.handshakeDoneMicros();
        if (!ours.equals(theirs)) {
            differences.add(it + ": ours " + ours + ", theirs " + theirs);
        }
    }

    private static void difference(
            Decrypted.Connection it, List<?> ours, List<?> theirs, List<String> differences) {
        List<Object> onlyOurs = new ArrayList<>(ours);
        theirs.forEach(onlyOurs::remove);
        List<Object> onlyTheirs = new ArrayList<>(theirs);
        ours.forEach(onlyTheirs::remove);
        if (!onlyOurs.isEmpty() || !onlyTheirs.isEmpty()) {
            differences.add(it + ": only ours " + onlyOurs + ", only theirs " + onlyTheirs);
        }
    }

    private static List<Decrypted.Times> times(ConnectionRecord record) {
        return record.exchanges().stream()
                .map(it -> new Decrypted.Times(
                        it.requestMicros(), it.firstByteMicros(), it.lastByteMicros()))
                .toList();
    }

    /**
     * Cut packets show fewer lengths, so a ticket is missed now and then; nearly every exchange
     * keeps its times.
     */
    @TestFactory
    List<DynamicTest> cutPackets_exchangesKeepTheirTimes() {
        return everywhere((name, place) -> {
            for (int snaplen : new int[] {96, 256}) {
                Map<Integer, ConnectionRecord> ours = analyse(place.frames().cutTo(snaplen));
                int all = 0;
                int counted = 0;
                int equal = 0;
                for (Decrypted.Connection it : inOrder(place.on(HTTP_1), ours)) {
                    List<Decrypted.Times> theirs =
                            it.http1.stream().map(Decrypted.Exchange::times).toList();
                    List<Decrypted.Times> here = times(ours.get(it.clientPort));
                    all++;
                    counted += here.size() == theirs.size() ? 1 : 0;
                    equal += here.equals(theirs) ? 1 : 0;
                }
                System.out.println(
                        name + ": TLS cut to " + snaplen + ", of " + all + " connections " + counted
                                + " with all exchanges, " + equal + " with all times");
                assertThat(counted).isGreaterThanOrEqualTo(all - all / 10);
                assertThat(equal).isGreaterThanOrEqualTo(all - all / 10);
            }
        });
    }

    /** Every stream of HTTP/2 in the clear; an upgraded connection's first request is HTTP/1's. */
    @TestFactory
    List<DynamicTest> streamsInTheClear_areTsharks() {
        return everywhere((name, place) -> {
            Map<Integer, ConnectionRecord> ours = analyse(place.frames());
            List<String> differences = new ArrayList<>();
            int streams = 0;
            List<Decrypted.Connection> inOrder = inOrder(place.on(CLEAR), ours);
            for (Decrypted.Connection it : inOrder) {
                List<String> theirs = it.http2.values().stream()
                        .filter(stream -> stream.method != null)
                        .map(stream -> stream.method + " " + stream.path + " " + stream.status + " "
                                + stream.times())
                        .sorted()
                        .toList();
                List<String> here = ours.get(it.clientPort).exchanges().stream()
                        .filter(exchange -> !Integer.valueOf(101).equals(exchange.status()))
                        .map(TlsComparisonTest::line)
                        .sorted()
                        .toList();
                difference(it, here, theirs, differences);
                streams += theirs.size();
            }
            System.out.println(
                    name + ": h2c, " + inOrder.size() + " connections, " + streams + " streams");
            assertThat(differences).isEmpty();
            assertThat(place.on(CLEAR)).hasSizeGreaterThan(12);
            assertThat(streams).isGreaterThan(5);
        });
    }

    private static String line(HttpExchange it) {
        return it.method() + " " + it.target() + " " + it.status() + " "
                + new Decrypted.Times(
                        it.requestMicros(), it.firstByteMicros(), it.lastByteMicros());
    }

    /**
     * HTTP/2 inside TLS: what was asked and answered without a pause of {@code quiet} is one busy
     * period.
     */
    @TestFactory
    List<DynamicTest> busyPeriods_areTsharksStreams() {
        return everywhere((name, place) -> {
            Map<Integer, ConnectionRecord> ours = analyse(place.frames());
            List<String> differences = new ArrayList<>();
            int periods = 0;
            int guessed = 0;
            List<Decrypted.Connection> inOrder = inOrder(place.on(HTTP_2), ours);
            for (Decrypted.Connection it : inOrder) {
                ConnectionRecord record = ours.get(it.clientPort);
                facts(it, record, differences);
                List<Decrypted.Times> theirs = busy(it, quiet(record));
                List<Decrypted.Times> here = withTheirEnds(times(record), theirs);
                if (isGuess(it, here, theirs)) {
                    guessed++;
                } else {
                    difference(it, here, theirs, differences);
                }
                periods += theirs.size();
            }
            System.out.println(name + ": h2, " + inOrder.size() + " connections, " + periods
                    + " busy periods, " + guessed + " with a ticket taken for data");
            assertThat(differences).isEmpty();
            assertThat(guessed).isLessThanOrEqualTo(1);
            assertThat(place.on(HTTP_2)).hasSizeGreaterThan(10);
            assertThat(periods).isGreaterThan(3);
        });
    }

    /**
     * Where a record's header lies across two packets, we take the later for its first, tshark the
     * earlier. And a control record of a length not known to be one, right behind the last data, is
     * taken for data. A packet's time on the link is let pass for both.
     */
    private static List<Decrypted.Times> withTheirEnds(
            List<Decrypted.Times> ours, List<Decrypted.Times> theirs) {
        List<Decrypted.Times> near = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            Decrypted.Times mine = ours.get(i);
            Decrypted.Times other = i < theirs.size() ? theirs.get(i) : mine;
            near.add(new Decrypted.Times(
                    mine.requestMicros(),
                    near(mine.firstMicros(), other.firstMicros()),
                    near(mine.lastMicros(), other.lastMicros())));
        }
        return near;
    }

    private static @Nullable Long near(@Nullable Long mine, @Nullable Long theirs) {
        boolean later =
                mine != null && theirs != null && mine > theirs && mine - theirs <= PACKET_MICROS;
        return later ? theirs : mine;
    }

    private static long quiet(ConnectionRecord record) {
        Long there = record.handshake().serverRttMicros();
        Long here = record.handshake().clientRttMicros();
        return Math.max(20_000, 2 * ((there == null ? 0 : there) + (here == null ? 0 : here)));
    }

    private static List<Decrypted.Times> busy(Decrypted.Connection connection, long quiet) {
        List<Decrypted.Times> periods = new ArrayList<>();
        long request = 0;
        Long first = null;
        long last = 0;
        for (Decrypted.Turn turn : connection.turns) {
            if (!turn.up()) {
                first = first == null ? Long.valueOf(turn.firstMicros()) : first;
                last = turn.lastMicros();
            } else if (first == null) {
                request = turn.lastMicros();
            } else if (turn.lastMicros() - last > quiet) {
                periods.add(new Decrypted.Times(request, first, last));
                request = turn.lastMicros();
                first = null;
            }
        }
        if (first != null) {
            periods.add(new Decrypted.Times(request, first, last));
        }
        return periods;
    }

    private static Map<Integer, ConnectionRecord> analyse(Frames frames) {
        Map<Integer, ConnectionRecord> byClient = new HashMap<>();
        Analysis.of(new FrameList(frames.list()), AnalyzerConfig.file(PORTS)).connections().stream()
                .sorted(Comparator.comparingLong(
                        connection -> connection.times().startMicros()))
                .forEach(it -> byClient.put(it.client().port(), it));
        return byClient;
    }
}
