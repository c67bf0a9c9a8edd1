package dev.komainu.intermediary.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The expiry of a list's entries. */
class DeadlineListTest {

    private final List<String> expired = new ArrayList<>();

    @Test
    void expire_anEntryFails_laterEntriesExpireInTheSameSweep() {
        DeadlineList list = new DeadlineList(10);
        list.append(
                entry(() -> {
                    throw new IllegalStateException("thrown by the test");
                }),
                0);
        list.append(entry(() -> expired.add("due")), 1);
        list.append(entry(() -> expired.add("not due")), 2);
        list.expire(11);
        assertThat(expired).containsExactly("due");
    }

    private static DeadlineList.Entry entry(Runnable action) {
        return new DeadlineList.Entry() {
            @Override
            protected void expired() {
                action.run();
            }
        };
    }
}
