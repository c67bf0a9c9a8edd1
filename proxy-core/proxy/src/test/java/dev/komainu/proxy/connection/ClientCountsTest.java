package dev.komainu.proxy.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.proxy.connection.ClientCounts.Entry;
import java.net.InetAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Limits of connections, and the counts at the limits. */
class ClientCountsTest {

    private static final InetAddress A = InetAddress.ofLiteral("192.0.2.1");
    private static final InetAddress B = InetAddress.ofLiteral("192.0.2.2");

    private static ClientCounts counts(int all, int perClient) {
        return new ClientCounts(GivenConnections.of(
                Map.of("connections.max", all, "connections.max-per-client", perClient)));
    }

    @Test
    void enter_beyondTheLimitOfAll_isRefusedUntilOneLeaves() {
        ClientCounts counts = counts(2, 10);
        assertThat(counts.enter(A)).isEqualTo(Entry.ENTERED);
        assertThat(counts.enter(B)).isEqualTo(Entry.ENTERED);
        assertThat(counts.enter(B)).isEqualTo(Entry.FULL);
        counts.refuse(Entry.FULL);
        counts.leave(A);
        assertThat(counts.enter(B)).isEqualTo(Entry.ENTERED);
        assertThat(counts.open()).isEqualTo(2);
        assertThat(counts.refused()).isEqualTo(1);
        assertThat(counts.refusedPerClient()).isZero();
    }

    @Test
    void enter_beyondTheClientsLimit_isRefused_othersEnter() {
        ClientCounts counts = counts(10, 1);
        assertThat(counts.enter(A)).isEqualTo(Entry.ENTERED);
        assertThat(counts.enter(A)).isEqualTo(Entry.CLIENT_FULL);
        counts.refuse(Entry.CLIENT_FULL);
        assertThat(counts.enter(B)).isEqualTo(Entry.ENTERED);
        assertThat(counts.open()).isEqualTo(2);
        assertThat(counts.refusedPerClient()).isEqualTo(1);
        assertThat(counts.refused()).isEqualTo(1);
        counts.leave(A);
        assertThat(counts.enter(A)).isEqualTo(Entry.ENTERED);
    }

    @Test
    void enter_ipv6_isCountedByItsNetwork() {
        ClientCounts counts = counts(10, 1);
        assertThat(counts.enter(InetAddress.ofLiteral("2001:db8::1"))).isEqualTo(Entry.ENTERED);
        assertThat(counts.enter(InetAddress.ofLiteral("2001:db8::ffff:2")))
                .isEqualTo(Entry.CLIENT_FULL);
        assertThat(counts.enter(InetAddress.ofLiteral("2001:db8:0:1::1"))).isEqualTo(Entry.ENTERED);
    }

    @Test
    void setLimits_later_countsOpenConnections() {
        ClientCounts counts = counts(10, 10);
        counts.enter(A);
        counts.enter(A);
        counts.setLimits(GivenConnections.of(
                Map.of("connections.max", 10, "connections.max-per-client", 2)));
        assertThat(counts.enter(A)).isEqualTo(Entry.CLIENT_FULL);
        assertThat(counts.enter(B)).isEqualTo(Entry.ENTERED);
        counts.leave(A);
        assertThat(counts.enter(A)).isEqualTo(Entry.ENTERED);
    }

    @Test
    void enterInPlace_beyondTheLimitOfAll_countsButNotBeyondTheClients() {
        ClientCounts counts = counts(1, 1);
        counts.enter(A);
        assertThat(counts.enter(A))
                .as("another's place is of no use to it")
                .isEqualTo(Entry.CLIENT_FULL);
        assertThat(counts.enter(B)).isEqualTo(Entry.FULL);
        assertThat(counts.enterInPlace(B)).isEqualTo(Entry.ENTERED);
        assertThat(counts.open()).as("until the one that closes is gone").isEqualTo(2);
        counts.leave(A);
        assertThat(counts.open()).isEqualTo(1);
        assertThat(counts.enterInPlace(B)).isEqualTo(Entry.CLIENT_FULL);
        assertThat(counts.open()).isEqualTo(1);
    }

    @Test
    void ofBoth_originsCountTowardsTheLimitOfAll() {
        ClientCounts counts = new ClientCounts(GivenConnections.of(Map.of(
                "connections.max",
                2,
                "connections.max-of",
                "both",
                "connections.max-per-client",
                10)));
        int[] room = {0};
        counts.onRoom(() -> room[0]++);
        assertThat(counts.enter(A)).isEqualTo(Entry.ENTERED);
        counts.originOpens();
        assertThat(counts.enter(B)).isEqualTo(Entry.FULL);
        assertThat(counts.counted()).isEqualTo(2);
        assertThat(counts.open()).as("clients").isOne();
        counts.originOpens();
        counts.originCloses();
        assertThat(room[0]).as("three were open").isZero();
        counts.originCloses();
        assertThat(room[0]).isOne();
        assertThat(counts.enter(B)).isEqualTo(Entry.ENTERED);
    }
}
