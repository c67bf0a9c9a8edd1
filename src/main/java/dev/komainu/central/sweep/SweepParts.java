package dev.komainu.central.sweep;

import dev.komainu.central.recording.RecordingReader;
import dev.komainu.central.state.RuleSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The results of single recordings, in files: a sweep that was interrupted goes on with the next
 * recording. The name of a file depends on the recording, its expected states, and the rules; a
 * change of the program itself is not noticed.
 */
final class SweepParts {

    private static final String FORMAT = "1";

    private final Path directory;
    private final RuleSet ruleSet;

    SweepParts(Path directory, RuleSet ruleSet) throws IOException {
        this.directory = Files.createDirectories(directory.resolve("parts"));
        this.ruleSet = ruleSet;
    }

    /** Returns the rows of a recording that was swept before; null when it was not. */
    @Nullable
    List<SweepRow> find(Path recording) throws IOException {
        Path file = file(recording);
        return Files.exists(file)
                ? Files.readAllLines(file).stream().map(SweepRow::of).toList()
                : null;
    }

    void keep(Path recording, List<SweepRow> rows) throws IOException {
        Path file = file(recording);
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.write(fresh, rows.stream().map(SweepRow::line).toList());
        Files.move(
                fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private Path file(Path recording) throws IOException {
        CRC32C of = new CRC32C();
        update(of, FORMAT + SweptMark.FACTORS + ruleSet + recording.toAbsolutePath());
        for (Path file : new RecordingReader(recording).files()) {
            update(of, file.getFileName() + " " + Files.size(file));
        }
        @Nullable Path expected = ExpectedStates.beside(recording);
        if (expected != null) {
            of.update(Files.readAllBytes(expected));
        }
        return directory.resolve(
                String.format(Locale.ROOT, "%s-%08x.tsv", recording.getFileName(), of.getValue()));
    }

    private static void update(CRC32C of, String text) {
        of.update(text.getBytes(StandardCharsets.UTF_8));
    }
}
