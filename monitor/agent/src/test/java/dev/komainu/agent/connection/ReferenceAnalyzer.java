package dev.komainu.agent.connection;

import dev.komainu.agent.packet.Frame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reference analyzer: the simplest one that is right for complete captures. It keeps every byte
 * with the instant of its first packet, waits until the capture is complete, then reads the streams
 * from their beginnings. Ethernet, IPv4, HTTP/1; the server is the side with port 80.
 */
final class ReferenceAnalyzer {

    /** Bytes of a direction; {@link #bytes} by sequence number counted from the SYN. */
    static final class Direction {
        final TreeMap<Integer, Byte> bytes = new TreeMap<>();
        final TreeMap<Integer, Long> cameAt = new TreeMap<>();
        int isn;
        boolean finSeen;
        boolean synSeen;
        long packets;
        long payload;
        long repeated;
        long late;

        private void take(long micros, ByteBuffer frame, int tcp) {
            int flags = frame.get(tcp + 13);
            int header = (frame.get(tcp + 12) >> 4 & 0xf) * 4;
            int length = frame.getShort(16) - (tcp - 14) - header;
            packets++;
            payload += length;
            boolean fresh = false;
            boolean filled = false;
            int from = frame.getInt(tcp + 4) - isn;
            if ((flags & 2) != 0) {
                fresh = !synSeen;
                synSeen = true;
            }
            int highest = bytes.isEmpty() ? 0 : bytes.lastKey();
            for (int i = 0; i < length; i++) {
                if (bytes.putIfAbsent(from + i, frame.get(tcp + header + i)) == null) {
                    cameAt.put(from + i, micros);
                    fresh = true;
                    filled |= from + i < highest;
                }
            }
            if ((flags & 1) != 0) {
                fresh |= !finSeen;
                finSeen = true;
            }
            boolean counts = length > 0 || (flags & 3) != 0;
            repeated += counts && !fresh ? 1 : 0;
            late += filled ? 1 : 0;
        }

        String text() {
            StringBuilder text = new StringBuilder();
            bytes.values().forEach(b -> text.append((char) (b & 0xff)));
            return text.toString();
        }

        /** Returns the instant of the latest of the stream bytes [from, to). */
        long lastMicros(int from, int to) {
            return cameAt.subMap(from + 1, to + 1).values().stream()
                    .mapToLong(Long::longValue)
                    .max()
                    .orElseThrow();
        }

        long firstMicros(int from) {
            return cameAt.get(from + 1);
        }
    }

    /** A request and its response. */
    record Exchange(
            String method, String target, int status, long request, long first, long last) {}

    /** One connection. */
    record Connection(Direction up, Direction down, List<Exchange> exchanges) {}

    private static final Pattern HEAD =
            Pattern.compile("^(\\S+) (\\S+)(.*?)\\r\\n\\r\\n", Pattern.DOTALL);
    private static final Pattern LENGTH = Pattern.compile("Content-Length: (\\d+)");

    private ReferenceAnalyzer() {}

    /** Returns the connections by the client's port. */
    static Map<Integer, Connection> analyse(List<Frame> frames) {
        Map<Integer, Connection> connections = new TreeMap<>();
        for (Frame captured : frames) {
            ByteBuffer frame = ByteBuffer.wrap(captured.bytes());
            int tcp = 14 + (frame.get(14) & 0xf) * 4;
            boolean up = frame.getShort(tcp + 2) == 80;
            int port = frame.getShort(up ? tcp : tcp + 2) & 0xffff;
            Connection connection = connections.computeIfAbsent(
                    port,
                    key -> new Connection(new Direction(), new Direction(), new ArrayList<>()));
            if ((frame.get(tcp + 13) & 2) != 0) {
                (up ? connection.up : connection.down).isn = frame.getInt(tcp + 4);
            }
        }
        for (Frame captured : frames) {
            ByteBuffer frame = ByteBuffer.wrap(captured.bytes());
            int tcp = 14 + (frame.get(14) & 0xf) * 4;
            boolean up = frame.getShort(tcp + 2) == 80;
            Connection connection = connections.get(frame.getShort(up ? tcp : tcp + 2) & 0xffff);
            (up ? connection.up : connection.down).take(captured.micros(), frame, tcp);
        }
        connections.values().forEach(ReferenceAnalyzer::read);
        return connections;
    }

    private static void read(Connection connection) {
        String up = connection.up.text();
        String down = connection.down.text();
        int upAt = 0;
        int downAt = 0;
        while (upAt < up.length()) {
            Matcher request = HEAD.matcher(up.substring(upAt));
            Matcher answer = HEAD.matcher(down.substring(downAt));
            if (!request.find() || !answer.find()) {
                throw new AssertionError("no head at " + upAt + ", " + downAt);
            }
            int upEnd = upAt + request.end() + length(request.group(3));
            int downEnd = body(down, downAt + answer.end(), answer.group());
            String target = request.group(2);
            connection.exchanges.add(new Exchange(
                    request.group(1),
                    target.contains("?") ? target.substring(0, target.indexOf('?')) : target,
                    Integer.parseInt(answer.group(2)),
                    connection.up.lastMicros(upAt, upEnd),
                    connection.down.firstMicros(downAt),
                    connection.down.lastMicros(downAt, downEnd)));
            upAt = upEnd;
            downAt = downEnd;
        }
    }

    private static int length(String head) {
        Matcher length = LENGTH.matcher(head);
        return length.find() ? Integer.parseInt(length.group(1)) : 0;
    }

    private static int body(String text, int from, String head) {
        if (!head.contains("chunked")) {
            return from + length(head);
        }
        int at = from;
        while (true) {
            int line = text.indexOf("\r\n", at);
            int size = Integer.parseInt(text.substring(at, line), 16);
            at = line + 2 + size + 2;
            if (size == 0) {
                return at;
            }
        }
    }
}
