package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineAddress;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.line.endpoint.LineFigures;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.ClusterRouteTable;
import dev.komainu.organizer.route.LineEndpoint;
import dev.komainu.organizer.route.MemberId;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The lines of one event loop to the other members. Used on the loop. */
final class MemberLines {

    /**
     * A member that has left the table may still answer requests in progress. Its line is closed
     * after this number of sweeps, 30 s.
     */
    private static final int SWEEPS_BEFORE_CLOSE = 120;

    private final EventLoop loop;
    private final LineSettings settings;
    private final @Nullable LineTls tls;
    private final Map<MemberId, MemberLine> lines = new HashMap<>();

    /** A line, and the number of sweeps since its member has left the table. */
    private static final class MemberLine {
        private final LineEndpoint endpoint;
        private final Line line;
        private int absent;

        MemberLine(LineEndpoint endpoint, Line line) {
            this.endpoint = endpoint;
            this.line = line;
        }
    }

    /**
     * Creates an empty set of lines.
     *
     * @param tls null: lines without TLS
     */
    MemberLines(EventLoop loop, LineSettings settings, @Nullable LineTls tls) {
        this.loop = loop;
        this.settings = settings;
        this.tls = tls;
    }

    /**
     * Closes the lines of members that left the table long ago.
     *
     * @param opens whether lines are opened before the first request needs them: a full TLS
     *     handshake takes longer than a request should wait
     */
    void sweep(ClusterRouteTable table, MemberId self, boolean opens) {
        Set<MemberId> present = new HashSet<>();
        for (Announcement announcement : table.announcements()) {
            present.add(announcement.member());
            if (opens
                    && !announcement.routes().isEmpty()
                    && !announcement.member().equals(self)) {
                line(announcement.member(), announcement.line());
            }
        }
        lines.entrySet().removeIf(entry -> {
            MemberLine memberLine = entry.getValue();
            memberLine.absent = present.contains(entry.getKey()) ? 0 : memberLine.absent + 1;
            if (memberLine.absent > SWEEPS_BEFORE_CLOSE) {
                memberLine.line.close();
            }
            return memberLine.absent > SWEEPS_BEFORE_CLOSE;
        });
    }

    /** Returns the line to a member and opens it if necessary; null: the address is invalid. */
    @Nullable
    Line line(MemberId member, LineEndpoint endpoint) {
        MemberLine memberLine = lines.get(member);
        if (memberLine != null && memberLine.endpoint.equals(endpoint)) {
            return memberLine.line;
        }
        InetAddress address;
        try {
            // Members announce addresses, not names: this call does not query a name server.
            address = InetAddress.getByName(endpoint.host());
        } catch (UnknownHostException e) {
            return null;
        }
        if (memberLine != null) {
            memberLine.line.close();
        }
        Line line = new Line(
                loop, new LineAddress(address, endpoint.port(), member.text()), settings, tls);
        lines.put(member, new MemberLine(endpoint, line));
        return line;
    }

    /** Makes all connections again, with the current certificate. */
    void renew() {
        lines.values().forEach(memberLine -> memberLine.line.renew());
    }

    List<LineFigures> figures() {
        return lines.values().stream()
                .map(memberLine -> memberLine.line.figures())
                .toList();
    }

    void close() {
        lines.values().forEach(memberLine -> memberLine.line.close());
        lines.clear();
    }
}
