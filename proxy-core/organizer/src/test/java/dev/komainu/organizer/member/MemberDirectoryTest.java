package dev.komainu.organizer.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.member.EventLog.Kind;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.LineEndpoint;
import dev.komainu.organizer.route.MemberForecasts;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.MemberLoad;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.ServerState;
import dev.komainu.organizer.route.UrlPrefix;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Views and messages in any order; addresses are numbers here. */
class MemberDirectoryTest {

    private static final long EVER = Long.MAX_VALUE;

    private final AtomicLong millis = new AtomicLong(1_000_000);
    private final EventLog events = new EventLog(millis::get);
    private final MemberForecasts forecasts = new MemberForecasts(() -> 0);
    private final MemberDirectory<Integer> roster =
            new MemberDirectory<>(forecasts, events, millis::get);

    private static Announcement announced(
            String member, long incarnation, long version, String content) {
        MemberId id = new MemberId(member);
        return new Announcement(
                id,
                incarnation,
                version,
                new LineEndpoint("127.0.0.1", 1, id),
                false,
                List.of(new ServedRoute(UrlPrefix.parse("h/"), 1, 1, false, content)));
    }

    private static MemberLoad report(
            String member, long incarnation, long announced, ServerState state) {
        return new MemberLoad(
                new MemberId(member), incarnation, announced, 1, 0, 0, 0, 0, state, Map.of());
    }

    private List<Kind> kinds() {
        return events.after(0).stream().map(EventLog.Event::kind).toList();
    }

    private List<String> names() {
        return roster.table().announcements().stream()
                .map(one -> one.member() + "/" + one.incarnation() + "/" + one.version())
                .toList();
    }

    @Test
    void announced_beforeTheView_isIgnored_andAskedForAtTheNextReport() {
        roster.announced(1, announced("a", 5, 1, ""), EVER);
        assertThat(names()).isEmpty();
        roster.view(List.of(1), false);
        assertThat(roster.reported(1, report("a", 5, 1, ServerState.UP))).isTrue();
        roster.announced(1, announced("a", 5, 1, ""), EVER);
        assertThat(roster.reported(1, report("a", 5, 1, ServerState.UP))).isFalse();
        assertThat(roster.reported(1, report("a", 5, 2, ServerState.UP)))
                .as("a newer one was missed")
                .isTrue();
        assertThat(kinds()).containsExactly(Kind.JOINED);
    }

    @Test
    void announced_olderThanKnown_changesNothing() {
        roster.view(List.of(1), false);
        roster.announced(1, announced("a", 5, 3, ""), EVER);
        roster.announced(1, announced("a", 5, 2, ""), EVER);
        assertThat(names()).containsExactly("a/5/3");
    }

    @Test
    void announced_whatWasSaidBeforeAndComesAgain_isRefused_aNewLifeIsNot() {
        roster.view(List.of(1, 2), false);
        roster.announced(1, announced("a", 5, 3, ""), EVER);
        roster.view(List.of(2), false);
        roster.announced(2, announced("a", 5, 2, ""), EVER);
        assertThat(names()).isEmpty();
        roster.announced(2, announced("a", 6, 1, ""), EVER);
        assertThat(names()).containsExactly("a/6/1");
        assertThat(kinds()).containsExactly(Kind.JOINED, Kind.LOST, Kind.REFUSED, Kind.JOINED);
    }

    @Test
    void farewell_thenTheView_isALeave_andLateWordsDoNotBringItBack() {
        roster.view(List.of(1, 2), false);
        roster.announced(1, announced("a", 5, 1, ""), EVER);
        roster.farewell(1, new MemberId("a"), 4);
        assertThat(names()).as("of an earlier life").hasSize(1);
        roster.farewell(1, new MemberId("a"), 5);
        assertThat(names()).isEmpty();
        roster.announced(1, announced("a", 5, 2, ""), EVER);
        assertThat(roster.reported(1, report("a", 5, 2, ServerState.UP))).isFalse();
        roster.view(List.of(2), false);
        assertThat(kinds()).containsExactly(Kind.JOINED, Kind.LEFT);
    }

    @Test
    void announced_twoWithOneName_theYoungerCounts() {
        roster.view(List.of(1, 2), false);
        roster.announced(1, announced("a", 5, 1, ""), EVER);
        roster.announced(2, announced("a", 6, 1, ""), EVER);
        assertThat(names()).containsExactly("a/6/1");
        assertThat(roster.address(new MemberId("a"))).isEqualTo(2);
        assertThat(kinds()).contains(Kind.NAME_TWICE);
        roster.view(List.of(1), false);
        assertThat(names()).containsExactly("a/5/1");
    }

    @Test
    void announced_anotherName_orReportForAnother_isRefused() {
        roster.view(List.of(1), false);
        roster.announced(1, announced("a", 5, 1, ""), EVER);
        roster.announced(1, announced("b", 5, 2, ""), EVER);
        assertThat(names()).containsExactly("a/5/1");
        roster.reported(1, report("b", 5, 1, ServerState.STOPPED));
        assertThat(forecasts.of(new MemberId("b")).state()).isEqualTo(ServerState.UP);
        assertThat(kinds()).containsExactly(Kind.JOINED, Kind.REFUSED, Kind.REFUSED);
    }

    @Test
    void conflict_isToldOnce_andWhenItIsOver() {
        roster.view(List.of(1, 2), false);
        roster.announced(1, announced("a", 5, 1, "old"), EVER);
        roster.announced(2, announced("b", 6, 1, "new"), EVER);
        roster.announced(1, announced("a", 5, 2, "old"), EVER);
        roster.announced(2, announced("b", 6, 2, "old"), EVER);
        assertThat(kinds())
                .containsExactly(
                        Kind.JOINED,
                        Kind.JOINED,
                        Kind.CONFLICT,
                        Kind.ROUTES_CHANGED,
                        Kind.ROUTES_CHANGED,
                        Kind.CONFLICT_OVER);
    }

    @Test
    void server_comesAndGoes_isToldAndFlaps_untilAMinuteOfCalm() {
        roster.view(List.of(1), false);
        roster.announced(1, announced("a", 5, 1, ""), EVER);
        for (int i = 0; i < 6; i++) {
            millis.addAndGet(1000);
            roster.reported(
                    1,
                    new MemberLoad(
                            new MemberId("a"),
                            5,
                            1,
                            i + 1,
                            0,
                            0,
                            0,
                            0,
                            i % 2 == 0 ? ServerState.STOPPED : ServerState.UP,
                            Map.of()));
        }
        assertThat(roster.flaps(new MemberId("a"))).isTrue();
        assertThat(kinds()).contains(Kind.FLAPPING).doesNotContain(Kind.FLAPPING_OVER);
        millis.addAndGet(60_000);
        roster.tick();
        assertThat(roster.flaps(new MemberId("a"))).isFalse();
        assertThat(kinds()).contains(Kind.FLAPPING_OVER);
        assertThat(events.counts()).containsEntry(Kind.SERVER_CHANGED, 6L);
    }

    @Test
    void grantEnds_membersRoutesEndWithIt() {
        roster.view(List.of(1, 2), false);
        roster.announced(1, announced("a", 5, 1, ""), millis.get() + 1000);
        roster.announced(2, announced("b", 5, 1, ""), EVER);
        millis.addAndGet(999);
        roster.tick();
        assertThat(names()).hasSize(2);
        millis.addAndGet(1);
        roster.tick();
        assertThat(names()).containsExactly("b/5/1");
    }

    @Test
    void refusals_theSameAgain_oneEvent_allCounted() {
        roster.view(List.of(1), false);
        roster.announced(1, announced("a", 5, 1, ""), EVER);
        for (int i = 0; i < 100; i++) {
            roster.announced(1, announced("b", 5, 2, ""), EVER);
        }
        assertThat(kinds()).containsExactly(Kind.JOINED, Kind.REFUSED);
        assertThat(events.counts()).containsEntry(Kind.REFUSED, 100L);
        millis.addAndGet(10_000);
        roster.announced(1, announced("b", 5, 2, ""), EVER);
        assertThat(kinds()).hasSize(3);
    }
}
