package dev.komainu.proxy.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The queue of waiting clients: admission is offered in the order of arrival. */
class WaitingClientsTest {

    private final WaitingClients queue = new WaitingClients();
    private final List<String> offered = new ArrayList<>();

    @Test
    void offer_goesToTheLongestWaiting_andToNoneTwice() {
        Runnable b = () -> offered.add("b");
        queue.join(() -> offered.add("a"));
        queue.join(b);
        queue.join(() -> offered.add("c"));
        queue.offer();
        assertThat(queue.leave(b)).isTrue();
        assertThat(queue.leave(b)).as("he has left").isFalse();
        queue.offer();
        assertThat(queue.isEmpty()).isTrue();
        queue.offer();
        assertThat(offered).containsExactly("a", "c");
    }

    @Test
    void offerThatIsPassedOn_reachesTheNext() {
        queue.join(queue::offer);
        queue.join(() -> offered.add("next"));
        queue.offer();
        assertThat(offered).containsExactly("next");
    }

    @Test
    void join_atTheMaximum_isRefusedUntilOneLeaves() {
        Runnable one = () -> {};
        assertThat(queue.join(one)).isTrue();
        for (int i = 1; i < WaitingClients.MAX_SIZE; i++) {
            assertThat(queue.join(() -> {})).isTrue();
        }
        assertThat(queue.join(() -> {})).isFalse();
        assertThat(queue.leave(one)).isTrue();
        assertThat(queue.join(() -> {})).isTrue();
    }
}
