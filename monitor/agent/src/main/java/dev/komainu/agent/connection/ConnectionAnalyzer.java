package dev.komainu.agent.connection;

import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.tcp.AnalyzerCounts;
import dev.komainu.agent.connection.tcp.ClientPath;
import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.connection.tcp.ConnectionRow;
import dev.komainu.agent.connection.tcp.ConnectionTable;
import dev.komainu.agent.connection.tcp.FastPath;
import dev.komainu.agent.connection.tcp.SegmentAccounting;
import dev.komainu.agent.connection.tcp.SequenceNumbers;
import dev.komainu.agent.connection.tcp.StreamReassembly;
import dev.komainu.agent.packet.SegmentSink;
import dev.komainu.agent.packet.TcpSegment;
import java.util.BitSet;

/**
 * The analyzer of every TCP connection in a stream of packets (thesis 2.4.2, RFC 9293).
 *
 * <pre>
 *  segment → find or open its connection → handshake → acknowledgement of the other direction → sequence numbers
 *          → application protocol (HTTP, TLS) → FIN, RST → queued for its timeout
 * </pre>
 *
 * <p>Addresses and ports alone do not identify a connection: a SYN with another initial sequence
 * number opens a new one. An ended connection lingers, so that late packets are still counted and
 * do not look like a new connection. Single thread.
 */
public final class ConnectionAnalyzer implements SegmentSink, ConnectionKeys {

    private static final long EXPIRY_EVERY_MICROS = 100_000;
    /**
     * A RST farther than this from the last byte of its sender is a forgery or damaged (RFC 5961
     * 3).
     */
    private static final int RST_REACH = 1 << 24;

    private static final int MIN_REORDERING = 1_024;

    /**
     * Longest silence of a client after an unanswered SYN, as a multiple of the linger: live 2.5 s.
     * Systems repeat a SYN after one second, then after two, or several times each second (Linux:
     * tcp_syn_linear_timeouts).
     */
    private static final double UNANSWERED_LINGERS = 1.25;

    private static final long MIN_UNANSWERED_MICROS = 1_000_000;

    private final AnalyzerConfig config;
    private final ConnectionListener listener;
    private final AnalyzerCounts counts = new AnalyzerCounts();
    private final ServiceNumbers services;
    private final BitSet serverPorts = new BitSet(65_536);
    private final long[] timeouts;
    private final ConnectionTable table;
    private final StreamReassembly reassembly;
    private final SegmentAccounting accounting;
    private final FastPath fastPath;
    private final boolean fastPathEnabled;
    private final OpenExchanges exchanges;
    private final ProtocolDispatcher dispatcher;
    private final ConnectionRecordBuilder recordBuilder;
    private final ConnectionRow row;
    private final ConnectionRow silentRow;
    private final ConnectionRow listedRow;
    /** True: events concern {@link #silentRow}; false: {@link #row}. */
    private boolean isAboutSilent;

    private long now = Long.MIN_VALUE;
    private long expiryAt = Long.MIN_VALUE;
    /**
     * Instant at which the connection with the longest unanswered SYN is paused, or an earlier one.
     */
    private long pauseAt = Long.MAX_VALUE;

    /**
     * Creates an analyzer without connections.
     *
     * @param services numbers of the services, as they appear in the events passed to
     *     {@code listener}
     */
    public ConnectionAnalyzer(
            AnalyzerConfig config, ServiceNumbers services, ConnectionListener listener) {
        this(config, services, listener, true);
    }

    /**
     * Creates an analyzer without connections.
     *
     * @param fastPathEnabled whether plain packets may take the fast path; for tests that compare
     *     both paths
     */
    ConnectionAnalyzer(
            AnalyzerConfig config,
            ServiceNumbers services,
            ConnectionListener listener,
            boolean fastPathEnabled) {
        this.config = config;
        this.fastPathEnabled = fastPathEnabled;
        this.listener = listener;
        this.services = services;
        config.serverPorts().forEach(serverPorts::set);
        // In the order of TimeClass.
        this.timeouts = new long[] {
            Math.max(MIN_UNANSWERED_MICROS, (long)
                    (UNANSWERED_LINGERS * config.linger().toNanos() / 1_000)),
            config.handshakeTimeout().toNanos() / 1_000,
            config.idleTimeout().toNanos() / 1_000,
            config.halfClosedTimeout().toNanos() / 1_000,
            config.linger().toNanos() / 1_000
        };
        this.table = new ConnectionTable(config.maxConnections());
        int maxReordering = Math.max(MIN_REORDERING, config.maxConnections() / 4);
        this.exchanges =
                new OpenExchanges(config.maxExchanges(), config.privacy(), listener, counts);
        this.dispatcher = new ProtocolDispatcher(exchanges, listener);
        this.reassembly = new StreamReassembly(
                maxReordering, config.maxHeldBytes(), dispatcher, listener, counts);
        ClientPath path = new ClientPath(listener);
        this.accounting = new SegmentAccounting(reassembly, dispatcher, listener, path);
        this.fastPath = new FastPath(reassembly, dispatcher, listener, path);
        this.recordBuilder =
                new ConnectionRecordBuilder(services, exchanges, dispatcher, config.privacy());
        this.row = table.cursor();
        this.silentRow = table.cursor();
        this.listedRow = table.cursor();
    }

    /** Returns the counts of packets and state that were left out. Any thread. */
    public AnalyzerCounts counts() {
        return counts;
    }

    /**
     * Returns the number of connections followed, including ended ones that linger. The source's
     * thread.
     */
    public int following() {
        return table.size();
    }

    /**
     * Replaces the ports whose owner is taken as the server where no SYN was captured. The source's
     * thread.
     */
    public void serverPorts(Iterable<Integer> ports) {
        serverPorts.clear();
        ports.forEach(serverPorts::set);
    }

    /** Returns the rows of every kind in use; none after {@link #flush}. For tests. */
    int rowsInUse() {
        return table.size()
                + reassembly.used()
                + exchanges.used()
                + exchanges.textsUsed()
                + dispatcher.used();
    }

    @Override
    public void segment(TcpSegment s) {
        advance(s.micros);
        int hash = table.hash(s);
        int found = table.find(s, hash, row);
        if (found != ConnectionTable.NOT_FOUND
                && s.has(TcpSegment.SYN)
                && isLaterConnection(s, found == ConnectionTable.FOUND_UP)) {
            finish(row, false);
            found = ConnectionTable.NOT_FOUND;
        }
        if (found == ConnectionTable.NOT_FOUND && !open(s, hash)) {
            return;
        }
        boolean up = found == ConnectionTable.NOT_FOUND
                ? ConnectionTable.isUp(s, row)
                : found == ConnectionTable.FOUND_UP;
        if (row.is(ConnectionRow.PAUSED)) {
            resume(row, s.micros);
        }
        if (s.micros > row.longAt(ConnectionRow.LAST)) {
            row.setLong(ConnectionRow.LAST, s.micros);
        }
        if (fastPathEnabled && fastPath.handle(row, s, up)) {
            restartTimeout(
                    isNotYetAccepted(row)
                            ? ConnectionTable.TimeClass.UNANSWERED
                            : ConnectionTable.TimeClass.OPEN);
            return;
        }
        boolean repeatedSyn = s.has(TcpSegment.SYN) && handshake(s, up);
        accounting.packet(row, s, up, repeatedSyn);
        if (!row.is(ConnectionRow.CLOSED)) {
            trackClose(s, up);
        }
        restartTimeout(timeClass());
        if (up && isRefusedSilently(row)) {
            pause(row, s.micros);
        }
    }

    /**
     * Restarts the connection's timeout: from now on it may be silent for as long as its time class
     * allows.
     */
    private void restartTimeout(ConnectionTable.TimeClass timeClass) {
        table.enqueue(row, timeClass);
        if (timeClass == ConnectionTable.TimeClass.UNANSWERED) {
            pauseAt = Math.min(
                    pauseAt, row.longAt(ConnectionRow.LAST) + timeouts[timeClass.ordinal()]);
        }
    }

    @Override
    public void idle(long micros) {
        advance(micros);
    }

    /** Ends the capture: writes every connection that is still followed. */
    public void flush() {
        while (table.any(row)) {
            finish(row, false);
        }
    }

    @Override
    public long current() {
        return (isAboutSilent ? silentRow : row).key();
    }

    @Override
    public void openConnections(Receiver receiver) {
        for (int place = 0; place < table.places(); place++) {
            if (table.at(place, listedRow)
                    && listedRow.service() != ServiceNumbers.UNWATCHED
                    && !listedRow.is(ConnectionRow.CLOSED | ConnectionRow.PAUSED)) {
                receiver.open(
                        listedRow.service(), listedRow.key(), dispatcher.isUnanswered(listedRow));
            }
        }
    }

    private void advance(long micros) {
        now = Math.max(now, micros);
        if (now < pauseAt && now < expiryAt) {
            return;
        }
        isAboutSilent = true;
        if (now >= pauseAt) {
            pause();
        }
        if (now >= expiryAt) {
            expire();
        }
        isAboutSilent = false;
    }

    private void expire() {
        expiryAt = now + EXPIRY_EVERY_MICROS;
        while (reassembly.expired(now, silentRow)) {
            reassembly.giveUp(silentRow, now, isReset(silentRow));
            endStreams(silentRow, now);
        }
        for (ConnectionTable.TimeClass timeClass : ConnectionTable.TimeClass.values()) {
            if (timeClass == ConnectionTable.TimeClass.UNANSWERED) {
                continue;
            }
            while (table.silentSince(timeClass, now - timeouts[timeClass.ordinal()], silentRow)) {
                finish(silentRow, true);
            }
        }
    }

    /**
     * Pauses the connections whose client may have left. Reported at the exact instant and in
     * order, because the number of open connections is a maximum over every step.
     */
    private void pause() {
        long unanswered = timeouts[ConnectionTable.TimeClass.UNANSWERED.ordinal()];
        // The first instant at which it has been silent for longer than the limit.
        while (table.first(ConnectionTable.TimeClass.UNANSWERED, silentRow)
                && silentRow.longAt(ConnectionRow.LAST) + unanswered < now) {
            long at = silentRow.longAt(ConnectionRow.LAST) + unanswered + 1;
            if (isNeverAccepted(silentRow)) {
                // The client's system repeats its data for some time: that is no new connection.
                close(silentRow, at, true);
            } else if (!silentRow.is(ConnectionRow.PAUSED)) {
                pause(silentRow, at);
            }
            boolean mayBeAccepted =
                    !silentRow.is(ConnectionRow.CLOSED) && isNotYetAccepted(silentRow);
            table.enqueue(
                    silentRow,
                    mayBeAccepted
                            ? ConnectionTable.TimeClass.OPEN
                            : ConnectionTable.TimeClass.HANDSHAKE);
        }
        pauseAt = table.first(ConnectionTable.TimeClass.UNANSWERED, silentRow)
                ? silentRow.longAt(ConnectionRow.LAST) + unanswered
                : Long.MAX_VALUE;
    }

    private void pause(ConnectionRow connection, long at) {
        connection.mark(ConnectionRow.PAUSED);
        boolean requested = dispatcher.isUnanswered(connection);
        if (requested) {
            connection.mark(ConnectionRow.REQUEST_PAUSED);
        }
        listener.paused(connection.service(), at, requested ? 1 : 0);
    }

    private void resume(ConnectionRow connection, long micros) {
        int requests = connection.is(ConnectionRow.REQUEST_PAUSED) ? 1 : 0;
        connection.unmark(ConnectionRow.PAUSED | ConnectionRow.REQUEST_PAUSED);
        listener.resumed(connection.service(), micros, requests);
    }

    /**
     * Reports whether a SYN with the addresses of a known connection belongs to a later connection.
     */
    private boolean isLaterConnection(TcpSegment s, boolean up) {
        if (s.has(TcpSegment.RST)) {
            return false;
        }
        boolean sameSequence = row.is(up ? ConnectionRow.KNOWN_UP : ConnectionRow.KNOWN_DOWN)
                && row.intAt((up ? ConnectionRow.UP : ConnectionRow.DOWN) + ConnectionRow.ISN)
                        == s.sequence;
        if (sameSequence) {
            // Repeated, or captured late.
            return false;
        }
        if (s.has(TcpSegment.ACK)) {
            // Another SYN/ACK for the same SYN may be a SYN cookie's (RFC 4987 3.6).
            return row.is(ConnectionRow.CLOSED)
                    || up
                    || (row.is(ConnectionRow.KNOWN_UP)
                            && row.intAt(ConnectionRow.UP + ConnectionRow.ISN)
                                    != s.acknowledgement - 1);
        }
        if (up) {
            return true;
        }
        // A SYN from the server's side: both may open at once (RFC 9293
        // 3.5), else the roles have changed.
        return row.is(ConnectionRow.CLOSED | ConnectionRow.SAW_SYN_ACK | ConnectionRow.CARRIED_DATA)
                || !row.is(ConnectionRow.SAW_SYN);
    }

    private boolean open(TcpSegment s, int hash) {
        boolean syn = s.has(TcpSegment.SYN);
        boolean ack = s.has(TcpSegment.ACK);
        if (!syn && !config.pickUpAnything() && (s.payloadLength == 0 || s.has(TcpSegment.RST))) {
            counts.countStray();
            return false;
        }
        boolean fromClient = syn ? !ack : isFromClient(s);
        int service = service(s, fromClient);
        if (service == ServiceNumbers.UNWATCHED && !syn) {
            // The guess by ports is wrong when a proxy connects from a lower port than its
            // origin's.
            int other = service(s, !fromClient);
            if (other != ServiceNumbers.UNWATCHED) {
                service = other;
                fromClient = !fromClient;
            }
        }
        if (service == ServiceNumbers.UNWATCHED && !config.followUnwatched()) {
            counts.countUnwatched();
            return false;
        }
        while (!table.add(hash, row)) {
            if (!table.expendable(silentRow)) {
                return false;
            }
            if (!silentRow.is(ConnectionRow.CLOSED)) {
                counts.countEvicted();
            }
            isAboutSilent = true;
            finish(silentRow, false);
            isAboutSilent = false;
        }
        int source = fromClient ? ConnectionRow.CLIENT : ConnectionRow.SERVER;
        int target = fromClient ? ConnectionRow.SERVER : ConnectionRow.CLIENT;
        row.setLong(source, s.sourceHigh);
        row.setLong(source + 8, s.sourceLow);
        row.setLong(target, s.targetHigh);
        row.setLong(target + 8, s.targetLow);
        row.setShort(
                fromClient ? ConnectionRow.CLIENT_PORT : ConnectionRow.SERVER_PORT, s.sourcePort);
        row.setShort(
                fromClient ? ConnectionRow.SERVER_PORT : ConnectionRow.CLIENT_PORT, s.targetPort);
        row.setLong(ConnectionRow.START, s.micros);
        row.setLong(ConnectionRow.LAST, s.micros);
        row.setInt(ConnectionRow.SERVICE, service);
        listener.opened(service, s.micros);
        return true;
    }

    private int service(TcpSegment s, boolean fromClient) {
        return fromClient
                ? services.both(
                        services.of(s.targetHigh, s.targetLow, s.targetPort),
                        s.sourceHigh,
                        s.sourceLow,
                        s.sourcePort,
                        s.targetHigh,
                        s.targetLow,
                        s.targetPort)
                : services.both(
                        services.of(s.sourceHigh, s.sourceLow, s.sourcePort),
                        s.targetHigh,
                        s.targetLow,
                        s.targetPort,
                        s.sourceHigh,
                        s.sourceLow,
                        s.sourcePort);
    }

    private boolean isFromClient(TcpSegment s) {
        boolean sourceWatched = serverPorts.get(s.sourcePort);
        boolean targetWatched = serverPorts.get(s.targetPort);
        return sourceWatched == targetWatched ? s.sourcePort >= s.targetPort : targetWatched;
    }

    /**
     * Applies the handshake flags of a segment; reports whether the same SYN or SYN/ACK was seen
     * before.
     */
    private boolean handshake(TcpSegment s, boolean up) {
        boolean repeated = false;
        int side = up ? ConnectionRow.UP : ConnectionRow.DOWN;
        int known = up ? ConnectionRow.KNOWN_UP : ConnectionRow.KNOWN_DOWN;
        if (up && !s.has(TcpSegment.ACK)) {
            int syns = row.ushortAt(ConnectionRow.SYNS);
            repeated = syns > 0;
            if (!repeated) {
                listener.synReceived(row.service(), s.micros);
            }
            if (syns > 0 && !row.is(ConnectionRow.SAW_SYN_ACK)) {
                listener.synRepeated(row.service(), s.micros);
            }
            row.setShort(ConnectionRow.SYNS, Math.min(syns + 1, 0xffff));
            row.mark(ConnectionRow.SAW_SYN);
        } else if (!up) {
            if (row.is(ConnectionRow.SAW_SYN_ACK)) {
                repeated = true;
                if (!row.is(ConnectionRow.HANDSHAKE_DONE)) {
                    row.mark(ConnectionRow.SYN_ACK_REPEATED);
                }
            } else if (s.has(TcpSegment.ACK)) {
                row.mark(ConnectionRow.SAW_SYN_ACK);
                row.setInt(
                        ConnectionRow.SYN_ACK, (int) (s.micros - row.longAt(ConnectionRow.START)));
                if (row.ushortAt(ConnectionRow.SYNS) == 1) {
                    row.mark(ConnectionRow.ONE_SYN);
                }
            }
        }
        boolean otherCookie = repeated
                && !up
                && !row.is(ConnectionRow.HANDSHAKE_DONE | ConnectionRow.CARRIED_DATA)
                && row.intAt(side + ConnectionRow.ISN) != s.sequence;
        if (!row.is(known) || otherCookie) {
            row.mark(known);
            row.setInt(side + ConnectionRow.ISN, s.sequence);
            // The SYN itself is then seen as a new sequence number.
            row.setInt(side + ConnectionRow.NEXT, s.sequence);
        }
        return repeated;
    }

    private void trackClose(TcpSegment s, boolean up) {
        if (!up
                && row.is(ConnectionRow.FIN_DOWN)
                && !row.is(
                        ConnectionRow.SERVER_FIRST | ConnectionRow.FIN_UP | ConnectionRow.RST_UP)) {
            row.mark(ConnectionRow.SERVER_FIRST);
            dispatcher.serverClosed(row, row.intAt(ConnectionRow.DOWN + ConnectionRow.ACKED));
        }
        if (s.has(TcpSegment.ACK) && !s.has(TcpSegment.RST)) {
            int other = up ? ConnectionRow.DOWN : ConnectionRow.UP;
            int otherFin = up ? ConnectionRow.FIN_DOWN : ConnectionRow.FIN_UP;
            int otherFinAcked = up ? ConnectionRow.FIN_DOWN_ACKED : ConnectionRow.FIN_UP_ACKED;
            if (row.is(otherFin)
                    && !row.is(otherFinAcked)
                    && !SequenceNumbers.before(
                            s.acknowledgement, row.intAt(other + ConnectionRow.NEXT))) {
                row.mark(otherFinAcked);
                if (up) {
                    // T_d of the thesis ends here (2.2.2.4).
                    row.setLong(ConnectionRow.TRANSFER_END, s.micros);
                }
            }
        }
        if (s.has(TcpSegment.RST)) {
            if (isPlausible(s, up)) {
                row.mark(up ? ConnectionRow.RST_UP : ConnectionRow.RST_DOWN);
                if (!up && !row.is(ConnectionRow.FIN_UP | ConnectionRow.RST_UP)) {
                    row.mark(ConnectionRow.SERVER_FIRST);
                }
                if (!reassembly.isSettled(row) || (up && exchanges.isUnanswered(row))) {
                    // The response may be on its way: it left the server
                    // before the reset arrived there.
                    reassembly.over(row, s.micros);
                }
            } else {
                counts.countWild();
            }
        }
        endStreams(row, s.micros);
    }

    /** Ends the streams of a closed connection, unless bytes are missing that may still come. */
    private void endStreams(ConnectionRow connection, long micros) {
        if (connection.is(ConnectionRow.FIN_DOWN)
                && !connection.is(ConnectionRow.STREAM_ENDED_DOWN)
                && reassembly.isServerStreamRead(connection)) {
            connection.mark(ConnectionRow.STREAM_ENDED_DOWN);
            dispatcher.serverEnded(connection, micros);
        }
        if (!connection.is(ConnectionRow.CLOSED)
                && ((isReset(connection) && !isOneSidedReset(connection))
                        || (connection.is(ConnectionRow.FIN_UP_ACKED)
                                && connection.is(ConnectionRow.FIN_DOWN_ACKED)))
                && reassembly.isSettled(connection)) {
            close(connection, micros, false);
        }
    }

    /**
     * Reports whether only resets from one side were seen. The SYN that they refuse may be captured
     * late; only that SYN shows which side is the client.
     */
    private static boolean isOneSidedReset(ConnectionRow connection) {
        return !connection.is(ConnectionRow.SAW_SYN)
                && (connection.intAt(ConnectionRow.UP + ConnectionRow.PACKETS) == 0
                        || connection.intAt(ConnectionRow.DOWN + ConnectionRow.PACKETS) == 0)
                && !connection.is(ConnectionRow.CARRIED_DATA);
    }

    private static boolean isReset(ConnectionRow connection) {
        return connection.is(ConnectionRow.RST_UP | ConnectionRow.RST_DOWN);
    }

    private boolean isPlausible(TcpSegment s, boolean up) {
        if (!row.is(up ? ConnectionRow.KNOWN_UP : ConnectionRow.KNOWN_DOWN)) {
            return true;
        }
        int distance = SequenceNumbers.distance(
                row.intAt((up ? ConnectionRow.UP : ConnectionRow.DOWN) + ConnectionRow.NEXT),
                s.sequence);
        return distance > -RST_REACH && distance < RST_REACH;
    }

    /**
     * Reports whether the server never accepted the connection. The client connected, sent a
     * request and left, and the server's system acknowledged nothing but its SYN: the listen queue
     * was full when the handshake ended, so the connection never existed for the server.
     */
    private static boolean isNeverAccepted(ConnectionRow connection) {
        return connection.is(ConnectionRow.FIN_UP) && isNotYetAccepted(connection);
    }

    /**
     * Reports whether the server has not accepted the connection yet. The client has sent a
     * request, and the server's system has acknowledged nothing but its SYN: its listen queue has
     * no room for the connection, and it drops the client's data (tcp(7), tcp_abort_on_overflow).
     */
    private static boolean isNotYetAccepted(ConnectionRow connection) {
        return connection.longAt(ConnectionRow.DOWN + ConnectionRow.UNIQUE_BYTES) == 0
                && connection.is(ConnectionRow.SAW_SYN)
                && connection.is(ConnectionRow.SAW_SYN_ACK)
                && (connection.is(ConnectionRow.FIN_UP)
                        || connection.longAt(ConnectionRow.UP + ConnectionRow.UNIQUE_BYTES) > 0)
                && !connection.is(ConnectionRow.FIN_UP_ACKED
                        | ConnectionRow.FIN_DOWN
                        | ConnectionRow.RST_UP
                        | ConnectionRow.RST_DOWN)
                && connection.intAt(ConnectionRow.DOWN + ConnectionRow.ACKED)
                        == connection.intAt(ConnectionRow.UP + ConnectionRow.ISN) + 1;
    }

    /**
     * Reports whether the server has not accepted the connection although the client repeated its
     * request. The repetition excludes a request that is only on its way.
     */
    private static boolean isRefusedSilently(ConnectionRow connection) {
        return !connection.is(ConnectionRow.CLOSED | ConnectionRow.FIN_UP)
                && connection.intAt(ConnectionRow.UP + ConnectionRow.RETRANSMISSIONS) > 0
                && isNotYetAccepted(connection);
    }

    private ConnectionTable.TimeClass timeClass() {
        if (isNeverAccepted(row)) {
            return row.is(ConnectionRow.CLOSED)
                    ? ConnectionTable.TimeClass.HANDSHAKE
                    : ConnectionTable.TimeClass.UNANSWERED;
        }
        boolean finUp = row.is(ConnectionRow.FIN_UP);
        boolean finDown = row.is(ConnectionRow.FIN_DOWN);
        if (row.is(ConnectionRow.CLOSED) || (finUp && finDown) || isReset(row)) {
            return ConnectionTable.TimeClass.CLOSED;
        }
        if (finUp || finDown) {
            return ConnectionTable.TimeClass.HALF_CLOSED;
        }
        if (!row.is(ConnectionRow.SAW_SYN)
                || row.is(ConnectionRow.HANDSHAKE_DONE | ConnectionRow.CARRIED_DATA)) {
            return isNotYetAccepted(row)
                    ? ConnectionTable.TimeClass.UNANSWERED
                    : ConnectionTable.TimeClass.OPEN;
        }
        return row.is(ConnectionRow.SAW_SYN_ACK)
                ? ConnectionTable.TimeClass.HANDSHAKE
                : ConnectionTable.TimeClass.UNANSWERED;
    }

    private void close(ConnectionRow connection, long micros, boolean silent) {
        if (connection.is(ConnectionRow.REQUEST_PAUSED)) {
            // The end of its request is reported, so the request must wait again first.
            resume(connection, micros);
        }
        boolean paused = connection.is(ConnectionRow.PAUSED);
        connection.unmark(ConnectionRow.PAUSED);
        connection.mark(ConnectionRow.CLOSED);
        boolean timedOut = silent && isWaiting(connection);
        dispatcher.closed(connection, micros);
        listener.closed(
                connection.service(),
                micros,
                ConnectionRecordBuilder.state(connection),
                connection.longAt(ConnectionRow.LAST) - connection.longAt(ConnectionRow.START),
                timedOut,
                paused);
    }

    /**
     * Reports whether a side still waits for the other: the handshake, the second FIN or a response
     * is missing.
     */
    private boolean isWaiting(ConnectionRow connection) {
        return switch (ConnectionRecordBuilder.state(connection)) {
            case HALF_OPEN, HALF_CLOSED -> true;
            case OPEN, MIDSTREAM -> dispatcher.isUnanswered(connection);
            default -> false;
        };
    }

    /**
     * Closes the connection and reports its end.
     *
     * @param silent whether no packet came for longer than the timeout
     */
    private void finish(ConnectionRow connection, boolean silent) {
        long micros = Math.max(now, connection.longAt(ConnectionRow.LAST));
        reassembly.giveUp(connection, micros, true);
        endStreams(connection, micros);
        if (!connection.is(ConnectionRow.CLOSED)) {
            close(connection, micros, silent);
        }
        reassembly.release(connection);
        listener.finished(recordBuilder.write(connection));
        table.remove(connection);
    }
}
