package dev.komainu.intermediary.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.BindException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ComponentsTest {

    private static final int COUNT = 5;

    /** The components' actions, in order. */
    private final List<String> done = new ArrayList<>();

    private final Set<Integer> failOpen = new TreeSet<>();
    private final Set<Integer> failPrepare = new TreeSet<>();
    private final Set<Integer> failDiscard = new TreeSet<>();
    private final Set<Integer> failClose = new TreeSet<>();

    private final Components<String> components =
            new Components<>(IntStream.range(0, COUNT).mapToObj(Recording::new).toList());

    private final class Recording implements Component<String> {
        private final int number;

        Recording(int number) {
            this.number = number;
        }

        @Override
        public void open() throws IOException {
            if (failOpen.contains(number)) {
                throw new BindException("open " + number);
            }
            done.add("open " + number);
        }

        @Override
        public PreparedChange prepare(SettingsChange<String> change) throws IOException {
            if (failPrepare.contains(number)) {
                throw new IOException("prepare " + number);
            }
            done.add("prepare " + number);
            return new PreparedChange() {
                @Override
                public void apply() {
                    done.add("apply " + number + " " + change.next());
                }

                @Override
                public void discard() {
                    done.add("discard " + number);
                    if (failDiscard.contains(number)) {
                        throw new IllegalStateException("discard " + number);
                    }
                }
            };
        }

        @Override
        public void close() {
            done.add("close " + number);
            if (failClose.contains(number)) {
                throw new IllegalStateException("close " + number);
            }
        }
    }

    private static List<String> upwards(String what, int count) {
        return IntStream.range(0, count).mapToObj(i -> what + " " + i).toList();
    }

    private static List<String> downwards(String what, int count) {
        return upwards(what, count).reversed();
    }

    @Test
    void open_inOrder_closeInReverse_once() throws Exception {
        components.open();
        assertThat(done).isEqualTo(upwards("open", COUNT));
        done.clear();
        components.close();
        components.close();
        assertThat(done).isEqualTo(downwards("close", COUNT));
    }

    @Test
    void close_withoutOpen_closesNothing() {
        components.close();
        assertThat(done).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void open_oneFails_thoseBeforeItAreClosedInReverse(int failing) {
        failOpen.add(failing);
        assertThatThrownBy(components::open)
                .isInstanceOf(BindException.class)
                .hasMessage("open " + failing);
        List<String> expected = new ArrayList<>(upwards("open", failing));
        expected.addAll(downwards("close", failing));
        assertThat(done).isEqualTo(expected);
        components.close();
        assertThat(done).as("nothing is left to close").isEqualTo(expected);
    }

    @Test
    void open_oneFails_andOthersFailToClose_theFirstFailureIsThrown_theLaterOnesSuppressed() {
        failOpen.add(4);
        failClose.addAll(Set.of(1, 3));
        Throwable thrown = catchThrowable(components::open);
        assertThat(thrown).hasMessage("open 4");
        assertThat(thrown.getSuppressed()).singleElement().satisfies(close -> {
            assertThat(close).hasMessage("close 3");
            assertThat(close.getSuppressed())
                    .singleElement()
                    .satisfies(later -> assertThat(later).hasMessage("close 1"));
        });
        assertThat(done.subList(4, done.size())).isEqualTo(downwards("close", 4));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void close_oneFails_allOthersAreClosed(int failing) throws Exception {
        components.open();
        done.clear();
        failClose.add(failing);
        assertThatThrownBy(components::close).hasMessage("close " + failing);
        assertThat(done).isEqualTo(downwards("close", COUNT));
    }

    @Test
    void apply_allPrepareBeforeTheFirstApplies() throws Exception {
        components.open();
        done.clear();
        components.apply(new SettingsChange<>("old", "new"));
        List<String> expected = new ArrayList<>(upwards("prepare", COUNT));
        IntStream.range(0, COUNT).forEach(i -> expected.add("apply " + i + " new"));
        assertThat(done).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void apply_oneCannotPrepare_nothingIsApplied_thoseBeforeItDiscardInReverse(int failing)
            throws Exception {
        components.open();
        done.clear();
        failPrepare.add(failing);
        assertThatThrownBy(() -> components.apply(new SettingsChange<>("old", "new")))
                .isInstanceOf(IOException.class)
                .hasMessage("prepare " + failing);
        List<String> expected = new ArrayList<>(upwards("prepare", failing));
        expected.addAll(downwards("discard", failing));
        assertThat(done).isEqualTo(expected);
    }

    @Test
    void apply_oneCannotPrepare_andAnotherFailsToDiscard_theOthersDiscard() throws Exception {
        components.open();
        done.clear();
        failPrepare.add(3);
        failDiscard.add(2);
        assertThatThrownBy(() -> components.apply(new SettingsChange<>("old", "new")))
                .hasMessage("prepare 3")
                .hasSuppressedException(new IllegalStateException("discard 2"));
        assertThat(done).endsWith("discard 2", "discard 1", "discard 0");
    }

    @Test
    void of_leavesOutAbsentOnes_prepareAppliesByDefault() throws Exception {
        List<String> applied = new ArrayList<>();
        Component<String> only = new Component<>() {
            @Override
            public void apply(SettingsChange<String> change) {
                applied.add(
                        change.before() + " " + change.next() + " " + change.isOf(String::length));
            }
        };
        try (Components<String> some = Components.of(null, only, null)) {
            some.open();
            some.apply(new SettingsChange<>("a", "b"));
            some.apply(new SettingsChange<>("b", "long"));
        }
        assertThat(applied).containsExactly("a b false", "b long true");
    }
}
