package dev.komainu.organizer;

import dev.komainu.organizer.member.MemberView;
import dev.komainu.organizer.member.MembershipSettings;
import dev.komainu.organizer.service.ServiceEntry;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What an organizer that has started says of itself, for who started it: a line each for what it
 * serves, where it listens, and whom it found.
 */
final class StartupMessage {

    private StartupMessage() {}

    /**
     * As the addresses are in fact.
     *
     * @param line where peers reach it
     * @param withoutQuic why not over QUIC; empty: over that, too
     * @param front absent: no front door
     * @param control absent: no control endpoint
     * @param stopped its servers that take no connections, HOST:PORT
     * @param members all there are, this one among them
     */
    static List<String> lines(
            OrganizerSettings settings,
            InetSocketAddress line,
            String withoutQuic,
            @Nullable InetSocketAddress front,
            @Nullable InetSocketAddress control,
            List<String> stopped,
            List<MemberView> members) {
        MembershipSettings membership = settings.membership();
        List<String> lines = new ArrayList<>();
        lines.add("Komainu organizer " + membership.member() + " of cluster " + membership.cluster()
                + " listens at " + text(membership.listen()));
        if (settings.serve().isEmpty()) {
            lines.add("  serves   nothing, it only asks others");
        }
        for (OrganizerSettings.Serve one : settings.serve()) {
            String server = one.host() + ":" + one.port();
            lines.add("  serves   " + one.route().prefix()
                    + (one.isHere() ? "" : " from " + server)
                    + (stopped.contains(server) ? ", which takes no connections now" : ""));
        }
        for (ServiceEntry one : settings.services()) {
            lines.add("  service  " + one.protocol().text() + " " + one.service() + " at "
                    + text(one.listen()));
        }
        lines.add("  front    "
                + (front == null
                        ? "none, it takes no requests of clients"
                        : "http://" + text(front)));
        lines.add("  line     " + text(line) + ", over TCP"
                + (withoutQuic.isEmpty() ? " and QUIC" : " (" + withoutQuic + ")"));
        lines.add("  control  " + (control == null ? "none" : "http://" + text(control)));
        String others = members.stream()
                .filter(member -> !member.self())
                .map(member -> member.announcement().member().text())
                .collect(Collectors.joining(", "));
        lines.add("  members  "
                + (others.isEmpty()
                        ? "nobody else yet, looks for them " + where(membership)
                        : others));
        return lines;
    }

    private static String where(MembershipSettings membership) {
        return membership.multicast() == null
                ? "at "
                        + membership.seeds().stream()
                                .map(seed -> seed.getHostString() + ":" + seed.getPort())
                                .collect(Collectors.joining(", "))
                : "by multicast to " + text(membership.multicast());
    }

    private static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
