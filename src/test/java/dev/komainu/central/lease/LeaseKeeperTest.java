package dev.komainu.central.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.control.ControlEngine;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two centres and one lease, on real servers. */
class LeaseKeeperTest {

    private static final Duration TIME = Duration.ofMillis(1_500);

    private final AtomicLong nanos = new AtomicLong();
    private LeaseKeeper one;
    private LeaseKeeper two;

    private void start(ControlEngine engine) {
        DataSource source = engine.fresh();
        one = new LeaseKeeper(source, "one", "http://127.0.0.1:1", TIME, nanos::get);
        two = new LeaseKeeper(source, "it's two", "http://127.0.0.1:2", TIME, nanos::get);
        this.source = source;
    }

    private DataSource source;

    @AfterEach
    void tearDown() {
        if (one != null) {
            one.close();
            two.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DEBIAN", "NEWEST"})
    void holderRenews_otherWaits_takesWhenItEnds(ControlEngine engine) throws Exception {
        start(engine);
        assertThat(one.tryTake()).isTrue();
        one.keep();
        assertThat(one.epoch()).isEqualTo(1);
        nanos.addAndGet(TIME.toNanos());
        CountDownLatch past = new CountDownLatch(1);
        assertThat(past.await(TIME.toMillis() + 500, TimeUnit.MILLISECONDS)).isFalse();

        assertThat(two.tryTake()).as("after one whole time, renewed meanwhile").isFalse();
        assertThat(two.seen().holder()).isEqualTo("one");
        assertThat(two.seen().address()).isEqualTo("http://127.0.0.1:1");
        assertThat(two.seen().secret()).isEqualTo(one.secret());
        one.close();

        assertThat(two.tryTake()).as("after its end").isTrue();
        assertThat(two.epoch()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(names = {"DEBIAN", "NEWEST"})
    void databaseWasAway_whoWaitsLetsTheHolderRenewFirst(ControlEngine engine) throws Exception {
        start(engine);
        assertThat(one.tryTake()).isTrue(); // and renews no more
        expire();

        assertThat(two.tryTake())
                .as("it has seen the database for a moment only")
                .isFalse();
        nanos.addAndGet(TIME.toNanos());
        assertThat(two.tryTake()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"DEBIAN", "NEWEST"})
    void sameHolder_startsAgain_takesAtOnce_withALargerEpoch(ControlEngine engine)
            throws Exception {
        start(engine);
        assertThat(one.tryTake()).isTrue();

        LeaseKeeper again = new LeaseKeeper(source, "one", "", TIME, nanos::get);
        assertThat(again.tryTake()).isTrue();
        assertThat(again.epoch()).isEqualTo(2);
        again.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"DEBIAN", "NEWEST"})
    void writesOfAnOlderEpoch_areRefused_alsoThoseUnderWay(ControlEngine engine) throws Exception {
        start(engine);
        assertThat(one.tryTake()).isTrue();
        one.fence();
        one.fence();
        try (Connection slow = source.getConnection()) {
            execute(slow, one.connectionBegin());
            execute(slow, "insert into users " + user("before"));
            slow.setAutoCommit(false);
            execute(slow, "insert into users " + user("slow"));

            expire();
            nanos.addAndGet(TIME.toNanos());
            assertThat(two.tryTake()).isTrue();

            assertThatThrownBy(() -> slow.commit())
                    .as("ended by the take-over")
                    .isInstanceOf(SQLException.class);
            try (Connection later = source.getConnection()) {
                execute(later, one.connectionBegin());
                assertThatThrownBy(() -> execute(later, "insert into users " + user("later")))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("KM001"));
                assertThatThrownBy(() -> execute(later, "delete from users"))
                        .hasMessageContaining("epoch 1 is over, the epoch is 2");
            }
            try (Connection next = source.getConnection()) {
                execute(next, two.connectionBegin());
                execute(next, "insert into users " + user("next"));
            }
            try (Connection command = source.getConnection()) {
                execute(command, "set komainu.epoch = ''");
                execute(command, "insert into users " + user("command"));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DEBIAN", "NEWEST"})
    void otherOneTakes_holderIsTold_once(ControlEngine engine) throws Exception {
        start(engine);
        assertThat(one.tryTake()).isTrue();
        expire();
        nanos.addAndGet(TIME.toNanos());
        assertThat(two.tryTake()).isTrue();
        CountDownLatch told = new CountDownLatch(1);
        one.atEnd(told::countDown);
        one.keep();

        assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(one.isOver()).isTrue();
        one.close();
        assertThat(two.seen().held()).isFalse();
        CountDownLatch late = new CountDownLatch(1);
        one.atEnd(late::countDown);
        assertThat(late.getCount()).as("told at once when it is over").isZero();
        assertThat(held())
                .as("the former holder does not end the lease of the next")
                .isTrue();
    }

    private boolean held() throws SQLException {
        try (Connection connection = source.getConnection()) {
            return LeaseTable.read(connection).held();
        }
    }

    private void expire() throws SQLException {
        Awaitility.await("the lease ends by the database's clock")
                .atMost(Duration.ofSeconds(10))
                .until(() -> !held());
    }

    private static String user(String name) {
        return "(name, role, password_hash, must_change_password) values ('" + name
                + "', 'viewer', 'x', false)";
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
