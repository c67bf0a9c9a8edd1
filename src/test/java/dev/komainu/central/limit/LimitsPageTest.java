package dev.komainu.central.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests that the table of {@code docs/security.md} has the limits as declared. Run with
 * {@code -Dlimits.write} it writes the table.
 */
class LimitsPageTest {

    private static final String MARK = "<!-- limits -->";

    @Test
    void page_table_isAsDeclared() throws IOException {
        Path page = Path.of("../docs/security.md");
        String written = Files.readString(page);

        String generated = generated(written.lines().toList());

        if (System.getProperty("limits.write") != null) {
            Files.writeString(page, generated);
        }
        assertThat(written).isEqualTo(generated);
    }

    private static String generated(List<String> lines) {
        int mark = lines.indexOf(MARK);
        assertThat(mark).as("line of " + MARK).isNotNegative();
        List<String> out = new ArrayList<>(lines.subList(0, mark + 3)); // and the table's head
        for (RequestLimit limit : RequestLimit.values()) {
            out.add(limit.row());
        }
        int next = mark + 3;
        while (next < lines.size() && !lines.get(next).isBlank()) {
            next++;
        }
        out.addAll(lines.subList(next, lines.size()));
        return String.join("\n", out) + "\n";
    }
}
