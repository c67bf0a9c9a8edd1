package dev.komainu.organizer.member;

import static dev.komainu.organizer.member.Group.awaitAgreement;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.komainu.organizer.member.EventLog.Kind;
import dev.komainu.organizer.member.Group.LateAnswer;
import dev.komainu.organizer.member.Group.Member;
import dev.komainu.organizer.route.ClusterRouteTable;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.ServerState;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.pbcast.GMS;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Views of all members when one joins, changes, leaves, crashes, is cut off and returns. */
class MembershipTest {

    @TempDir
    Path directory;

    @Test
    void membersUnderALocaleWithOtherDigits_join() throws IOException {
        Locale before = Locale.getDefault(Locale.Category.FORMAT);
        Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag("fa-IR-u-nu-arabext"));
        try (Group group = new Group(directory)) {
            awaitAgreement(group.start("a", "www.example.com/"), group.start("b", "*/"));
        } finally {
            Locale.setDefault(Locale.Category.FORMAT, before);
        }
    }

    @Test
    void members_comeChangeLeaveAndReturn_allHaveTheSameTable() throws IOException {
        try (Group group = new Group(directory)) {
            Member a = group.start("a", "www.example.com/");
            Member b = group.start("b", "www.example.com/", "www.example.com/shop/");
            Member c = group.start("c", "*/");
            awaitAgreement(a, b, c);
            ClusterRouteTable before = a.membership.table();

            b.membership.serve(List.of(Group.route("www.example.com/").withWeight(7)), true);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> c.membership.table().candidates("www.example.com", "/").stream()
                            .anyMatch(candidate ->
                                    candidate.draining() && candidate.route().weight() == 7));
            awaitAgreement(a, b, c);
            assertThat(before.candidates("www.example.com", "/shop/"))
                    .as("a request keeps the table it began with")
                    .singleElement()
                    .satisfies(member -> assertThat(member.member()).isEqualTo(new MemberId("b")));

            b.load.set(new LocalLoad(5, 1234, 100, 3, ServerState.SATURATED));
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                var forecast = a.membership.forecasts().of(new MemberId("b"));
                return forecast.state() == ServerState.SATURATED
                        && forecast.inFlight() == 5
                        && forecast.serviceMicros() == 1234
                        && forecast.delayMicros() > 0;
            });
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> !c.membership
                            .forecasts()
                            .report(new MemberId("b"))
                            .delayMicros()
                            .isEmpty());

            b.membership.close();
            awaitAgreement(a, c);
            assertThat(a.events(Kind.LEFT)).hasSize(1);
            assertThat(a.events(Kind.LOST)).isEmpty();

            Member again = group.start("b", "www.example.com/");
            awaitAgreement(a, c, again);
            assertThat(a.events(Kind.JOINED)).hasSize(4);
            assertThat(a.membership.forecasts().of(new MemberId("b")).state())
                    .isEqualTo(ServerState.UP);
            // A member that met a slow seed started a group of its own, and may lead the merged
            // group.
            assertThat(a.membership.members())
                    .filteredOn(MemberView::coordinator)
                    .hasSize(1);
        }
    }

    /** All members connect to each other at the same moment, and each accepts in one thread. */
    @Test
    void manyStartAtOnce_areOneGroup() throws Exception {
        try (Group group = new Group(directory)) {
            List<Member> all = new ArrayList<>(List.of(group.start("m0", "m0.test/")));
            List<Future<Member>> starting = new ArrayList<>();
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 1; i < 16; i++) {
                    String name = "m" + i;
                    starting.add(threads.submit(() -> group.start(name, name + ".test/")));
                }
            }
            for (Future<Member> member : starting) {
                all.add(member.get());
            }
            awaitAgreement(all.toArray(Member[]::new));
        }
    }

    @Test
    void coordinatorCrashes_connectionsBreak_othersSeeItLongBeforeSilenceWouldTell()
            throws IOException {
        try (Group group = new Group(directory)) {
            group.detect = Duration.ofSeconds(60);
            Member a = group.start("a", "h/");
            Member b = group.start("b", "h/");
            Member c = group.start("c", "h/");
            awaitAgreement(a, b, c);
            a.crash();
            awaitAgreement(b, c);
            assertThat(b.events(Kind.LOST)).hasSize(1);
            assertThat(b.events(Kind.LEFT)).isEmpty();
        }
    }

    @Test
    void answerThatComesAfterTheConnectionBroke_doesNotAcquitTheCrashedMember() throws IOException {
        try (Group group = new Group(directory)) {
            group.detect = Duration.ofSeconds(180);
            Member a = group.start("a", "h/");
            Member b = group.start("b", "h/");
            awaitAgreement(a, b);
            LateAnswer late = b.suspectWithLateAnswer(a);
            await().until(late::isHeld);
            a.crash();
            awaitAgreement(b);
            assertThat(late.isDelivered()).isTrue();
        }
    }

    @Test
    void memberIsCutOff_bothSidesGoOnAlone_andAreOneAgainAfterwards() throws IOException {
        try (Group group = new Group(directory)) {
            group.detect = Duration.ofMillis(1500);
            Member a = group.start("a", "h/");
            Member b = group.start("b", "h/");
            Member c = group.start("c", "h/");
            awaitAgreement(a, b, c);
            a.cutOff(true);
            awaitAgreement(b, c);
            awaitAgreement(a);
            b.membership.serve(List.of(Group.route("h/").withWeight(3)), false);
            a.membership.serve(List.of(Group.route("h/"), Group.route("i/")), false);
            a.cutOff(false);
            awaitAgreement(a, b, c);
            assertThat(c.membership.table().candidates("i", "/")).hasSize(1);
            assertThat(a.membership.table().candidates("h", "/"))
                    .anySatisfy(member -> assertThat(member.route().weight()).isEqualTo(3));
            assertThat(List.of(a, b, c))
                    .allSatisfy(member -> assertThat(member.events(Kind.MERGED)).isNotEmpty());
        }
    }

    /**
     * A round trip of 700 ms: before a merge, parts request views of each other, and digests of
     * their members.
     */
    @Test
    void farMemberIsCutOff_andIsOneWithTheOthersAgainAfterwards() throws IOException {
        try (Group group = new Group(directory)) {
            group.detect = Duration.ofSeconds(3);
            Member a = group.start("a", "h/");
            Member b = group.start("b", "h/");
            awaitAgreement(a, b);
            a.far(Duration.ofMillis(350));
            b.far(Duration.ofMillis(350));
            b.cutOff(true);
            awaitAgreement(a);
            awaitAgreement(b);
            b.cutOff(false);
            awaitAgreement(a, b);
            assertThat(List.of(a, b))
                    .allSatisfy(member -> assertThat(member.events(Kind.MERGED)).isNotEmpty());
        }
    }

    /** The state after a view that came before the addresses of its members. */
    @Test
    void viewComesBeforeAddresses_connectionsGoOn() throws IOException {
        try (Group group = new Group(directory)) {
            group.detect = Duration.ofSeconds(60);
            Member a = group.start("a", "h/");
            Member b = group.start("b", "h/");
            awaitAgreement(a, b);
            int weight = 2;
            for (Member member : List.of(a, b)) {
                ((TCP) member.membership.channel().getProtocolStack().getTransport())
                        .retainAll(Set.of());
                member.membership.serve(List.of(Group.route("h/").withWeight(weight++)), false);
                awaitAgreement(a, b);
            }
        }
    }

    /**
     * The state of a member that gets its first view late, after a merge has made another view with
     * another coordinator.
     */
    @Test
    void memberMissedAView_itsCoordinatorLeadsNoLonger_itIsFoundAgain() throws IOException {
        try (Group group = new Group(directory)) {
            group.detect = Duration.ofSeconds(60);
            Member a = group.start("a", "h/");
            Member b = group.start("b", "h/");
            Member c = group.start("c", "h/");
            Member late = group.start("d", "h/");
            awaitAgreement(a, b, c, late);
            View old = late.membership.channel().getView();
            Address leads = b.membership.channel().getAddress();
            View next = new View(
                    leads,
                    old.getViewId().getId() + 1,
                    List.of(
                            leads,
                            a.membership.channel().getAddress(),
                            c.membership.channel().getAddress()));
            for (Member member : List.of(a, b, c)) {
                GMS views = member.membership.channel().getProtocolStack().findProtocol(GMS.class);
                views.installView(next);
            }
            assertThat(b.events(Kind.LOST)).hasSize(1);
            assertThat(late.membership.channel().getView().getViewId().getId())
                    .isEqualTo(old.getViewId().getId());
            awaitAgreement(a, b, c, late);
            assertThat(late.membership.channel().getView().getViewId().getId())
                    .isGreaterThan(next.getViewId().getId());
        }
    }

    /**
     * A member is pinged every five seconds; a new one again as soon as its answer comes, until
     * four have come.
     */
    @Test
    void newcomer_isPingedUntilItsDelayIsKnown() throws IOException {
        try (Group group = new Group(directory)) {
            Member a = group.start("a", "h/");
            AtomicInteger asksAtOnce = a.asksAtOnce();
            Member b = group.start("b", "h/");
            awaitAgreement(a, b);
            await().until(() -> asksAtOnce.get() >= 3);
            assertThat(asksAtOnce).as("the fourth is enough").hasValue(3);
        }
    }

    @Test
    void join_addressInUse_isReported() throws IOException {
        try (Group group = new Group(directory);
                java.net.ServerSocket taken = new java.net.ServerSocket(
                        group.seed(), 1, java.net.InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> group.start("a"))
                    .isInstanceOf(BindException.class)
                    .hasMessageContaining("listen: ")
                    .hasMessageContaining(":" + taken.getLocalPort());
        }
    }
}
