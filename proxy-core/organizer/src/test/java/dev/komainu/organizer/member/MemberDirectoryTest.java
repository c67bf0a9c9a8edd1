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
    private final MemberDirectory<Integer> directory =
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
        return directory.table().announcements().stream()
                .map(one -> one.member() + "/" + one.incarnation() + "/" + one.version())
                .toList();
    }

    @Test
    void announced_beforeTheView_isIgnored_andRequestedAtTheNextReport() {
        directory.announced(1, announced("a", 5, 1, ""), EVER);
        assertThat(names()).isEmpty();
        directory.view(List.of(1), false);
        assertThat(directory.reported(1, report("a", 5, 1, ServerState.UP))).isTrue();
        directory.announced(1, announced("a", 5, 1, ""), EVER);
        assertThat(directory.reported(1, report("a", 5, 1, ServerState.UP))).isFalse();
        assertThat(directory.reported(1, report("a", 5, 2, ServerState.UP)))
                .as("a newer one was missed")
                .isTrue();
        assertThat(kinds()).containsExactly(Kind.JOINED);
    }

    @Test
    void announced_olderThanKnown_changesNothing() {
        directory.view(List.of(1), false);
        directory.announced(1, announced("a", 5, 3, ""), EVER);
        directory.announced(1, announced("a", 5, 2, ""), EVER);
        assertThat(names()).containsExactly("a/5/3");
    }

    @Test
    void announced_oldAnnouncementAgain_isRefused_afterARestartAccepted() {
        directory.view(List.of(1, 2), false);
        directory.announced(1, announced("a", 5, 3, ""), EVER);
        directory.view(List.of(2), false);
        directory.announced(2, announced("a", 5, 2, ""), EVER);
        assertThat(names()).isEmpty();
        directory.announced(2, announced("a", 6, 1, ""), EVER);
        assertThat(names()).containsExactly("a/6/1");
        assertThat(kinds()).containsExactly(Kind.JOINED, Kind.LOST, Kind.REFUSED, Kind.JOINED);
    }

    @Test
    void farewell_thenTheView_isALeave_andLateWordsDoNotBringItBack() {
        directory.view(List.of(1, 2), false);
        directory.announced(1, announced("a", 5, 1, ""), EVER);
        directory.farewell(1, new MemberId("a"), 4);
        assertThat(names()).as("of an earlier life").hasSize(1);
        directory.farewell(1, new MemberId("a"), 5);
        assertThat(names()).isEmpty();
        directory.announced(1, announced("a", 5, 2, ""), EVER);
        assertThat(directory.reported(1, report("a", 5, 2, ServerState.UP))).isFalse();
        directory.view(List.of(2), false);
        assertThat(kinds()).containsExactly(Kind.JOINED, Kind.LEFT);
    }

    @Test
    void announced_twoWithOneName_theYoungerCounts() {
        directory.view(List.of(1, 2), false);
        directory.announced(1, announced("a", 5, 1, ""), EVER);
        directory.announced(2, announced("a", 6, 1, ""), EVER);
        assertThat(names()).containsExactly("a/6/1");
        assertThat(directory.address(new MemberId("a"))).isEqualTo(2);
        assertThat(kinds()).contains(Kind.NAME_TWICE);
        directory.view(List.of(1), false);
        assertThat(names()).containsExactly("a/5/1");
    }

    @Test
    void announced_anotherName_orReportForAnother_isRefused() {
        directory.view(List.of(1), false);
        directory.announced(1, announced("a", 5, 1, ""), EVER);
        directory.announced(1, announced("b", 5, 2, ""), EVER);
        assertThat(names()).containsExactly("a/5/1");
        directory.reported(1, report("b", 5, 1, ServerState.STOPPED));
        assertThat(forecasts.of(new MemberId("b")).state()).isEqualTo(ServerState.UP);
        assertThat(kinds()).containsExactly(Kind.JOINED, Kind.REFUSED, Kind.REFUSED);
    }

    @Test
    void conflict_isReportedOnce_andItsEnd() {
        directory.view(List.of(1, 2), false);
        directory.announced(1, announced("a", 5, 1, "old"), EVER);
        directory.announced(2, announced("b", 6, 1, "new"), EVER);
        directory.announced(1, announced("a", 5, 2, "old"), EVER);
        directory.announced(2, announced("b", 6, 2, "old"), EVER);
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
    void server_changesOften_isReportedAndFlaps_untilAMinuteWithoutChange() {
        directory.view(List.of(1), false);
        directory.announced(1, announced("a", 5, 1, ""), EVER);
        for (int i = 0; i < 6; i++) {
            millis.addAndGet(1000);
            directory.reported(
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
        assertThat(directory.isFlapping(new MemberId("a"))).isTrue();
        assertThat(kinds()).contains(Kind.FLAPPING).doesNotContain(Kind.FLAPPING_OVER);
        millis.addAndGet(60_000);
        directory.tick();
        assertThat(directory.isFlapping(new MemberId("a"))).isFalse();
        assertThat(kinds()).contains(Kind.FLAPPING_OVER);
        assertThat(events.counts()).containsEntry(Kind.SERVER_CHANGED, 6L);
    }

    @Test
    void grantEnds_membersRoutesEndWithIt() {
        directory.view(List.of(1, 2), false);
        directory.announced(1, announced("a", 5, 1, ""), millis.get() + 1000);
        directory.announced(2, announced("b", 5, 1, ""), EVER);
        millis.addAndGet(999);
        directory.tick();
        assertThat(names()).hasSize(2);
        millis.addAndGet(1);
        directory.tick();
        assertThat(names()).containsExactly("b/5/1");
    }

    @Test
    void refusals_theSameAgain_oneEvent_allCounted() {
        directory.view(List.of(1), false);
        directory.announced(1, announced("a", 5, 1, ""), EVER);
        for (int i = 0; i < 100; i++) {
            directory.announced(1, announced("b", 5, 2, ""), EVER);
        }
        assertThat(kinds()).containsExactly(Kind.JOINED, Kind.REFUSED);
        assertThat(events.counts()).containsEntry(Kind.REFUSED, 100L);
        millis.addAndGet(10_000);
        directory.announced(1, announced("b", 5, 2, ""), EVER);
        assertThat(kinds()).hasSize(3);
    }
}
