package dev.komainu.organizer.member;

import dev.komainu.organizer.route.MemberId;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingReader;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The settings of membership.
 *
 * @param cluster name of the cluster, a label like a member's
 * @param member this member's name, unique in the cluster
 * @param listen address at which other members reach this one: an address of this host, no wildcard
 * @param seeds addresses of some members; need not be all. Empty: multicast
 * @param multicast group and port by which members find each other; absent: seeds
 * @param detect time after which a silent member counts as lost. Shorter pauses are tolerated
 */
public record MembershipSettings(
        String cluster,
        MemberId member,
        InetSocketAddress listen,
        List<InetSocketAddress> seeds,
        @Nullable InetSocketAddress multicast,
        Duration detect) {

    private static final int PORT = 7690;
    private static final String NAME = "the other members know this member by it";
    private static final String GROUP = "the group is joined with it";

    static final Setting<MemberId> MEMBER = Setting.of(
                    "member", "1–63 of a-z, 0-9, inner `-`", MemberId::new)
            .byDefaultOf("host name up to its first dot")
            .atStart(NAME)
            .effect("Name of this member; unique in the cluster");
    static final Setting<String> CLUSTER = Setting.of(
                    "cluster", "as `member`", text -> new MemberId(text).text())
            .byDefault("komainu")
            .atStart(NAME)
            .effect("Name of the cluster; members with another cluster name are ignored");
    static final Setting<InetSocketAddress> LISTEN = Setting.of(
                    "listen",
                    "ADDRESS[:PORT], no wildcard; default port 7690",
                    MembershipSettings::reached)
            .atStart("sockets are opened at the start")
            .effect("Address at which other members reach this one");
    static final Setting<List<InetSocketAddress>> SEEDS = Setting.of(
                    "meet.seeds",
                    "HOST[:PORT]; default port 7690",
                    text -> SettingGrammar.hostAndPort(text, PORT))
            .list()
            .atStart(GROUP)
            .effect("Addresses of other members; one that is running is enough")
            .detail("""
                    While this member runs, it remembers the members that it has met. Prefer
                    addresses to host names: they work also while the name server is down.""");
    static final Setting<InetSocketAddress> MULTICAST = Setting.of(
                    "meet.multicast",
                    "multicast ADDRESS:PORT, of `listen`'s family",
                    MembershipSettings::group)
            .atStart(GROUP)
            .effect("Multicast address at which members find each other; set either this or "
                    + "`meet.seeds`")
            .detail("""
                    See [How they meet](../organizer.md#how-they-meet).""");
    static final Setting<Duration> DETECT = Setting.duration("detect", "500ms", "60s")
            .byDefault("1500ms")
            .atStart(GROUP)
            .effect("Time after which a silent member counts as lost")
            .detail("""
                    A killed process is detected at once.""");

    public MembershipSettings {
        seeds = List.copyOf(seeds);
    }

    /** Reads the settings; null when a mistake was noted that leaves none. */
    public static @Nullable MembershipSettings read(SettingReader reader) {
        MemberId member = member(reader);
        String cluster = reader.get(CLUSTER);
        InetSocketAddress listen = reader.find(LISTEN);
        reader.require(LISTEN, "the ADDRESS[:PORT] at which other members reach this one");
        List<InetSocketAddress> seeds = reader.find(SEEDS);
        InetSocketAddress multicast = reader.find(MULTICAST);
        Duration detect = reader.get(DETECT);
        boolean bySeeds = reader.isGiven(SEEDS) && (seeds == null || !seeds.isEmpty());
        if (bySeeds == reader.isGiven(MULTICAST)) {
            reader.mistake(
                    "meet: " + (bySeeds ? "seeds and multicast" : "neither seeds nor multicast")
                            + " (expected: one of the two)");
        }
        if (member == null || listen == null) {
            return null;
        }
        if (multicast != null
                && multicast.getAddress() instanceof Inet6Address
                        != listen.getAddress() instanceof Inet6Address) {
            reader.mistake(
                    MULTICAST,
                    multicast.getHostString() + ":" + multicast.getPort(),
                    "of the same family as listen, IPv4 or IPv6");
        }
        return new MembershipSettings(
                cluster, member, listen, seeds == null ? List.of() : seeds, multicast, detect);
    }

    private static @Nullable MemberId member(SettingReader reader) {
        if (reader.isGiven(MEMBER)) {
            return reader.find(MEMBER);
        }
        String name = "";
        try {
            name = InetAddress.getLocalHost().getHostName().toLowerCase(Locale.ROOT);
            int dot = name.indexOf('.');
            return reader.get(MEMBER, new MemberId(dot < 0 ? name : name.substring(0, dot)));
        } catch (UnknownHostException | IllegalArgumentException e) {
            reader.mistake(
                    MEMBER,
                    "none, and the host name cannot be used: " + name,
                    "1 to 63 of a-z, 0-9, and hyphens inside");
            return reader.find(MEMBER);
        }
    }

    private static InetSocketAddress reached(String text) {
        InetSocketAddress address = SettingGrammar.address(text, PORT);
        if (address.getAddress().isAnyLocalAddress()) {
            throw SettingGrammar.wrong(
                    text, "the ADDRESS:PORT at which other members reach this one, no wildcard");
        }
        return address;
    }

    private static InetSocketAddress group(String text) {
        InetSocketAddress address = SettingGrammar.address(text, PORT);
        if (!address.getAddress().isMulticastAddress()) {
            throw SettingGrammar.wrong(text, "a multicast ADDRESS:PORT, such as 239.192.7.69:7690");
        }
        return address;
    }
}
