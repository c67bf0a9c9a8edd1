package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class PracticeServingTest {

    @Test
    void practise_shortly_isAnsweredForEachKindOfRequest() throws Exception {
        // An exception in a thread of the simulated origin reaches only this handler.
        Map<String, Throwable> faults = new ConcurrentHashMap<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, fault) -> faults.put(thread.getName(), fault));
        try {
            // Ten kinds, at least one request of each of the eight clients.
            assertThat(PracticeServing.practise(10, true)).isGreaterThanOrEqualTo(80);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        assertThat(faults).isEmpty();
    }
}
