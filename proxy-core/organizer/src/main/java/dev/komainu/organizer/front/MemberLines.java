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

/** One event loop's lines to the other members. On the loop. */
final class MemberLines {

    /**
     * A member that left the table may still answer what it was asked: its line is closed after so
     * many sweeps, 30 s.
     */
    private static final int SWEEPS_KEPT = 120;

    private final EventLoop loop;
    private final LineSettings settings;
    private final @Nullable LineTls tls;
    private final Map<MemberId, Kept> lines = new HashMap<>();

    /** A line, and for how many sweeps its member is not in the table. */
    private static final class Kept {
        private final LineEndpoint to;
        private final Line line;
        private int absent;

        Kept(LineEndpoint to, Line line) {
            this.to = to;
            this.line = line;
        }
    }

    /** @param tls null: lines in the clear */
    MemberLines(EventLoop loop, LineSettings settings, @Nullable LineTls tls) {
        this.loop = loop;
        this.settings = settings;
        this.tls = tls;
    }

    /**
     * Closes lines of members that are long gone.
     *
     * @param opens whether lines are opened before the first request needs them: TLS from nothing
     *     takes longer than a request should wait
     */
    void sweep(ClusterRouteTable table, MemberId self, boolean opens) {
        Set<MemberId> present = new HashSet<>();
        for (Announcement announcement : table.announcements()) {
            present.add(announcement.member());
            if (opens
                    && !announcement.routes().isEmpty()
                    && !announcement.member().equals(self)) {
                to(announcement.member(), announcement.line());
            }
        }
        lines.entrySet().removeIf(entry -> {
            Kept kept = entry.getValue();
            kept.absent = present.contains(entry.getKey()) ? 0 : kept.absent + 1;
            if (kept.absent > SWEEPS_KEPT) {
                kept.line.close();
            }
            return kept.absent > SWEEPS_KEPT;
        });
    }

    /**
     * The line to a member, made when the table names it, or when it is first needed. Null when its
     * address is none.
     */
    @Nullable
    Line to(MemberId member, LineEndpoint endpoint) {
        Kept kept = lines.get(member);
        if (kept != null && kept.to.equals(endpoint)) {
            return kept.line;
        }
        InetAddress address;
        try {
            // Members tell addresses, not names: nothing is asked of a name server here.
            address = InetAddress.getByName(endpoint.host());
        } catch (UnknownHostException e) {
            return null;
        }
        if (kept != null) {
            kept.line.close();
        }
        Line made = new Line(
                loop, new LineAddress(address, endpoint.port(), member.text()), settings, tls);
        lines.put(member, new Kept(endpoint, made));
        return made;
    }

    List<LineFigures> figures() {
        return lines.values().stream().map(kept -> kept.line.figures()).toList();
    }

    void close() {
        lines.values().forEach(kept -> kept.line.close());
        lines.clear();
    }
}
