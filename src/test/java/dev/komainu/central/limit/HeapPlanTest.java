package dev.komainu.central.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Tests that the limits fit the heap. */
class HeapPlanTest {

    private static final long MB = 1 << 20;

    @Test
    void defaultHeap_carriesAllDefaultLimits() throws IOException {
        long heap = Files.readAllLines(Path.of("jvm.options")).stream()
                .filter(line -> line.matches("-Xmx\\d+m"))
                .mapToLong(line -> Long.parseLong(line.substring(4, line.length() - 1)) * MB)
                .findFirst()
                .orElseThrow();

        // The JVM reports one survivor space less as its largest heap.
        assertThat(HeapPlan.problem(heap * 96 / 100, 200, 500, 2 * MB, 8 * MB)).isEmpty();
    }

    @Test
    void heapTooSmall_oneSentenceNamesWhatIsNeeded_andThatIsEnough() {
        String sentence = HeapPlan.problem(100 * MB, 200, 500, 2 * MB, 8 * MB).orElseThrow();

        assertThat(sentence)
                .matches("heap: 100 MB \\(expected: at least \\d+ MB: .*\\)")
                .doesNotContain("\n");
        long needed = Long.parseLong(sentence.replaceFirst(".*at least (\\d+) MB.*", "$1"));
        assertThat(HeapPlan.problem(needed * MB, 200, 500, 2 * MB, 8 * MB)).isEmpty();
        assertThat(HeapPlan.problem((needed - 2) * MB, 200, 500, 2 * MB, 8 * MB))
                .isPresent();
    }

    @Test
    void streamsBeyondTheHeap_areRefused() {
        assertThat(HeapPlan.problem(384 * MB, 10_000, 500, 2 * MB, 8 * MB)).isPresent();
    }

    @Test
    void batchBeyondTheBudget_isRefusedByItsSetting() {
        assertThat(HeapPlan.problem(384 * MB, 200, 500, 2 * MB, 128 * MB).orElseThrow())
                .startsWith("komainu.ingest.max-body: 128 MB (expected: at most ");
    }
}
