package dev.komainu.agent.compare;

import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Endpoint;
import java.util.Comparator;
import java.util.List;

/**
 * A connection as any tool sees it. Who is client is a matter of opinion where no SYN tells, so the
 * two sides are named after the order of their addresses.
 */
record Seen(
        String lower,
        String higher,
        long startMicros,
        long endMicros,
        Side fromLower,
        Side fromHigher) {

    static final Comparator<Seen> ORDER = Comparator.comparingLong(Seen::startMicros)
            .thenComparing(Seen::lower)
            .thenComparing(Seen::higher);

    /**
     * What one side sent.
     *
     * @param unique payload bytes, each sequence number once
     * @param repeated packets that carried only sequence numbers seen before, probes left out
     */
    record Side(
            long packets,
            long wireBytes,
            long payload,
            long unique,
            long repeated,
            long zeroWindows) {}

    static List<Seen> of(List<ConnectionRecord> records) {
        return records.stream().map(Seen::of).sorted(ORDER).toList();
    }

    private static Seen of(ConnectionRecord it) {
        String client = name(it.client());
        String server = name(it.server());
        boolean clientFirst = client.compareTo(server) < 0;
        return new Seen(
                clientFirst ? client : server,
                clientFirst ? server : client,
                it.times().startMicros(),
                it.times().endMicros(),
                side(clientFirst ? it.up() : it.down()),
                side(clientFirst ? it.down() : it.up()));
    }

    private static Side side(DirectionTotals it) {
        return new Side(
                it.packets(),
                it.wireBytes(),
                it.payloadBytes(),
                it.uniqueBytes(),
                it.retransmissions(),
                it.zeroWindow());
    }

    static String name(Endpoint it) {
        return it.address().getHostAddress() + " " + it.port();
    }
}
