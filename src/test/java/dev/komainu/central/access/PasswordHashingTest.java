package dev.komainu.central.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.security.crypto.password.PasswordEncoder;

/** Tests that a flood of passwords to check neither grows nor delays known browsers. */
@Timeout(60)
class PasswordHashingTest {

    private final CountDownLatch gate = new CountDownLatch(1);
    private final List<String> order = Collections.synchronizedList(new ArrayList<>());

    /** An encoder that compares nothing before the gate is open. */
    private final PasswordEncoder encoder = new PasswordEncoder() {
        @Override
        public @Nullable String encode(@Nullable CharSequence password) {
            return String.valueOf(password);
        }

        @Override
        public boolean matches(@Nullable CharSequence password, @Nullable String hash) {
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            order.add(String.valueOf(password));
            return true;
        }
    };

    private final PasswordHashing hashing = new PasswordHashing(encoder, 1);
    private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void end() {
        gate.countDown();
        callers.close();
        hashing.destroy();
    }

    private List<Future<Boolean>> ask(PasswordHashing.Party party, String password, int times) {
        List<Future<Boolean>> asked = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            asked.add(callers.submit(() -> hashing.matches(party, password, "")));
        }
        return asked;
    }

    private void refusedAtOnce(PasswordHashing.Party party) {
        Awaitility.await()
                .untilAsserted(() -> assertThatThrownBy(() -> hashing.matches(party, "late", ""))
                        .isInstanceOf(HashingBusyException.class));
    }

    @Test
    void flood_ofStrangers_isRefusedAboveFiftyAndKnownOnesPrecedeIt() throws Exception {
        List<Future<Boolean>> strangers =
                ask(PasswordHashing.Party.STRANGER, "stranger", PasswordHashing.MOST_OF_STRANGERS);
        // Blocks the caller for ever if the queue has no bound.
        Awaitility.await().until(() -> hashing.placesOfStrangers() == 0);
        refusedAtOnce(PasswordHashing.Party.STRANGER);
        List<Future<Boolean>> known = ask(PasswordHashing.Party.KNOWN, "known", 1);
        Awaitility.await().until(() -> hashing.placesOfKnown() < PasswordHashing.MOST_OF_KNOWN);

        gate.countDown();

        assertThat(known.getFirst().get()).isTrue();
        for (Future<Boolean> stranger : strangers) {
            assertThat(stranger.get()).isTrue();
        }
        assertThat(order).hasSize(PasswordHashing.MOST_OF_STRANGERS + 1);
        assertThat(order.indexOf("known"))
                .as("after the one that was under way")
                .isEqualTo(1);
    }

    @Test
    void flood_over_leavesAllPlacesFree() throws Exception {
        gate.countDown();
        for (Future<Boolean> each : ask(PasswordHashing.Party.STRANGER, "stranger", 20)) {
            each.get();
        }

        Awaitility.await()
                .until(() -> hashing.placesOfStrangers() == PasswordHashing.MOST_OF_STRANGERS);
    }
}
