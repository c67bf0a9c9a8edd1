package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LearnedServersTest {

    private long now = 1_000_000_000_000L;
    private final Set<Endpoint> reported = new HashSet<>();
    private final List<TelemetryRecord> out = new ArrayList<>();
    private final LearnedServers learned =
            new LearnedServers(() -> now, new LearnedServers.Listener() {
                @Override
                public void onLearned(Endpoint server) {
                    assertThat(reported.add(server)).isTrue();
                }

                @Override
                public void onForgotten(Endpoint server) {
                    assertThat(reported.remove(server)).isTrue();
                }
            });
    private final RecordSink sink = learned.before(out::add);

    @Test
    void nameOf_scanOfAWholeNetwork_addsNoServerAndUsesBoundedMemory() {
        int followed = 0;
        for (int i = 0; i < 65_536; i++) {
            String name = learned.nameOf(server(i));
            if (name != null) {
                followed++;
                sink.accept(SomeWindows.synOnly(name, i));
            }
        }
        assertThat(followed).isEqualTo(LearnedServers.MAX_CANDIDATES);
        assertThat(reported).isEmpty();
        assertThat(out).isEmpty();
        assertThat(learned.drops())
                .contains(new SourceStatus.Drops(
                        "server-not-learnt", 65_536 - LearnedServers.MAX_CANDIDATES));

        // A minute later the next candidates are followed, and a real server among them is learned.
        now += LearnedServers.CANDIDATE_MICROS;
        learned.expire();
        answer(server(70_000));
        assertThat(reported).containsExactly(server(70_000));
    }

    @Test
    void take_knownServerSilentForADay_isForgottenAndLearntAgain() {
        answer(server(1));
        answer(server(2));
        now += LearnedServers.GONE_MICROS - 1;
        sink.accept(SomeWindows.responding(server(2).toString(), 5));
        sink.accept(SomeWindows.silent(server(1).toString(), 5));
        now += 1;
        learned.expire();

        assertThat(reported).containsExactly(server(2));
        assertThat(learned.known()).containsExactly(server(2));
        out.clear();
        sink.accept(SomeWindows.silent(server(1).toString(), 6));
        assertThat(out).isEmpty();
        answer(server(1));
        assertThat(reported).containsExactlyInAnyOrder(server(1), server(2));
    }

    @Test
    void take_moreServersThanTheCap_theLongestSilentGivesWayOnceItIsSilentForTenMinutes() {
        for (int i = 0; i < LearnedServers.MAX_KNOWN; i++) {
            answer(server(i));
        }
        answer(server(5_000));
        assertThat(reported).hasSize(LearnedServers.MAX_KNOWN).doesNotContain(server(5_000));

        now += LearnedServers.EVICTABLE_MICROS - 1;
        for (int i = 1; i < LearnedServers.MAX_KNOWN; i++) {
            sink.accept(SomeWindows.responding(server(i).toString(), 9));
        }
        now += 1;
        sink.accept(SomeWindows.responding(server(5_000).toString(), 10));

        assertThat(reported)
                .hasSize(LearnedServers.MAX_KNOWN)
                .contains(server(5_000))
                .doesNotContain(server(0));
    }

    @Test
    void nameOf_scansForMonths_neverHoldMoreNamesThanTheirCap() {
        int followed = 0;
        for (int i = 0; i < 40_000; i++) {
            if (i % LearnedServers.MAX_CANDIDATES == 0) {
                now += LearnedServers.CANDIDATE_MICROS;
                learned.expire();
            }
            if (learned.nameOf(server(i)) != null) {
                followed++;
            }
        }
        assertThat(followed).isEqualTo(LearnedServers.MAX_NAMES);
        assertThat(learned.nameOf(server(3))).isNotNull();
    }

    private void answer(Endpoint server) {
        String name = learned.nameOf(server);
        assertThat(name).isNotNull();
        sink.accept(SomeWindows.responding(name, 1));
    }

    private static Endpoint server(int number) {
        return Endpoint.of(
                new byte[] {10, (byte) (number >> 16), (byte) (number >> 8), (byte) number}, 80);
    }
}
