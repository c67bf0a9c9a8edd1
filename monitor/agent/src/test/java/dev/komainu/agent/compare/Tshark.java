package dev.komainu.agent.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A capture as tshark dissects it. Streams, lengths, zero windows and probes are its own; unique
 * bytes are the union of the sequence numbers it prints. Its "retransmission" also means a segment
 * that fills a gap, and "out-of-order" depends on guessed round-trip times; so a packet is repeated
 * here when all its numbers were seen before (RFC 9293 3.4) and tshark does not call it a probe.
 */
final class Tshark {

    private static final List<String> FIELDS = List.of(
            "tcp.stream",
            "frame.time_epoch",
            "ip.src",
            "ipv6.src",
            "ip.dst",
            "ipv6.dst",
            "tcp.srcport",
            "tcp.dstport",
            "tcp.len",
            "tcp.seq_raw",
            "tcp.flags",
            "tcp.analysis.zero_window",
            "tcp.analysis.keep_alive",
            "tcp.analysis.zero_window_probe",
            "ip.len",
            "ipv6.plen");

    private final List<List<String>> packets;

    private Tshark(List<List<String>> packets) {
        this.packets = packets;
    }

    static Tshark read(Path capture) throws IOException, InterruptedException {
        return new Tshark(fields(capture, "tcp", FIELDS));
    }

    private static List<List<String>> fields(Path capture, String filter, List<String> fields)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("tshark", "-nr", capture.toString(), "-Y", filter));
        command.addAll(List.of(
                "-o", "http.desegment_body:FALSE", "-o", "tcp.reassemble_out_of_order:TRUE"));
        command.addAll(List.of("-o", "ip.defragment:FALSE"));
        command.addAll(List.of(
                "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=;"));
        fields.forEach(field -> command.addAll(List.of("-e", field)));
        return Tool.lines(command).stream()
                .map(line -> List.of(line.split("\t", -1)))
                .toList();
    }

    private static final class Stream {
        final List<List<String>> packets = new ArrayList<>();
        final Map<String, SequenceSet> numbers = new HashMap<>();
        final Map<String, long[]> totals = new HashMap<>();
    }

    /** Every connection, in the order of {@link Seen#ORDER}. */
    List<Seen> connections() {
        Map<Integer, Stream> streams = new TreeMap<>();
        for (List<String> packet : packets) {
            Stream stream = streams.computeIfAbsent(
                    Integer.parseInt(packet.get(0)), number -> new Stream());
            stream.packets.add(packet);
            String from = source(packet);
            long[] totals = stream.totals.computeIfAbsent(from, side -> new long[6]);
            int flags = Integer.decode(packet.get(10));
            int payload = Integer.parseInt(packet.get(8));
            boolean rst = (flags & 4) != 0;
            int syn = flags >> 1 & 1;
            int fin = rst ? 0 : flags & 1;
            totals[0]++;
            totals[1] += packet.get(14).isEmpty()
                    ? 40 + Long.parseLong(packet.get(15))
                    : Long.parseLong(packet.get(14));
            totals[2] += payload;
            if (!rst && payload + syn + fin > 0) {
                SequenceSet numbers =
                        stream.numbers.computeIfAbsent(from, side -> new SequenceSet());
                int first = Integer.parseUnsignedInt(packet.get(9));
                long fresh = numbers.add(first, syn);
                long freshPayload = numbers.add(first + syn, payload);
                fresh += freshPayload + numbers.add(first + syn + payload, fin);
                totals[3] += freshPayload;
                boolean probe = !packet.get(12).isEmpty() || !packet.get(13).isEmpty();
                totals[4] += fresh == 0 && !probe ? 1 : 0;
            }
            totals[5] += packet.get(11).isEmpty() ? 0 : 1;
        }
        return streams.values().stream().map(Tshark::seen).sorted(Seen.ORDER).toList();
    }

    private static Seen seen(Stream stream) {
        List<String> first = stream.packets.getFirst();
        String one = source(first);
        String other = target(first);
        boolean inOrder = one.compareTo(other) < 0;
        String lower = inOrder ? one : other;
        String higher = inOrder ? other : one;
        long end = stream.packets.stream().mapToLong(Tshark::micros).max().orElseThrow();
        return new Seen(
                lower,
                higher,
                micros(first),
                end,
                side(stream.totals.get(lower)),
                side(stream.totals.get(higher)));
    }

    private static Seen.Side side(long[] totals) {
        return totals == null
                ? new Seen.Side(0, 0, 0, 0, 0, 0)
                : new Seen.Side(totals[0], totals[1], totals[2], totals[3], totals[4], totals[5]);
    }

    private static String source(List<String> packet) {
        return address(packet.get(2), packet.get(3)) + " " + packet.get(6);
    }

    private static String target(List<String> packet) {
        return address(packet.get(4), packet.get(5)) + " " + packet.get(7);
    }

    private static String address(String four, String six) {
        try {
            return java.net.InetAddress.getByName(four.isEmpty() ? six : four).getHostAddress();
        } catch (java.net.UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static long micros(List<String> packet) {
        return Long.parseLong(packet.get(1).replace(".", "").substring(0, 16));
    }

    /**
     * An answer that tshark paired with its request.
     *
     * @param responseMicros from the packet that completes the request's head to the one that
     *     completes the answer's
     */
    record Answer(long atMicros, String target, int status, long responseMicros) {}

    /** What tshark paired itself; its requests without a body, answers that are not interim. */
    static List<Answer> answers(Path capture) throws IOException, InterruptedException {
        List<Answer> answers = new ArrayList<>();
        for (List<String> packet : fields(
                capture,
                "http.time && http.response.code >= 200",
                List.of(
                        "frame.time_epoch",
                        "http.response_for.uri",
                        "http.response.code",
                        "http.time"))) {
            String[] targets = packet.get(1).split(";");
            String[] codes = packet.get(2).split(";");
            String[] times = packet.get(3).split(";");
            if (times.length == 1 && codes.length == 1) {
                answers.add(new Answer(
                        Long.parseLong(packet.get(0).replace(".", "").substring(0, 16)),
                        targets[0],
                        Integer.parseInt(codes[0]),
                        Math.round(Double.parseDouble(times[0]) * 1e6)));
            }
        }
        return answers;
    }
}
