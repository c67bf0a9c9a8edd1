package dev.komainu.seed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Each run uses an empty jqwik database, as in another test JVM. */
class FailedSeedsTest {

    private static final int TRIES = 50;

    private static final List<Integer> DRAWN = new ArrayList<>();
    private static boolean broken;

    /** Not found by Surefire because it is nested; run by the tests. */
    static class Sample {

        @Property(tries = TRIES, shrinking = ShrinkingMode.OFF)
        void drawn_isTold(@ForAll int any) {
            DRAWN.add(any);
            assertThat(broken && DRAWN.size() == TRIES).isFalse();
        }
    }

    @TempDir
    private Path directory;

    private final PrintStream out = System.out;
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private Path kept;
    private int jvms;

    @BeforeEach
    void setUp() {
        kept = directory.resolve("failed-seeds");
        System.setProperty("failed.seeds", kept.toString());
        System.clearProperty("property.seed");
        broken = false;
        // Without this, the launcher would interpret the output as that of a failure.
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void tearDown() {
        System.setOut(out);
        System.clearProperty("failed.seeds");
        System.clearProperty("property.seed");
    }

    @Test
    void propertyFails_anotherTestJvmDrawsTheSame() throws IOException {
        broken = true;
        List<Integer> first = inAnotherJvm();
        assertThat(seedOfSample()).matches("-?[0-9]+");
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains(
                        "\nAgain: ./komainu test -pl monitor/test-seeds -am -Dtest='FailedSeedsTest#drawn_isTold' -Dproperty.seed="
                                + seedOfSample() + "\n");

        assertThat(inAnotherJvm()).isEqualTo(first);
    }

    @Test
    void propertyPassesAgain_itsSeedIsDeleted() throws IOException {
        broken = true;
        List<Integer> first = inAnotherJvm();
        broken = false;
        assertThat(inAnotherJvm()).isEqualTo(first);

        assertThat(kept).isEmptyDirectory();
        assertThat(inAnotherJvm()).isNotEqualTo(first);
    }

    @Test
    void seedOfAFailureGivenByHand_drawsTheSame() throws IOException {
        broken = true;
        List<Integer> first = inAnotherJvm();
        String seed = seedOfSample();
        Files.delete(kept.resolve(Sample.class.getName() + ".drawn_isTold"));

        System.setProperty("property.seed", seed);

        assertThat(inAnotherJvm()).isEqualTo(first);
    }

    private String seedOfSample() throws IOException {
        return Files.readString(kept.resolve(Sample.class.getName() + ".drawn_isTold"));
    }

    private List<Integer> inAnotherJvm() {
        DRAWN.clear();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(Sample.class))
                .configurationParameter(
                        "jqwik.database",
                        directory.resolve("jqwik-database-" + ++jvms).toString())
                .build();
        LauncherFactory.create().execute(request);
        assertThat(DRAWN).hasSize(TRIES);
        return List.copyOf(DRAWN);
    }
}
