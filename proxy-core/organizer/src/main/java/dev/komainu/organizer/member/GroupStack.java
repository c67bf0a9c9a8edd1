package dev.komainu.organizer.member;

import java.io.ByteArrayInputStream;
import java.net.Inet6Address;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jgroups.JChannel;
import org.jgroups.protocols.TCP;

/**
 * The protocol stack of the group, from the network up, with the reason of each value: all members
 * see joins, leaves, crashes, partitions and merges within three seconds
 * ({@code docs/decisions/0070}).
 *
 * <table><caption>The parts of three seconds, with detect at its 1.5 s</caption>
 * <tr><td>crash of a process</td><td>its connections break: suspected at once (enable_suspect_events)</td></tr>
 * <tr><td>crash of a host, partition</td><td>three heartbeats in detect; silent for detect: 1.5 to 2 s ({@link FairHeartbeats})</td></tr>
 * <tr><td>verification</td><td>the suspect itself is asked, and has a quarter of detect, at most a second (VERIFY_SUSPECT2)</td></tr>
 * <tr><td>the view</td><td>acknowledged by all, at most 0.5 s</td></tr>
 * <tr><td>merge</td><td>the parts' coordinators look for each other every 0.3 to 0.9 s and compare views every second ({@link MergeGossip})</td></tr>
 * </table>
 *
 * <p>Each destination has a sender of its own (a virtual thread), and messages for a member that is
 * not connected wait aside ({@link MemberConnector}): an unreachable member does not delay the
 * heartbeats to others. Connections to processes that are not members are closed, so after a
 * partition nothing waits for TCP's back-off.
 *
 * <p>A seed tells each requesting member the addresses of all members (return_entire_cache).
 * Otherwise two members that met the same seed while the group was forming might be in one group
 * without each other's address. For the same reason the coordinator sends a new member's address to
 * all.
 */
final class GroupStack {

    /**
     * Time that a joining member waits for an answer. A first connection needs a TLS handshake,
     * which takes seconds on a busy machine. A member that gives up starts a group of its own and
     * is merged, which costs more than waiting. It asks three times within this time; an answer
     * ends the wait at once.
     */
    private static final int JOIN_MILLIS = 3000;

    private static final int ONLY_SEED_JOIN_MILLIS = 50;

    /**
     * Timeout of TCP's connect: a round trip of almost a second. Other members do not wait
     * meanwhile ({@link MemberConnector}).
     */
    private static final int CONNECT_MILLIS = 1000;

    /**
     * Time for a part's coordinator to answer the merge leader, and half of it for its members to
     * answer it: two round trips.
     */
    private static final int MERGE_MILLIS = 2500;

    private GroupStack() {}

    /**
     * Creates a channel that is ready to connect.
     *
     * @param refused gets the reason why a multicast datagram was refused; any thread
     * @throws Exception from JGroups
     */
    static JChannel channel(
            MembershipSettings settings, Credentials credentials, Consumer<String> refused)
            throws Exception {
        // JGroups 5.5.7 builds format strings with the default locale's digits (Util.print, at each
        // join). Where these are not ASCII, as under fa-IR, String.format fails and no member
        // joins.
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        GroupMessages.restrict();
        JChannel channel = new JChannel(
                new ByteArrayInputStream(stack(settings).getBytes(StandardCharsets.UTF_8)));
        TCP transport = (TCP) channel.getProtocolStack().getTransport();
        transport.tls(new GroupTls(credentials.tls(), credentials.peers()));
        if (settings.multicast() != null) {
            MulticastDiscovery discovery =
                    channel.getProtocolStack().findProtocol(MulticastDiscovery.class);
            discovery.configure(settings.listen(), settings.multicast(), refused);
        }
        channel.setName(settings.member().text());
        channel.setDiscardOwnMessages(true);
        return channel;
    }

    /** Closes a channel with all its connections. */
    static void close(JChannel channel) {
        TCP transport = (TCP) channel.getProtocolStack().getTransport();
        channel.close();
        if (transport.tls() instanceof GroupTls tls) {
            tls.close();
        }
    }

    private static String stack(MembershipSettings settings) {
        long detectMillis = settings.detect().toMillis();
        return String.format(
                Locale.ROOT,
                """
                <config xmlns="urn:org:jgroups">
                  <dev.komainu.organizer.member.MemberTransport bind_addr="%s" listen="%s" bind_port="%d" port_range="0" tcp_nodelay="true" sock_conn_timeout="%d"
                       peer_addr_read_timeout="2000" max_length="8000000" enable_suspect_events="true" log_details="false" log_accept_error="false"
                       bundler_type="per-destination" bundler.use_single_sender_thread="false"
                       use_virtual_threads="true" diag.enabled="false"/>
                  %s
                  <dev.komainu.organizer.member.MergeGossip min_interval="300" max_interval="600"/>
                  <dev.komainu.organizer.member.FairHeartbeats timeout="%d" interval="%d"/>
                  <VERIFY_SUSPECT2 timeout="%d"/>
                  <pbcast.NAKACK2 use_mcast_xmit="false" xmit_interval="200"/>
                  <UNICAST3 xmit_interval="200"/>
                  <pbcast.STABLE desired_avg_gossip="5000" max_bytes="4M"/>
                  <pbcast.GMS print_local_addr="false" join_timeout="%d" leave_timeout="500" merge_timeout="%d"
                              view_ack_collection_timeout="500" log_view_warnings="false"/>
                  <FRAG2 frag_size="60K"/>
                </config>
                """,
                settings.listen().getAddress() instanceof Inet6Address ? "::1" : "127.0.0.1",
                settings.listen().getAddress().getHostAddress(),
                settings.listen().getPort(),
                CONNECT_MILLIS,
                discovery(settings),
                detectMillis,
                detectMillis / 3,
                Math.min(1000, detectMillis / 4),
                isOnlySeed(settings) ? ONLY_SEED_JOIN_MILLIS : JOIN_MILLIS,
                MERGE_MILLIS);
    }

    private static boolean isOnlySeed(MembershipSettings settings) {
        return settings.multicast() == null
                && settings.seeds().stream()
                        .allMatch(seed -> seed.getPort() == settings.listen().getPort()
                                && seed.getHostString()
                                        .equals(settings.listen().getAddress().getHostAddress()));
    }

    private static String discovery(MembershipSettings settings) {
        if (settings.multicast() != null) {
            return """
                    <dev.komainu.organizer.member.MulticastDiscovery num_discovery_runs="3"/>
                    """;
        }
        String seeds = settings.seeds().stream()
                .map(seed -> seed.getHostString() + "[" + seed.getPort() + "]")
                .collect(Collectors.joining(","));
        return String.format(Locale.ROOT, """
                <TCPPING initial_hosts="%s" port_range="0" max_dynamic_hosts="1000" return_entire_cache="true"
                         send_cache_on_join="true" num_discovery_runs="3"/>
                """, seeds);
    }
}
