package dev.komainu.agent.connection;

import dev.komainu.agent.connection.exchange.OpenExchanges;
import dev.komainu.agent.connection.tcp.AnalyzerCounts;
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
 * Follows every TCP connection in a stream of packets (thesis 2.4.2, RFC 9293).
 *
 * <pre>
 *  segment → find or open its connection → handshake → acknowledgement of the other direction → sequence numbers
 *          → what they say (HTTP, TLS) → FIN, RST → lined up for its time-out
 * </pre>
 *
 * <p>Addresses and ports alone do not name a connection: a SYN with another initial sequence number
 * is a new one. An ended connection lingers, so that late packets are still counted and do not look
 * like a new connection. Single thread.
 */
public final class ConnectionAnalyzer implements SegmentSink {

    private static final long EXPIRY_EVERY_MICROS = 100_000;
    /**
     * A RST farther than this from what its sender sent last is a forgery or damage (RFC 5961 3).
     */
    private static final int RST_REACH = 1 << 24;

    private static final int FEWEST_IN_DISORDER = 1_024;

    /**
     * Of the linger, how long an unanswered SYN may stay unrepeated: live 2.5 s. Systems repeat it
     * after a second, then after two, or several times each second (Linux:
     * tcp_syn_linear_timeouts).
     */
    private static final double LINGERS_UNANSWERED = 1.25;

    private static final long LEAST_UNANSWERED_MICROS = 1_000_000;

    private final AnalyzerConfig config;
    private final ConnectionListener listener;
    private final AnalyzerCounts counts = new AnalyzerCounts();
    private final ServiceNumbers services;
    private final BitSet serverPorts = new BitSet(65_536);
    private final long[] timeouts;
    private final ConnectionTable table;
    private final StreamReassembly order;
    private final SegmentAccounting flow;
    private final FastPath plain;
    private final boolean shortWay;
    private final OpenExchanges exchanges;
    private final ProtocolDispatcher dialogue;
    private final ConnectionRecordBuilder writer;
    private final ConnectionRow row;
    private final ConnectionRow aged;
    private long now = Long.MIN_VALUE;
    private long expiryAt = Long.MIN_VALUE;
    /** When the connection whose SYN has been unanswered longest comes to rest, or earlier. */
    private long restAt = Long.MAX_VALUE;

    /** @param services its numbers appear in the events told to {@code listener} */
    public ConnectionAnalyzer(
            AnalyzerConfig config, ServiceNumbers services, ConnectionListener listener) {
        this(config, services, listener, true);
    }

    /**
     * @param shortWay whether plain packets may take it; for tests that hold both ways against each
     *     other
     */
    ConnectionAnalyzer(
            AnalyzerConfig config,
            ServiceNumbers services,
            ConnectionListener listener,
            boolean shortWay) {
        this.config = config;
        this.shortWay = shortWay;
        this.listener = listener;
        this.services = services;
        config.serverPorts().forEach(serverPorts::set);
        // In the order of TimeClass.
        this.timeouts = new long[] {
            Math.max(LEAST_UNANSWERED_MICROS, (long)
                    (LINGERS_UNANSWERED * config.linger().toNanos() / 1_000)),
            config.handshakeTimeout().toNanos() / 1_000,
            config.idleTimeout().toNanos() / 1_000,
            config.halfClosedTimeout().toNanos() / 1_000,
            config.linger().toNanos() / 1_000
        };
        this.table = new ConnectionTable(config.maxConnections());
        int mostInDisorder = Math.max(FEWEST_IN_DISORDER, config.maxConnections() / 4);
        this.exchanges =
                new OpenExchanges(config.maxExchanges(), config.privacy(), listener, counts);
        this.dialogue = new ProtocolDispatcher(exchanges, listener);
        this.order = new StreamReassembly(
                mostInDisorder, config.maxHeldBytes(), dialogue, listener, counts);
        this.flow = new SegmentAccounting(order, dialogue, listener);
        this.plain = new FastPath(order, dialogue, listener);
        this.writer = new ConnectionRecordBuilder(services, exchanges, dialogue, config.privacy());
        this.row = table.cursor();
        this.aged = table.cursor();
    }

    /** What had to be left out. Any thread. */
    public AnalyzerCounts counts() {
        return counts;
    }

    /** Connections now followed, ended ones that linger among them. The source's thread. */
    public int following() {
        return table.size();
    }

    /**
     * Ports whose owner is the server where no SYN tells, in place of those set before. The
     * source's thread.
     */
    public void serverPorts(Iterable<Integer> ports) {
        serverPorts.clear();
        ports.forEach(serverPorts::set);
    }

    /** Rows of every kind now in use; none after {@link #flush}. For tests. */
    int rowsInUse() {
        return table.size()
                + order.used()
                + exchanges.used()
                + exchanges.textsUsed()
                + dialogue.used();
    }

    @Override
    public void segment(TcpSegment s) {
        advance(s.micros);
        int hash = table.hash(s);
        boolean found = table.find(s, hash, row);
        if (found && isAnother(s)) {
            finish(row, false);
            found = false;
        }
        if (!found && !open(s, hash)) {
            return;
        }
        boolean up = ConnectionTable.isUp(s, row);
        if (row.is(ConnectionRow.RESTING)) {
            resume(row, s.micros);
        }
        if (s.micros > row.longAt(ConnectionRow.LAST)) {
            row.setLong(ConnectionRow.LAST, s.micros);
        }
        if (shortWay && plain.took(row, s, up)) {
            await(
                    isNotTakenYet(row)
                            ? ConnectionTable.TimeClass.UNANSWERED
                            : ConnectionTable.TimeClass.OPEN);
            return;
        }
        boolean repeatedSyn = s.has(TcpSegment.SYN) && handshake(s, up);
        flow.packet(row, s, up, repeatedSyn);
        if (!row.is(ConnectionRow.CLOSED)) {
            closing(s, up);
        }
        await(timeClass());
        if (up && isRefusedSilently(row)) {
            rest(row, s.micros);
        }
    }

    /** From now on the connection may be silent for as long as its kind may. */
    private void await(ConnectionTable.TimeClass line) {
        table.line(row, line);
        if (line == ConnectionTable.TimeClass.UNANSWERED) {
            restAt = Math.min(restAt, row.longAt(ConnectionRow.LAST) + timeouts[line.ordinal()]);
        }
    }

    @Override
    public void idle(long micros) {
        advance(micros);
    }

    /** The capture is over: writes everything that is still followed. */
    public void flush() {
        while (table.any(row)) {
            finish(row, false);
        }
    }

    private void advance(long micros) {
        now = Math.max(now, micros);
        if (now >= restAt) {
            rest();
        }
        if (now < expiryAt) {
            return;
        }
        expiryAt = now + EXPIRY_EVERY_MICROS;
        while (order.waitedUntil(now, aged)) {
            order.giveUp(aged, now, isReset(aged));
            streamsEnd(aged, now);
        }
        for (ConnectionTable.TimeClass line : ConnectionTable.TimeClass.values()) {
            if (line == ConnectionTable.TimeClass.UNANSWERED) {
                continue;
            }
            while (table.silentSince(line, now - timeouts[line.ordinal()], aged)) {
                finish(aged, true);
            }
        }
    }

    /**
     * Told at the very instant and in order: how many are open at once is a maximum of every step.
     */
    private void rest() {
        long unanswered = timeouts[ConnectionTable.TimeClass.UNANSWERED.ordinal()];
        // The first instant at which it has been silent for longer.
        while (table.first(ConnectionTable.TimeClass.UNANSWERED, aged)
                && aged.longAt(ConnectionRow.LAST) + unanswered < now) {
            long at = aged.longAt(ConnectionRow.LAST) + unanswered + 1;
            if (isNeverTaken(aged)) {
                // The client's system repeats what it has sent for a while yet: that is no new
                // connection.
                close(aged, at, true);
            } else if (!aged.is(ConnectionRow.RESTING)) {
                rest(aged, at);
            }
            boolean mayBeTaken = !aged.is(ConnectionRow.CLOSED) && isNotTakenYet(aged);
            table.line(
                    aged,
                    mayBeTaken
                            ? ConnectionTable.TimeClass.OPEN
                            : ConnectionTable.TimeClass.HANDSHAKE);
        }
        restAt = table.first(ConnectionTable.TimeClass.UNANSWERED, aged)
                ? aged.longAt(ConnectionRow.LAST) + unanswered
                : Long.MAX_VALUE;
    }

    private void rest(ConnectionRow which, long at) {
        which.mark(ConnectionRow.RESTING);
        boolean asked = dialogue.isUnanswered(which);
        if (asked) {
            which.mark(ConnectionRow.REQUEST_RESTING);
        }
        listener.resting(which.service(), at, asked ? 1 : 0);
    }

    private void resume(ConnectionRow which, long micros) {
        int requests = which.is(ConnectionRow.REQUEST_RESTING) ? 1 : 0;
        which.unmark(ConnectionRow.RESTING | ConnectionRow.REQUEST_RESTING);
        listener.resumed(which.service(), micros, requests);
    }

    /** Whether a packet with a known connection's addresses belongs to a later connection. */
    private boolean isAnother(TcpSegment s) {
        if (!s.has(TcpSegment.SYN) || s.has(TcpSegment.RST)) {
            return false;
        }
        boolean up = ConnectionTable.isUp(s, row);
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
                    || row.is(ConnectionRow.KNOWN_UP)
                            && row.intAt(ConnectionRow.UP + ConnectionRow.ISN)
                                    != s.acknowledgement - 1;
        }
        if (up) {
            return true;
        }
        // A SYN from the server's side: both may open at once (RFC 9293 3.5), else the roles have
        // changed.
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
        int service = fromClient
                ? services.of(s.targetHigh, s.targetLow, s.targetPort)
                : services.of(s.sourceHigh, s.sourceLow, s.sourcePort);
        service = fromClient
                ? services.both(
                        service,
                        s.sourceHigh,
                        s.sourceLow,
                        s.sourcePort,
                        s.targetHigh,
                        s.targetLow,
                        s.targetPort)
                : services.both(
                        service,
                        s.targetHigh,
                        s.targetLow,
                        s.targetPort,
                        s.sourceHigh,
                        s.sourceLow,
                        s.sourcePort);
        if (service == ServiceNumbers.UNWATCHED && !config.followUnwatched()) {
            counts.countUnwatched();
            return false;
        }
        while (!table.add(hash, row)) {
            if (!table.expendable(aged)) {
                return false;
            }
            if (!aged.is(ConnectionRow.CLOSED)) {
                counts.countEvicted();
            }
            finish(aged, false);
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

    private boolean isFromClient(TcpSegment s) {
        boolean sourceWatched = serverPorts.get(s.sourcePort);
        boolean targetWatched = serverPorts.get(s.targetPort);
        return sourceWatched == targetWatched ? s.sourcePort >= s.targetPort : targetWatched;
    }

    /** Whether the same was seen before. */
    private boolean handshake(TcpSegment s, boolean up) {
        boolean repeated = false;
        int side = up ? ConnectionRow.UP : ConnectionRow.DOWN;
        int known = up ? ConnectionRow.KNOWN_UP : ConnectionRow.KNOWN_DOWN;
        if (up && !s.has(TcpSegment.ACK)) {
            int syns = row.ushortAt(ConnectionRow.SYNS);
            repeated = syns > 0;
            if (!repeated) {
                listener.arrived(row.service(), s.micros);
            }
            if (syns > 0 && !row.is(ConnectionRow.SAW_SYN_ACK)) {
                listener.synRepeated(row.service(), s.micros);
            }
            row.setShort(ConnectionRow.SYNS, Math.min(syns + 1, 0xffff));
            row.mark(ConnectionRow.SAW_SYN);
        } else if (!up) {
            if (row.is(ConnectionRow.SAW_SYN_ACK)) {
                repeated = true;
                if (!row.is(ConnectionRow.SHOOK_HANDS)) {
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
                && !row.is(ConnectionRow.SHOOK_HANDS | ConnectionRow.CARRIED_DATA)
                && row.intAt(side + ConnectionRow.ISN) != s.sequence;
        if (!row.is(known) || otherCookie) {
            row.mark(known);
            row.setInt(side + ConnectionRow.ISN, s.sequence);
            // The SYN itself is then seen as a new sequence number.
            row.setInt(side + ConnectionRow.NEXT, s.sequence);
        }
        return repeated;
    }

    private void closing(TcpSegment s, boolean up) {
        if (!up
                && row.is(ConnectionRow.FIN_DOWN)
                && !row.is(
                        ConnectionRow.SERVER_FIRST | ConnectionRow.FIN_UP | ConnectionRow.RST_UP)) {
            row.mark(ConnectionRow.SERVER_FIRST);
            dialogue.serverCloses(row, row.intAt(ConnectionRow.DOWN + ConnectionRow.ACKED));
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
                if (!order.isSettled(row) || up && exchanges.isUnanswered(row)) {
                    // The answer may be on its way: it left the server before the reset got there.
                    order.over(row, s.micros);
                }
            } else {
                counts.countWild();
            }
        }
        streamsEnd(row, s.micros);
    }

    /** Ends what is over, as far as nothing is missing of it that may still come. */
    private void streamsEnd(ConnectionRow which, long micros) {
        if (which.is(ConnectionRow.FIN_DOWN)
                && !which.is(ConnectionRow.STREAM_ENDED_DOWN)
                && order.isDownReadToItsFin(which)) {
            which.mark(ConnectionRow.STREAM_ENDED_DOWN);
            dialogue.downEnded(which, micros);
        }
        if (!which.is(ConnectionRow.CLOSED)
                && (isReset(which) && !isLone(which)
                        || which.is(ConnectionRow.FIN_UP_ACKED)
                                && which.is(ConnectionRow.FIN_DOWN_ACKED))
                && order.isSettled(which)) {
            close(which, micros, false);
        }
    }

    /**
     * Only resets from one side so far: the SYN they refuse may be captured late, and then says
     * what they are.
     */
    private static boolean isLone(ConnectionRow which) {
        return !which.is(ConnectionRow.SAW_SYN)
                && (which.intAt(ConnectionRow.UP + ConnectionRow.PACKETS) == 0
                        || which.intAt(ConnectionRow.DOWN + ConnectionRow.PACKETS) == 0)
                && !which.is(ConnectionRow.CARRIED_DATA);
    }

    private static boolean isReset(ConnectionRow which) {
        return which.is(ConnectionRow.RST_UP | ConnectionRow.RST_DOWN);
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
     * The client came, asked and left, and the server's system acknowledged nothing but its SYN:
     * the listen queue was full when the handshake ended, so that to the server this connection
     * never was.
     */
    private static boolean isNeverTaken(ConnectionRow which) {
        return which.is(ConnectionRow.FIN_UP) && isNotTakenYet(which);
    }

    /**
     * The client has asked, and the server's system has acknowledged nothing but its SYN: it has no
     * room for the connection in its listen queue, and what the client sends it drops (tcp(7),
     * tcp_abort_on_overflow).
     */
    private static boolean isNotTakenYet(ConnectionRow which) {
        return which.longAt(ConnectionRow.DOWN + ConnectionRow.UNIQUE_BYTES) == 0
                && which.is(ConnectionRow.SAW_SYN)
                && which.is(ConnectionRow.SAW_SYN_ACK)
                && (which.is(ConnectionRow.FIN_UP)
                        || which.longAt(ConnectionRow.UP + ConnectionRow.UNIQUE_BYTES) > 0)
                && !which.is(ConnectionRow.FIN_UP_ACKED
                        | ConnectionRow.FIN_DOWN
                        | ConnectionRow.RST_UP
                        | ConnectionRow.RST_DOWN)
                && which.intAt(ConnectionRow.DOWN + ConnectionRow.ACKED)
                        == which.intAt(ConnectionRow.UP + ConnectionRow.ISN) + 1;
    }

    /** … and the client has repeated what it asked: it was not only on its way. */
    private static boolean isRefusedSilently(ConnectionRow which) {
        return !which.is(ConnectionRow.CLOSED | ConnectionRow.FIN_UP)
                && which.intAt(ConnectionRow.UP + ConnectionRow.RETRANSMISSIONS) > 0
                && isNotTakenYet(which);
    }

    private ConnectionTable.TimeClass timeClass() {
        if (isNeverTaken(row)) {
            return row.is(ConnectionRow.CLOSED)
                    ? ConnectionTable.TimeClass.HANDSHAKE
                    : ConnectionTable.TimeClass.UNANSWERED;
        }
        boolean finUp = row.is(ConnectionRow.FIN_UP);
        boolean finDown = row.is(ConnectionRow.FIN_DOWN);
        if (row.is(ConnectionRow.CLOSED) || finUp && finDown || isReset(row)) {
            return ConnectionTable.TimeClass.CLOSED;
        }
        if (finUp || finDown) {
            return ConnectionTable.TimeClass.HALF_CLOSED;
        }
        if (!row.is(ConnectionRow.SAW_SYN)
                || row.is(ConnectionRow.SHOOK_HANDS | ConnectionRow.CARRIED_DATA)) {
            return isNotTakenYet(row)
                    ? ConnectionTable.TimeClass.UNANSWERED
                    : ConnectionTable.TimeClass.OPEN;
        }
        return row.is(ConnectionRow.SAW_SYN_ACK)
                ? ConnectionTable.TimeClass.HANDSHAKE
                : ConnectionTable.TimeClass.UNANSWERED;
    }

    private void close(ConnectionRow which, long micros, boolean silent) {
        if (which.is(ConnectionRow.REQUEST_RESTING)) {
            // The end of its request is told, so it must wait again before.
            resume(which, micros);
        }
        boolean resting = which.is(ConnectionRow.RESTING);
        which.unmark(ConnectionRow.RESTING);
        which.mark(ConnectionRow.CLOSED);
        boolean timedOut = silent && isOwedSomething(which);
        dialogue.closed(which, micros);
        listener.closed(
                which.service(),
                micros,
                ConnectionRecordBuilder.state(which),
                which.longAt(ConnectionRow.LAST) - which.longAt(ConnectionRow.START),
                timedOut,
                resting);
    }

    /**
     * Whether somebody still waits for the other side: the handshake, the second FIN, or an answer
     * is missing.
     */
    private boolean isOwedSomething(ConnectionRow which) {
        return switch (ConnectionRecordBuilder.state(which)) {
            case HALF_OPEN, HALF_CLOSED -> true;
            case OPEN, MIDSTREAM -> dialogue.isUnanswered(which);
            default -> false;
        };
    }

    /** @param silent nothing came for longer than its time-out */
    private void finish(ConnectionRow which, boolean silent) {
        long micros = Math.max(now, which.longAt(ConnectionRow.LAST));
        order.giveUp(which, micros, true);
        streamsEnd(which, micros);
        if (!which.is(ConnectionRow.CLOSED)) {
            close(which, micros, silent);
        }
        order.release(which);
        listener.finished(writer.write(which));
        table.remove(which);
    }
}
