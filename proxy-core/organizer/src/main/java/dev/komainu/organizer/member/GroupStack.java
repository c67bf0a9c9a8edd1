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
 * The group's protocols, from the wire up, and why they are set so: joins, leaves, crashes,
 * partitions and merges are to be seen by all within three seconds ({@code docs/decisions/0070}).
 *
 * <table><caption>Where three seconds go, with detect at its 1.5 s</caption>
 * <tr><td>crash of a process</td><td>its connections break: suspected at once (enable_suspect_events)</td></tr>
 * <tr><td>crash of a host, partition</td><td>heartbeats three times in detect; silent for detect: 1.5 to 2 s ({@link FairHeartbeats})</td></tr>
 * <tr><td>the doubt</td><td>a suspect is asked itself, and has a quarter of detect, a second at most (VERIFY_SUSPECT2)</td></tr>
 * <tr><td>the view</td><td>acknowledged by all, 0.5 s at most</td></tr>
 * <tr><td>merge</td><td>parts' coordinators look for each other every 0.3 to 0.9 s and compare every second ({@link MergeGossip})</td></tr>
 * </table>
 *
 * <p>Each destination has a sender of its own (a virtual thread), and who is not connected is
 * waited for aside ({@link MemberTransport}): one that cannot be reached holds up nobody else's
 * heartbeats. Connections to who is no member are closed, so after a partition nothing waits for
 * TCP's back-off.
 *
 * <p>A seed tells whoever asks where all members are (return_entire_cache): without, two that met
 * the same seed while the group was being put together might be in one group and not know each
 * other's address. For the same reason the coordinator tells a newcomer's to all.
 */
final class GroupStack {

    /**
     * How long a newcomer waits for anybody to answer. A first connection needs a TLS handshake, on
     * a busy machine seconds; whoever gives up begins a group of his own and is merged, which costs
     * more than waiting. Asked three times in it; an answer ends it at once.
     */
    private static final int JOIN_MILLIS = 3000;

    private static final int NOBODY_TO_WAIT_FOR_MILLIS = 50;

    /**
     * For TCP's part of it: a way there and back of almost a second. Nobody else waits meanwhile
     * ({@link MemberConnector}).
     */
    private static final int CONNECT_MILLIS = 1000;

    /**
     * For a part's coordinator to answer who leads a merge, and half of it for his members to
     * answer him: twice a way there and back.
     */
    private static final int MERGE_MILLIS = 2500;

    private GroupStack() {}

    /**
     * Ready to connect.
     *
     * @param refused told why what came by multicast was no call; any thread
     * @throws Exception as JGroups says it
     */
    static JChannel channel(
            MembershipSettings settings, Credentials credentials, Consumer<String> refused)
            throws Exception {
        // JGroups 5.5.7 builds format strings with the default locale's digits (Util.print, at each
        // join). Where these are not ASCII, as under fa-IR, String.format fails and no member
        // joins.
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        JChannel channel = new JChannel(
                new ByteArrayInputStream(stack(settings).getBytes(StandardCharsets.UTF_8)));
        TCP transport = (TCP) channel.getProtocolStack().getTransport();
        transport.tls(new GroupTls(credentials.tls()));
        if (settings.multicast() != null) {
            MulticastDiscovery discovery =
                    channel.getProtocolStack().findProtocol(MulticastDiscovery.class);
            discovery.meet(settings.listen(), settings.multicast(), refused);
        }
        channel.setName(settings.member().text());
        channel.setDiscardOwnMessages(true);
        return channel;
    }

    private static String stack(MembershipSettings settings) {
        long detect = settings.detect().toMillis();
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
                detect,
                detect / 3,
                Math.min(1000, detect / 4),
                isOnlySeed(settings) ? NOBODY_TO_WAIT_FOR_MILLIS : JOIN_MILLIS,
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
