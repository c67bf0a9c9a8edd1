package dev.komainu.proxy.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.IdleList;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Idle connections close while new clients wait, one in each turn; those that decline are not tried
 * without end.
 */
class IdleEvictionTest implements IdleLoop {

    private final ClientCounts counts = new ClientCounts(GivenConnections.of(Map.of(
            "connections.max", 1, "connections.max-of", "both", "connections.max-per-client", 10)));
    private final Reclamation reclamation = new Reclamation(
            new ReclaimSettings(
                    true,
                    ReclaimSettings.DEFAULT.usual(),
                    Map.of(),
                    ReclaimSettings.DEFAULT.plentiful(),
                    Duration.ofMinutes(1)),
            counts);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final IdleList clients = new IdleList(
            ConnectionSide.CLIENT,
            Duration.ofMinutes(1).toNanos(),
            System.nanoTime(),
            reclamation.counts());
    private final IdleList origins = new IdleList(
            ConnectionSide.ORIGIN,
            Duration.ofMinutes(1).toNanos(),
            System.nanoTime(),
            reclamation.counts());
    private final SilentClients silent = new SilentClients(reclamation.counts());
    private final IdleEviction eviction =
            new IdleEviction(channel.eventLoop(), this, reclamation, counts);
    private final List<String> closed = new ArrayList<>();
    private final List<String> offered = new ArrayList<>();
    private int asked;

    @Override
    public Executor loop() {
        return channel.eventLoop();
    }

    @Override
    public IdleList idle(ConnectionSide side) {
        return side == ConnectionSide.CLIENT ? clients : origins;
    }

    @Override
    public void giveWay() {
        eviction.begin();
    }

    @Override
    public SilentClients silent() {
        return silent;
    }

    @Override
    public void reclaim(ConnectionSide side, long sinceNanos, CloseReason why) {
        throw new AssertionError("nothing is short");
    }

    @AfterEach
    void tearDown() {
        channel.finishAndReleaseAll();
    }

    private void waitingClient(String name) {
        assertThat(reclamation.joinQueue(() -> offered.add(name))).isTrue();
    }

    private final class Client extends DeadlineList.Entry {
        private final String name;
        private boolean takesItsLastAnswer;

        Client(String name, boolean takesItsLastAnswer) {
            this.name = name;
            this.takesItsLastAnswer = takesItsLastAnswer;
        }

        void idles() {
            clients.append(this, System.nanoTime());
            eviction.begin();
        }

        @Override
        protected void expired() {
            asked++;
            if (takesItsLastAnswer) {
                idles();
            } else {
                closed.add(name);
                reclamation.placeIsFree();
            }
        }
    }

    @Test
    void begin_whileClientsWait_closesOneForEach() {
        waitingClient("first");
        waitingClient("second");
        new Client("a", false).idles();
        new Client("b", false).idles();
        new Client("c", false).idles();
        assertThat(closed).as("not before its turn has ended").isEmpty();
        channel.runPendingTasks();
        assertThat(closed).containsExactly("a", "b");
        assertThat(offered).containsExactly("first", "second");
    }

    @Test
    void begin_thatDeclines_isRetriedUntilItHasAcceptedAll() {
        EventLoop loop = channel.eventLoop();
        assertThat(loop).isNotNull();
        channel.freezeTime();
        waitingClient("patient");
        Client slow = new Client("slow", true);
        slow.idles();
        channel.runPendingTasks();
        int before = asked;
        assertThat(before).isBetween(1, 64);
        for (int i = 0; i < 100; i++) {
            channel.runPendingTasks();
        }
        assertThat(asked).as("nobody is asked again at once").isEqualTo(before);
        channel.advanceTimeBy(IdleEviction.DECLINED_MILLIS, TimeUnit.MILLISECONDS);
        channel.runPendingTasks();
        assertThat(asked).isGreaterThan(before).isLessThanOrEqualTo(before + 64);
        slow.takesItsLastAnswer = false;
        channel.advanceTimeBy(IdleEviction.DECLINED_MILLIS, TimeUnit.MILLISECONDS);
        channel.runPendingTasks();
        assertThat(closed).containsExactly("slow");
        assertThat(offered).containsExactly("patient");
        assertThat(channel.runScheduledPendingTasks())
                .as("nothing is left to do")
                .isEqualTo(-1);
    }

    @Test
    void begin_whereOthersNeverSaidAnything_theseGoFirst() {
        long now = System.nanoTime();
        silent.add(new Client("had its time", false), false, now - TimeUnit.SECONDS.toNanos(2));
        silent.add(new Client("has just come", false), false, now);
        silent.add(
                new Client("came after waiting", false), true, now - TimeUnit.SECONDS.toNanos(1));
        waitingClient("first");
        waitingClient("second");
        waitingClient("third");
        new Client("was served", false).idles();
        channel.runPendingTasks();
        assertThat(closed).containsExactly("came after waiting", "had its time", "was served");
        assertThat(silent.isEmpty()).isFalse();
    }

    @Test
    void idles_anOriginsConnection_givesItsPlaceToo_theOlderFirst() {
        Client young = new Client("client", false);
        DeadlineList.Entry parked = new DeadlineList.Entry() {
            @Override
            protected void expired() {
                closed.add("origin");
                eviction.onClosed();
            }
        };
        counts.onRoom(reclamation::placeIsFree);
        eviction.onOpening();
        long now = System.nanoTime();
        origins.append(parked, now - 2_000_000);
        clients.append(young, now - 1_000_000);
        waitingClient("waits");
        eviction.onIdle();
        channel.runPendingTasks();
        assertThat(closed).containsExactly("origin");
        assertThat(offered).containsExactly("waits");
        assertThat(reclamation.counts().closedSoFar(ConnectionSide.ORIGIN, CloseReason.NEWCOMER))
                .isOne();
    }
}
