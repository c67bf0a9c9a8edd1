package dev.komainu.organizer.member;

import dev.komainu.organizer.route.MemberId;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What tunes membership.
 *
 * @param cluster its name, a label as a member's
 * @param member this member's name, another for each
 * @param listen where other members reach this one: an address of this host, no wildcard
 * @param seeds where to look for members, HOST:PORT; need not be all. Empty: by multicast
 * @param multicast group and port by which members find each other; absent: by seeds
 * @param detect how soon a silent member counts as gone: 500 ms to 60 s (1,500 ms). Shorter pauses than this are forgiven
 */
public record MembershipSettings(
        String cluster,
        MemberId member,
        InetSocketAddress listen,
        List<InetSocketAddress> seeds,
        @Nullable InetSocketAddress multicast,
        Duration detect) {

    public static final Duration DETECT = Duration.ofMillis(1500);

    public MembershipSettings {
        seeds = List.copyOf(seeds);
    }

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        try {
            MemberId unused = new MemberId(cluster);
        } catch (IllegalArgumentException e) {
            problems.add("cluster: " + e.getMessage());
        }
        if (listen.isUnresolved() || listen.getAddress().isAnyLocalAddress()) {
            problems.add("listen: " + listen.getHostString() + ":" + listen.getPort()
                    + " (expected: the ADDRESS:PORT where other members reach this one, no wildcard)");
        }
        if (seeds.isEmpty() == (multicast == null)) {
            problems.add("meet: "
                    + (multicast == null ? "neither seeds nor multicast" : "seeds and multicast")
                    + " (expected: one of the two)");
        }
        if (multicast != null
                && (multicast.isUnresolved() || !multicast.getAddress().isMulticastAddress())) {
            problems.add("meet.multicast: " + multicast.getHostString() + ":" + multicast.getPort()
                    + " (expected: a multicast ADDRESS:PORT, such as 239.192.7.69:7690)");
        }
        if (multicast != null
                && !multicast.isUnresolved()
                && !listen.isUnresolved()
                && multicast.getAddress() instanceof Inet6Address != listen.getAddress() instanceof Inet6Address) {
            problems.add("meet.multicast: " + multicast.getHostString() + ":" + multicast.getPort()
                    + " (expected: of the same family as listen, IPv4 or IPv6)");
        }
        if (detect.toMillis() < 500 || detect.toSeconds() > 60) {
            problems.add("detect: " + detect.toMillis() + " ms (expected: 500 to 60000)");
        }
    }
}
