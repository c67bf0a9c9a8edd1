package dev.komainu.intermediary.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Idle connections in the order of their age, and their idle time. */
class IdleListTest {

    private final List<String> closed = new ArrayList<>();
    private final IdleCounts counts = new IdleCounts();
    private final IdleList list = new IdleList(ConnectionSide.CLIENT, 100, 0, counts);

    private DeadlineList.Entry member(String name) {
        return new DeadlineList.Entry() {
            @Override
            protected void expired() {
                closed.add(name);
            }
        };
    }

    @Test
    void expire_closesConnectionsIdleForThatLong_oldestFirst() {
        list.append(member("a"), 0);
        list.append(member("b"), 40);
        list.append(member("c"), 41);
        list.expire(99, 0, 10);
        assertThat(closed).isEmpty();
        list.expire(140, 0, 10);
        assertThat(closed).containsExactly("a", "b");
        assertThat(counts.closedSoFar(ConnectionSide.CLIENT, CloseReason.TIME)).isEqualTo(2);
        assertThat(list.size()).isOne();
    }

    @Test
    void expire_limitedNumber_reportsThatMoreAreDue() {
        list.append(member("a"), 0);
        list.append(member("b"), 0);
        assertThat(list.expire(100, 0, 1)).isTrue();
        assertThat(list.expire(100, 0, 1)).isFalse();
        assertThat(closed).containsExactly("a", "b");
    }

    @Test
    void expire_timeGrowsAndShrinks_appliesToAll() {
        list.append(member("a"), 0);
        list.append(member("b"), 100);
        list.expire(250, 300, 10);
        assertThat(closed).isEmpty();
        list.expire(250, 200, 10);
        assertThat(closed).containsExactly("a");
        list.expire(250, 0, 10);
        assertThat(closed).containsExactly("a", "b");
    }

    @Test
    void set_shorter_countsFromThenOn_unlessTheFormerTimeEndsSooner() {
        list.append(member("soon"), -95);
        list.append(member("a"), 0);
        list.append(member("b"), 50);
        list.set(10, 60);
        list.expire(5, 0, 10);
        assertThat(closed).containsExactly("soon");
        list.expire(69, 0, 10);
        assertThat(closed).containsExactly("soon");
        list.expire(70, 0, 10);
        assertThat(closed).containsExactly("soon", "a", "b");
        list.append(member("c"), 70);
        list.expire(80, 0, 10);
        assertThat(closed).endsWith("c");
    }

    @Test
    void set_longer_appliesToIdleConnections() {
        list.append(member("a"), 0);
        list.set(1000, 50);
        list.expire(999, 0, 10);
        assertThat(closed).isEmpty();
        list.expire(1000, 0, 10);
        assertThat(closed).containsExactly("a");
    }

    @Test
    void closeOldest_declined_closesTheNextOne() {
        DeadlineList.Entry busy = new DeadlineList.Entry() {
            @Override
            protected void expired() {
                list.append(this, 7);
            }
        };
        list.append(busy, 0);
        list.append(member("a"), 1);
        assertThat(list.closeOldest(CloseReason.NEWCOMER)).isTrue();
        assertThat(closed).containsExactly("a");
        assertThat(counts.closedSoFar(ConnectionSide.CLIENT, CloseReason.NEWCOMER))
                .isOne();
        assertThat(list.size()).isOne();
        assertThat(list.closeOldest(CloseReason.NEWCOMER))
                .as("only the declining entry is left")
                .isFalse();
        DeadlineList.remove(busy);
        assertThat(list.closeOldest(CloseReason.NEWCOMER)).isFalse();
    }

    @Test
    void publish_reportsTheAgeOfTheOldest_orNone() {
        assertThat(list.oldestAgeNanos(50)).isEqualTo(-1);
        DeadlineList.Entry first = member("a");
        list.append(first, 10);
        list.append(member("b"), 20);
        assertThat(list.oldestAgeNanos(50)).isEqualTo(40);
        DeadlineList.remove(first);
        assertThat(list.oldestAgeNanos(50)).as("not published yet").isEqualTo(40);
        list.publish();
        assertThat(list.oldestAgeNanos(50)).isEqualTo(30);
        list.closeOldest(CloseReason.TIME);
        assertThat(list.oldestAgeNanos(50)).isEqualTo(-1);
    }

    @Test
    void ages_areReported_oldestFirstAndByClass() {
        for (long since : new long[] {0, 10, 20, 30}) {
            list.append(member("m" + since), since);
        }
        long[] ages = new long[3];
        assertThat(list.oldestAges(30, ages, 1, 2)).isEqualTo(3);
        assertThat(ages).containsExactly(0, 30, 20);
        int[] classes = new int[3];
        list.countAges(30, new long[] {10, 25}, classes);
        assertThat(classes).containsExactly(1, 2, 1);
    }

    /**
     * Compares with a sorted list. Each step is an entry (0 to 7) and an action (0 becomes idle, 1
     * is used, 2 expiry by age, 3 the oldest closes), one moment later than the last.
     */
    @Property
    void everySequence_agreesWithASortedList(
            @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 31) Integer> steps) {
        IdleList real = new IdleList(ConnectionSide.ORIGIN, 5, 0, new IdleCounts());
        List<Integer> gone = new ArrayList<>();
        DeadlineList.Entry[] members = new DeadlineList.Entry[8];
        for (int i = 0; i < members.length; i++) {
            int number = i;
            members[i] = new DeadlineList.Entry() {
                @Override
                protected void expired() {
                    gone.add(number);
                }
            };
        }
        List<long[]> model = new ArrayList<>();
        List<Integer> expected = new ArrayList<>();
        long now = 0;
        for (int step : steps) {
            int number = step % 8;
            now++;
            switch (step / 8) {
                case 0 -> {
                    real.append(members[number], now);
                    model.removeIf(m -> m[0] == number);
                    model.add(new long[] {number, now});
                }
                case 1 -> {
                    DeadlineList.remove(members[number]);
                    model.removeIf(m -> m[0] == number);
                }
                case 2 -> {
                    real.expire(now, 0, 100);
                    while (!model.isEmpty() && model.getFirst()[1] <= now - 5) {
                        expected.add((int) model.removeFirst()[0]);
                    }
                }
                default -> {
                    assertThat(real.closeOldest(CloseReason.PORTS)).isEqualTo(!model.isEmpty());
                    if (!model.isEmpty()) {
                        expected.add((int) model.removeFirst()[0]);
                    }
                }
            }
            assertThat(real.size()).isEqualTo(model.size());
            long[] ages = new long[8];
            long[] reported = Arrays.copyOf(ages, real.oldestAges(now, ages, 0, 8));
            System.arraycopy(ages, 0, reported, 0, reported.length);
            long current = now;
            assertThat(reported)
                    .containsExactly(model.stream()
                            .flatMapToLong(m -> LongStream.of(current - m[1]))
                            .toArray());
        }
        assertThat(gone).isEqualTo(expected);
    }
}
