package dev.komainu.central.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.limit.LimitedConnections.Stage;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the stages of connections: who loses its place to whom, and when. */
class LimitedConnectionsTest {

    private static final InetAddress ADMINISTRATOR = InetAddress.ofLiteral("192.0.2.1");
    private static final int PER_ADDRESS = RequestLimit.UNFINISHED_PER_ADDRESS.value();

    private final Refusals refusals = new Refusals(new SimpleMeterRegistry());
    private final List<String> cut = new ArrayList<>();
    private long now;
    private final LimitedConnections connections = new LimitedConnections(
            refusals, address -> address.getHostAddress().equals("10.0.0.1"), () -> now);

    /** Opens a connection on which half a head came. */
    private LimitedConnection open(String name, String address) {
        LimitedConnection connection = silent(name, address);
        connection.requestBegins();
        connection.waits();
        return connection;
    }

    private LimitedConnection silent(String name, String address) {
        return connections.opened(
                name,
                InetAddress.ofLiteral(address),
                outputToo -> cut.add(name + (outputToo ? "" : " input")));
    }

    @Test
    void slowConnections_oneAddress_loseTheirOldest_nobodyElseDoes() {
        open("administrator", ADMINISTRATOR.getHostAddress());

        for (int i = 0; i < PER_ADDRESS + 2; i++) {
            open("slow " + i, "192.0.2.66");
        }

        assertThat(cut).containsExactly("slow 0", "slow 1");
        assertThat(refusals.of(Refusal.UNFINISHED_CONNECTIONS)).isEqualTo(2);
    }

    @Test
    void slowConnections_manyAddresses_loseTheirOldest() {
        for (int i = 0; i <= RequestLimit.UNFINISHED_CONNECTIONS.value(); i++) {
            open("slow " + i, "198.18." + i / 250 + "." + (i % 250 + 1));
        }

        assertThat(cut).containsExactly("slow 0");
    }

    @Test
    void newConnection_ofTheAddressOfSlowOnes_isNotTheOneThatIsCut() {
        LimitedConnection administrator = silent("administrator", "127.0.0.1");
        for (int i = 0; i < 2 * PER_ADDRESS; i++) {
            open("slow " + i, "127.0.0.1");
        }
        administrator.requestBegins();
        for (int i = 0; i < 1_000; i++) {
            silent("silent " + i, "127.0.0.1");
        }
        administrator.headComplete(false);

        assertThat(cut)
                .contains("slow 0", "silent 0")
                .doesNotContain("administrator", "slow " + (2 * PER_ADDRESS - 1));
    }

    @Test
    void silentConnection_isCutAfterATotalTime() {
        silent("silent", "192.0.2.66");
        now += RequestLimit.HEAD_TIME.time().toNanos() + 1;

        connections.sweep();

        assertThat(cut).containsExactly("silent");
    }

    @Test
    void authenticatedCaller_slowConnectionsOfTheSameAddress_isNeverCut() {
        LimitedConnection administrator = open("administrator", "127.0.0.1");
        administrator.headComplete(true);
        administrator.authenticated("admin");

        for (int i = 0; i < 10 * PER_ADDRESS; i++) {
            open("slow " + i, "127.0.0.1");
        }
        now += Duration.ofHours(1).toNanos();
        connections.sweep();

        assertThat(cut).isNotEmpty().doesNotContain("administrator", "administrator input");
    }

    @Test
    void ipv6_addressesOfOneNetwork_countAsOne() {
        for (int i = 0; i <= PER_ADDRESS; i++) {
            open("slow " + i, "2001:db8::" + Integer.toHexString(i + 1));
        }
        open("other", "2001:db8:0:1::1");

        assertThat(cut).containsExactly("slow 0");
    }

    @Test
    void trustedProxy_hasNoLimitOfItsAddress() {
        for (int i = 0; i <= PER_ADDRESS; i++) {
            open("client " + i, "10.0.0.1");
        }

        assertThat(cut).isEmpty();
    }

    @Test
    void headThatDrips_isCutAfterATotalTime_notAfterEachByte() {
        LimitedConnection dripping = open("dripping", "192.0.2.66");
        for (int i = 0; i < 5; i++) {
            now += RequestLimit.HEAD_TIME.time().toNanos() / 5;
            dripping.requestBegins(); // a byte came
            dripping.waits();
            connections.sweep();
        }
        assertThat(cut).isEmpty();

        now++;
        connections.sweep();

        assertThat(cut).containsExactly("dripping");
        assertThat(refusals.of(Refusal.HEAD_TIME)).isEqualTo(1);
    }

    @Test
    void bodyThatDrips_isCutInItsInputOnly_soThatItGetsItsResponse() {
        LimitedConnection dripping = open("dripping", "192.0.2.66");
        now += RequestLimit.HEAD_TIME.time().toNanos();
        dripping.headComplete(true);
        dripping.awaitsBody();
        now += RequestLimit.HEAD_TIME.time().toNanos() / 2;
        dripping.awaitsBody(); // a byte came
        now += RequestLimit.HEAD_TIME.time().toNanos() / 2;
        connections.sweep();
        assertThat(cut).isEmpty();

        now++;
        connections.sweep();

        assertThat(cut).containsExactly("dripping input");
        assertThat(dripping.cutFor()).isEqualTo(Refusal.BODY_TIME);
    }

    @Test
    void bodyThatTheServiceDoesNotReadYet_isNotLate() {
        LimitedConnection waiting = open("waiting", "192.0.2.66");
        waiting.headComplete(true);
        now += 3 * RequestLimit.HEAD_TIME.time().toNanos();

        connections.sweep();

        assertThat(cut).isEmpty();
    }

    @Test
    void responseThatIsNotTaken_byAStranger_isCut() {
        open("stranger", "192.0.2.66").headComplete(false);
        now += RequestLimit.STRANGER_RESPONSE_TIME.time().toNanos() + 1;

        connections.sweep();

        assertThat(cut).containsExactly("stranger");
        assertThat(refusals.of(Refusal.RESPONSE_TIME)).isEqualTo(1);
    }

    @Test
    void idleConnections_beyondTheirLimit_loseTheOneIdleLongest() {
        for (int i = 0; i <= RequestLimit.IDLE_PER_ADDRESS.value(); i++) {
            open("idle " + i, "192.0.2.66").idles();
        }

        assertThat(cut).containsExactly("idle 0");
        assertThat(connections.count(Stage.IDLE)).isEqualTo(RequestLimit.IDLE_PER_ADDRESS.value());
    }

    @Test
    void idleConnectionsOfCallers_loseNothingToStrangers() {
        for (int agent = 0; agent < RequestLimit.CALLER_IDLE_CONNECTIONS.value(); agent++) {
            idle("agent " + agent, "192.0.2.66", "agent@" + agent);
        }
        for (int i = 0; i < 10 * RequestLimit.IDLE_PER_ADDRESS.value(); i++) {
            open("stranger " + i, "192.0.2.66").idles();
        }
        assertThat(cut).isNotEmpty().allMatch(each -> each.startsWith("stranger"));

        idle("one more", "192.0.2.66", "agent@more");

        assertThat(cut)
                .endsWith("agent 0")
                .filteredOn(each -> each.startsWith("agent"))
                .hasSize(1);
    }

    @Test
    void idleConnectionsOfOneCaller_beyondTheirLimit_loseTheOneIdleLongest() {
        idle("other", "192.0.2.66", "agent@other");
        for (int i = 0; i <= RequestLimit.IDLE_PER_CALLER.value(); i++) {
            idle("idle " + i, "192.0.2." + i % 200, "agent@stolen");
        }

        assertThat(cut).containsExactly("idle 0");
        assertThat(connections.count(Stage.CALLER_IDLE))
                .isEqualTo(RequestLimit.IDLE_PER_CALLER.value() + 1);
    }

    @Test
    void lastRequestWithoutLogin_idleConnectionIsAStrangersAgain() {
        LimitedConnection connection = idle("logged out", "192.0.2.66", "operator");
        connection.requestBegins();
        connection.headComplete(false);
        connection.answered(false);

        connection.idles();

        assertThat(connections.count(Stage.IDLE)).isEqualTo(1);
        assertThat(connections.count(Stage.CALLER_IDLE)).isZero();
    }

    private LimitedConnection idle(String name, String address, String caller) {
        LimitedConnection connection = open(name, address);
        connection.headComplete(false);
        connection.authenticated(caller);
        connection.answered(false);
        connection.idles();
        return connection;
    }

    @Test
    void nextRequest_onAnIdleConnection_beginsItsTimeAnew() {
        LimitedConnection kept = open("kept", "192.0.2.66");
        kept.idles();
        now += Duration.ofMinutes(1).toNanos();
        connections.sweep();
        kept.requestBegins();
        now += RequestLimit.HEAD_TIME.time().toNanos();

        connections.sweep();

        assertThat(cut).isEmpty();
    }

    @Test
    void closed_connection_leavesItsPlace() {
        open("gone", "192.0.2.66");
        assertThat(connections.count(Stage.UNFINISHED)).isEqualTo(1);

        connections.closed("gone");

        assertThat(connections.count()).isZero();
        assertThat(connections.count(Stage.UNFINISHED)).isZero();
    }
}
