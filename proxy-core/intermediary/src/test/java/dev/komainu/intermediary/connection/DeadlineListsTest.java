package dev.komainu.intermediary.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeadlineListsTest {

    private final List<String> expired = new ArrayList<>();
    private final DeadlineLists lists = new DeadlineLists(100);

    private DeadlineList.Entry member(String name) {
        return new DeadlineList.Entry() {
            @Override
            protected void expired() {
                expired.add(name);
            }
        };
    }

    @Test
    void set_shorter_leavesWaitingEntriesTheirTime() {
        lists.current().append(member("old"), 0);
        lists.set(10);
        lists.current().append(member("new"), 1);
        lists.expire(11);
        assertThat(expired).containsExactly("new");
        assertThat(lists.size()).isOne();
        lists.expire(100);
        assertThat(expired).containsExactly("new", "old");
    }

    @Test
    void set_backAndForth_reusesItsLists() {
        DeadlineList first = lists.current();
        lists.set(10);
        lists.set(100);
        assertThat(lists.current()).isSameAs(first);
    }

    @Test
    void oldList_isStillSwept() {
        DeadlineList old = lists.current();
        lists.set(10);
        old.append(member("a"), 0);
        lists.expire(100);
        assertThat(expired).containsExactly("a");
    }
}
