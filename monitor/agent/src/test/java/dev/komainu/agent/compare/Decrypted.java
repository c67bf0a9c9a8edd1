package dev.komainu.agent.compare;

import dev.komainu.agent.packet.Frame;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * TLS and HTTP/2 as tshark dissects them when it is given the keys: it knows a ticket from an
 * answer, we must guess.
 *
 * <p>A message's time is that of the packet that completes its record or frame. Its beginning is
 * the first of the packets that tshark put the record together from; those it lists where the first
 * record of a packet began earlier.
 */
final class Decrypted {

    private static final int HANDSHAKE = 22;
    private static final int APPLICATION_DATA = 23;
    private static final int SERVER_HELLO = 2;
    private static final int FINISHED = 20;
    private static final int DATA = 0;
    private static final int HEADERS = 1;

    private static final List<String> FIELDS = List.of(
            "tcp.stream",
            "frame.number",
            "frame.time_epoch",
            "tcp.srcport",
            "tcp.dstport",
            "tcp.segment",
            "tls.record.content_type",
            "tls.handshake.type",
            "tls.handshake.version",
            "tls.handshake.extensions.supported_version",
            "tls.handshake.extensions_server_name",
            "tls.handshake.extensions_alpn_str",
            "http.request.method",
            "http.response.code",
            "http2.type",
            "http2.length",
            "http2.streamid",
            "http2.headers.method",
            "http2.headers.path",
            "http2.headers.status");

    /** One request and its answer; of HTTP/1 inside TLS the times only, all that we can see. */
    static final class Exchange {
        String method;
        String path;
        Integer status;
        long requestMicros;
        Long firstMicros;
        Long lastMicros;

        Times times() {
            return new Times(requestMicros, firstMicros, lastMicros);
        }
    }

    record Times(long requestMicros, Long firstMicros, Long lastMicros) {}

    /** One connection. */
    static final class Connection {
        final int clientPort;
        final int serverPort;
        String version;
        String sni;
        String alpn;
        Long doneMicros;
        final List<Exchange> http1 = new ArrayList<>();
        /** By stream number. */
        final Map<Integer, Exchange> http2 = new TreeMap<>();
        /** Packets with requests' frames and answers' frames, in order. */
        final List<Turn> turns = new ArrayList<>();

        private long lastUpMicros;

        Connection(int clientPort, int serverPort) {
            this.clientPort = clientPort;
            this.serverPort = serverPort;
        }

        @Override
        public String toString() {
            return clientPort + " to " + serverPort + " " + version;
        }
    }

    /** HTTP/2 that is more than control frames. */
    record Turn(boolean up, long firstMicros, long lastMicros) {}

    private record Packet(List<String> fields, long firstMicros, long micros) {
        List<String> all(String field) {
            String text = fields.get(FIELDS.indexOf(field));
            return text.isEmpty() ? List.of() : Arrays.asList(text.split(";"));
        }

        int number(String field) {
            return Integer.parseInt(fields.get(FIELDS.indexOf(field)));
        }

        boolean has(String field, int value) {
            return all(field).contains(String.valueOf(value));
        }
    }

    private Decrypted() {}

    /** @param frames those of the capture, which has one of them a packet */
    static Map<Integer, Connection> read(
            Path capture,
            Path keys,
            List<Frame> frames,
            List<Integer> tlsPorts,
            List<Integer> clearPorts)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("tshark", "-nr", capture.toString()));
        command.addAll(List.of("-o", "tls.keylog_file:" + keys, "-o", "http.desegment_body:FALSE"));
        tlsPorts.forEach(port -> command.addAll(List.of("-d", "tcp.port==" + port + ",tls")));
        clearPorts.forEach(port -> command.addAll(List.of("-d", "tcp.port==" + port + ",http")));
        command.addAll(List.of("-Y", "tls || http || http2", "-T", "fields", "-E", "separator=/t"));
        command.addAll(List.of("-E", "occurrence=a", "-E", "aggregator=;"));
        FIELDS.forEach(field -> command.addAll(List.of("-e", field)));
        Map<Integer, Connection> streams = new HashMap<>();
        for (String line : Tool.lines(command)) {
            Packet packet = packet(List.of(line.split("\t", -1)), frames);
            boolean up = tlsPorts.contains(packet.number("tcp.dstport"))
                    || clearPorts.contains(packet.number("tcp.dstport"));
            Connection connection = streams.computeIfAbsent(
                    packet.number("tcp.stream"),
                    stream -> new Connection(
                            packet.number(up ? "tcp.srcport" : "tcp.dstport"),
                            packet.number(up ? "tcp.dstport" : "tcp.srcport")));
            handshake(connection, packet, up);
            if (packet.all("http2.type").isEmpty()) {
                http1(connection, packet, up);
            } else {
                http2(connection, packet, up);
            }
        }
        Map<Integer, Connection> byClient = new TreeMap<>();
        streams.values().forEach(it -> byClient.put(it.clientPort, it));
        return byClient;
    }

    private static Packet packet(List<String> fields, List<Frame> frames) {
        long micros = frames.get(Integer.parseInt(fields.get(FIELDS.indexOf("frame.number"))) - 1)
                .micros();
        String segments = fields.get(FIELDS.indexOf("tcp.segment"));
        int first = segments.isEmpty() ? 0 : Integer.parseInt(segments.split(";")[0]);
        return new Packet(fields, first == 0 ? micros : frames.get(first - 1).micros(), micros);
    }

    private static void handshake(Connection connection, Packet packet, boolean up) {
        if (packet.has("tls.handshake.type", FINISHED)) {
            connection.doneMicros = packet.micros;
        }
        if (up) {
            packet.all("tls.handshake.extensions_server_name").forEach(it -> connection.sni = it);
            return;
        }
        packet.all("tls.handshake.extensions_alpn_str").forEach(it -> connection.alpn = it);
        if (packet.has("tls.handshake.type", SERVER_HELLO)) {
            List<String> newer = packet.all("tls.handshake.extensions.supported_version");
            List<String> either = newer.isEmpty() ? packet.all("tls.handshake.version") : newer;
            connection.version = "1." + ((Integer.decode(either.getFirst()) & 0xf) - 1);
        }
    }

    private static void http1(Connection connection, Packet packet, boolean up) {
        if (!packet.has("tls.record.content_type", APPLICATION_DATA)) {
            return;
        }
        List<String> codes = packet.all("http.response.code");
        if (up) {
            connection.lastUpMicros = packet.micros;
            if (!packet.all("http.request.method").isEmpty()) {
                connection.http1.add(new Exchange());
            }
        } else if (!connection.http1.isEmpty()) {
            Exchange it = connection.http1.getLast();
            if (!codes.isEmpty()) {
                boolean ticketFirst = packet.all("tls.record.content_type")
                        .getFirst()
                        .equals(String.valueOf(HANDSHAKE));
                it.requestMicros = connection.lastUpMicros;
                it.firstMicros = ticketFirst ? packet.micros : packet.firstMicros;
            }
            it.lastMicros = packet.micros;
        }
    }

    private static void http2(Connection connection, Packet packet, boolean up) {
        List<String> types = packet.all("http2.type");
        List<String> lengths = packet.all("http2.length");
        List<String> streams = packet.all("http2.streamid");
        List<String> methods = new ArrayList<>(packet.all("http2.headers.method"));
        List<String> paths = new ArrayList<>(packet.all("http2.headers.path"));
        List<String> codes = new ArrayList<>(packet.all("http2.headers.status"));
        boolean more = false;
        for (int i = 0; i < types.size(); i++) {
            int type = Integer.parseInt(types.get(i));
            if (type != DATA && type != HEADERS) {
                continue;
            }
            // No longer than a control frame: inside TLS an empty one that ends a stream cannot be
            // told from those.
            more |= !lengths.get(i).equals("0") || types.size() > 1;
            long first = i == 0 ? packet.firstMicros : packet.micros;
            Exchange it = connection.http2.computeIfAbsent(
                    Integer.parseInt(streams.get(i)), number -> new Exchange());
            if (up) {
                it.requestMicros = packet.micros;
                if (type == HEADERS) {
                    it.method = methods.removeFirst();
                    String path = paths.removeFirst();
                    it.path = path.substring(
                            0, path.indexOf('?') < 0 ? path.length() : path.indexOf('?'));
                }
            } else {
                if (type == HEADERS && it.firstMicros == null) {
                    it.status = Integer.valueOf(codes.removeFirst());
                    it.firstMicros = first;
                }
                it.lastMicros = packet.micros;
            }
        }
        if (more) {
            connection.turns.add(new Turn(up, packet.firstMicros, packet.micros));
        }
    }
}
