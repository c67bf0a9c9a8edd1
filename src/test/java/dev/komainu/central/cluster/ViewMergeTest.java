package dev.komainu.central.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.ClusterView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that merge views of members, second by second, with a clock that the test sets. */
class ViewMergeTest {

    private final Map<String, ReportedView> views = new LinkedHashMap<>();
    private Instant now = Instant.parse("2026-11-22T10:00:00Z");
    private long served;

    /** Reports a view of each of these members, in which it sees all others. */
    private void reportAll(String... group) {
        for (String member : group) {
            report(member, group);
        }
    }

    private void report(String member, String... sees) {
        List<ClusterView.Member> members = new ArrayList<>();
        List<ClusterView.Route> routes = new ArrayList<>();
        for (String each : sees) {
            members.add(new ClusterView.Member(
                    each,
                    "10.0.0.1:7691",
                    1,
                    false,
                    false,
                    false,
                    "up",
                    "reached",
                    300,
                    new ClusterView.Member.Load(2, 1_500, served, 0)));
            routes.add(new ClusterView.Route("h/", each, 1, 64, false, ""));
        }
        ClusterView view = new ClusterView(
                "shop",
                member,
                "host-" + member,
                1,
                now.toEpochMilli() * 1_000,
                new ClusterView.Peers(
                        sees.length,
                        members,
                        List.of(new ClusterView.Line(
                                "other",
                                null,
                                new ClusterView.Line.Use(2, 1, 0, served, 3),
                                2_000,
                                new ClusterView.Line.Traffic(
                                        served * 10, served * 100, 1_000 + served * 10, 10),
                                "",
                                null))),
                new ClusterView.Routing(String.join("+", sees), routes, List.of()),
                List.of(),
                List.of(),
                List.of());
        ReportedView known = views.get(member);
        views.put(
                member,
                known == null
                        ? new ReportedView("s", view, null, now, now)
                        : known.after("s", view, now));
    }

    private void second() {
        now = now.plusSeconds(1);
        served += 50;
    }

    private ClusterState whole() {
        return ViewMerge.of("shop", views.values(), now);
    }

    @Test
    void members_thatAgree_areOnePart() {
        for (int i = 0; i < 20; i++) {
            reportAll("a", "b", "c");
            second();
        }
        reportAll("a", "b", "c");

        ClusterState whole = whole();
        assertThat(whole.partedSince()).isNull();
        assertThat(whole.parts()).hasSize(1);
        assertThat(whole.members()).hasSize(3).allMatch(ClusterState.Member::reports);
        assertThat(whole.routes()).hasSize(3);
        assertThat(whole.members().getFirst().servedPerSecond()).isEqualTo(50);
        assertThat(whole.lines().getFirst()).satisfies(line -> {
            assertThat(line.sentBytesPerSecond()).isEqualTo(500);
            assertThat(line.requestsPerSecond()).isEqualTo(50);
            assertThat(line.rttMillis()).isEqualTo(2);
            assertThat(line.lossShare()).isBetween(0.0005, 0.01);
        });
    }

    @Test
    void parts_thatKeepTheirTables_areAPartition_itsEndIsTheirMeeting() {
        reportAll("a", "b", "c");
        second();
        Instant began = null;
        int after = 0;
        for (int i = 1; i <= 10; i++) {
            reportAll("a", "b");
            reportAll("c");
            if (began == null && whole().partedSince() != null) {
                began = whole().partedSince();
                after = i;
            }
            second();
        }
        assertThat(began).isEqualTo(Instant.parse("2026-11-22T10:00:01Z"));
        assertThat(after).as("seconds that both must have held on").isEqualTo(6);
        reportAll("a", "b");
        reportAll("c");
        assertThat(whole().parts())
                .extracting(ClusterState.Part::members)
                .containsExactly(List.of("a", "b"), List.of("c"));
        assertThat(whole().members()).hasSize(3);

        second();
        reportAll("a", "b", "c");
        assertThat(whole().partedSince()).isNull();
    }

    @Test
    void member_thatDies_isNoPartition_atNoMoment() {
        for (int i = 0; i < 20; i++) {
            reportAll("a", "b", "c");
            second();
        }
        for (int i = 0; i < 60; i++) {
            // c is dead; the others detect it two seconds later.
            if (i < 2) {
                report("a", "a", "b", "c");
                report("b", "a", "b", "c");
            } else {
                reportAll("a", "b");
            }
            assertThat(whole().partedSince()).as("%s s after its death", i).isNull();
            second();
        }
        ClusterState.Member gone = whole().members().getLast();
        assertThat(gone.name()).isEqualTo("c");
        assertThat(gone.present()).isFalse();
        assertThat(gone.reports()).isFalse();
        assertThat(whole().routes())
                .extracting(ClusterState.Route::member)
                .containsExactly("a", "b");
    }

    @Test
    void memberThatDoesNotReport_isDescribedByTheOthersViews() {
        report("a", "a", "b");

        ClusterState.Member b = whole().members().getLast();
        assertThat(b.present()).isTrue();
        assertThat(b.reports()).isFalse();
        assertThat(b.node()).isNull();
        assertThat(b.inFlight()).isEqualTo(2);
        assertThat(whole().routes()).hasSize(2);
    }

    @Test
    void cluster_allSilent_lastViewsAreShownAsOld() {
        reportAll("a", "b");
        now = now.plusSeconds(60);

        ClusterState whole = whole();
        assertThat(whole.fresh()).isFalse();
        assertThat(whole.partedSince()).isNull();
        assertThat(whole.members()).hasSize(2).noneMatch(ClusterState.Member::reports);
        assertThat(whole.routes()).hasSize(2);
    }

    @Test
    void member_lateByAViewOrTwo_stillReports_andIsNoPart() {
        for (int i = 0; i < 10; i++) {
            reportAll("a", "b");
            second();
        }
        for (int i = 0; i < 8; i++) {
            report("a", "a", "b");
            assertThat(whole().members()).allMatch(ClusterState.Member::reports);
            assertThat(whole().parts()).hasSize(1);
            second();
        }
    }

    @Test
    void rates_afterARestart_areUnknownThenKnown() {
        report("a", "a", "b");
        second();
        served = 0;
        report("a", "a", "b");
        assertThat(whole().members().getFirst().servedPerSecond())
                .as("counts fell")
                .isZero();
        views.clear();
        report("a", "a", "b");
        assertThat(whole().members().getFirst().servedPerSecond()).isNull();
    }
}
