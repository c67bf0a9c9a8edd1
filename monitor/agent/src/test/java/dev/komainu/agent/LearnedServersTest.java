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
    private final Set<Endpoint> told = new HashSet<>();
    private final List<TelemetryRecord> out = new ArrayList<>();
    private final LearnedServers learnt =
            new LearnedServers(() -> now, new LearnedServers.Listener() {
                @Override
                public void learnt(Endpoint server) {
                    assertThat(told.add(server)).isTrue();
                }

                @Override
                public void forgotten(Endpoint server) {
                    assertThat(told.remove(server)).isTrue();
                }
            });
    private final RecordSink sink = learnt.before(out::add);

    @Test
    void nameOf_scanOfAWholeNet_makesNoServerAndHoldsBoundedMemory() {
        int followed = 0;
        for (int i = 0; i < 65_536; i++) {
            String name = learnt.nameOf(server(i));
            if (name != null) {
                followed++;
                sink.accept(SomeWindows.asked(name, i));
            }
        }
        assertThat(followed).isEqualTo(LearnedServers.MOST_ASKED);
        assertThat(told).isEmpty();
        assertThat(out).isEmpty();
        assertThat(learnt.drops())
                .contains(new SourceStatus.Drops(
                        "server-not-learnt", 65_536 - LearnedServers.MOST_ASKED));

        // A minute later the next ones are followed, and a real one among them is learnt.
        now += LearnedServers.ASKED_MICROS;
        learnt.tidy();
        answer(server(70_000));
        assertThat(told).containsExactly(server(70_000));
    }

    @Test
    void take_knownServerSilentForADay_isForgottenAndLearntAgain() {
        answer(server(1));
        answer(server(2));
        now += LearnedServers.GONE_MICROS - 1;
        sink.accept(SomeWindows.answered(server(2).toString(), 5));
        sink.accept(SomeWindows.silent(server(1).toString(), 5));
        now += 1;
        learnt.tidy();

        assertThat(told).containsExactly(server(2));
        assertThat(learnt.known()).containsExactly(server(2));
        out.clear();
        sink.accept(SomeWindows.silent(server(1).toString(), 6));
        assertThat(out).isEmpty();
        answer(server(1));
        assertThat(told).containsExactlyInAnyOrder(server(1), server(2));
    }

    @Test
    void take_moreServersThanTheCap_theLongestSilentGivesWayOnceItIsSilentForTenMinutes() {
        for (int i = 0; i < LearnedServers.MOST_KNOWN; i++) {
            answer(server(i));
        }
        answer(server(5_000));
        assertThat(told).hasSize(LearnedServers.MOST_KNOWN).doesNotContain(server(5_000));

        now += LearnedServers.GIVES_WAY_MICROS - 1;
        for (int i = 1; i < LearnedServers.MOST_KNOWN; i++) {
            sink.accept(SomeWindows.answered(server(i).toString(), 9));
        }
        now += 1;
        sink.accept(SomeWindows.answered(server(5_000).toString(), 10));

        assertThat(told)
                .hasSize(LearnedServers.MOST_KNOWN)
                .contains(server(5_000))
                .doesNotContain(server(0));
    }

    @Test
    void nameOf_scansForMonths_neverHoldMoreNamesThanTheirCap() {
        int followed = 0;
        for (int i = 0; i < 40_000; i++) {
            if (i % LearnedServers.MOST_ASKED == 0) {
                now += LearnedServers.ASKED_MICROS;
                learnt.tidy();
            }
            if (learnt.nameOf(server(i)) != null) {
                followed++;
            }
        }
        assertThat(followed).isEqualTo(LearnedServers.MOST_EVER);
        assertThat(learnt.nameOf(server(3))).isNotNull();
    }

    private void answer(Endpoint server) {
        String name = learnt.nameOf(server);
        assertThat(name).isNotNull();
        sink.accept(SomeWindows.answered(name, 1));
    }

    private static Endpoint server(int number) {
        return Endpoint.of(
                new byte[] {10, (byte) (number >> 16), (byte) (number >> 8), (byte) number}, 80);
    }
}
