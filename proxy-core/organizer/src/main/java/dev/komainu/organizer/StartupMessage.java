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
 * The startup message for the operator: one line each for the served prefixes, the listening
 * addresses and the known members.
 */
final class StartupMessage {

    private StartupMessage() {}

    /**
     * Returns the lines of the message, with the actual addresses.
     *
     * @param line address for peers
     * @param withoutQuic why peers cannot use QUIC; empty: they can
     * @param front null: no address for clients
     * @param control null: no control endpoint
     * @param isControlEncrypted whether the control endpoint uses TLS
     * @param stopped own servers that refuse connections, HOST:PORT
     * @param members all known members, including this one
     */
    static List<String> lines(
            OrganizerSettings settings,
            InetSocketAddress line,
            String withoutQuic,
            @Nullable InetSocketAddress front,
            @Nullable InetSocketAddress control,
            boolean isControlEncrypted,
            List<String> stopped,
            List<MemberView> members) {
        MembershipSettings membership = settings.membership();
        List<String> lines = new ArrayList<>();
        lines.add("Komainu organizer " + membership.member() + " of cluster " + membership.cluster()
                + " listens at " + text(membership.listen()));
        if (settings.serve().isEmpty()) {
            lines.add("  serves   nothing, it only forwards requests");
        }
        for (OrganizerSettings.Serve entry : settings.serve()) {
            String server = entry.host() + ":" + entry.port();
            lines.add("  serves   " + entry.route().prefix()
                    + (entry.isHere() ? "" : " from " + server)
                    + (stopped.contains(server) ? ", which does not accept connections now" : ""));
        }
        for (ServiceEntry entry : settings.services()) {
            lines.add("  service  " + entry.protocol().text() + " " + entry.service() + " at "
                    + text(entry.listen()));
        }
        lines.add("  front    "
                + (front == null
                        ? "none, it accepts no requests of clients"
                        : "http://" + text(front)));
        lines.add("  line     " + text(line) + ", over TCP"
                + (withoutQuic.isEmpty() ? " and QUIC" : " (" + withoutQuic + ")"));
        lines.add("  control  "
                + (control == null
                        ? "none"
                        : (isControlEncrypted ? "https://" : "http://") + text(control)));
        String others = members.stream()
                .filter(member -> !member.self())
                .map(member -> member.announcement().member().text())
                .collect(Collectors.joining(", "));
        lines.add("  members  "
                + (others.isEmpty()
                        ? "no other member yet, searching " + searched(membership)
                        : others));
        return lines;
    }

    private static String searched(MembershipSettings membership) {
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
