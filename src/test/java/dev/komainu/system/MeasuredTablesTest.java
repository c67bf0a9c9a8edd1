package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ./komainu bench check}: every measured table says what it measured, and is called stale
 * when that changed.
 */
class MeasuredTablesTest {

    private static final Path CHECK = Path.of("../.launcher/bench/check.py").toAbsolutePath();

    @TempDir
    private Path root;

    @Test
    void everyMeasuredTableOfTheProject_hasAMarker() throws Exception {
        Told told = check(Path.of("..").toAbsolutePath().normalize(), "--markers");
        assertThat(told.code()).as(told.words()).isZero();
    }

    @Test
    void roomChangedAfterTheMeasurement_isStaleAndMarked() throws Exception {
        Path document = measured(
                "first",
                "## Speed\n\n<!-- measured: COMMIT; bench: engine -->\n\n| a |\n|---|\n| 1 |\n");
        Files.writeString(root.resolve("engine/Engine.java"), "second");
        commit("engine changes");

        Told told = check(root, "--mark");

        assertThat(told.code()).as(told.words()).isZero();
        assertThat(told.words()).contains("1 measured tables, 1 of them stale");
        assertThat(Files.readString(document))
                .contains("*Stale: measured at ")
                .contains("; 1 file of what it measures");
        assertThat(check(root, "--mark").words()).contains("1 of them stale");
        assertThat(Files.readAllLines(document))
                .filteredOn(line -> line.startsWith("*Stale"))
                .hasSize(1);
    }

    @Test
    void onlyTestsOrOtherRoomsChanged_isFreshAndTheNoteGoes() throws Exception {
        Path document = measured(
                "first",
                "## Speed\n\n<!-- measured: COMMIT; bench: engine -->\n\n*Stale: measured long ago.*\n\n| a |\n|---|\n| 1 |\n");
        Files.createDirectories(root.resolve("engine/src/test"));
        Files.writeString(root.resolve("engine/src/test/EngineTest.java"), "new");
        Files.writeString(root.resolve("other.txt"), "new");
        commit("others change");

        Told told = check(root, "--mark");

        assertThat(told.words()).contains("1 measured tables, 0 of them stale");
        assertThat(Files.readString(document)).doesNotContain("*Stale");
    }

    @Test
    void tableWithoutMarkerOrRoomThatIsGone_isAMistake() throws Exception {
        measured("first", "## Speed\n\n| a |\n|---|\n| 1 |\n");
        Told bare = check(root);
        assertThat(bare.code()).isEqualTo(1);
        assertThat(bare.words())
                .contains("docs/benchmarks.md:4: a measured table without a marker");

        Files.writeString(
                root.resolve(".launcher/bench/rooms"), "none\nengine engine gone/folder\n");
        Told gone = check(root, "--markers");
        assertThat(gone.code()).isEqualTo(1);
        assertThat(gone.words())
                .contains("engine: gone/folder (expected: a folder or file of the repository)");
    }

    /**
     * A repository with one room and one document; COMMIT in its text becomes the commit that holds
     * the room.
     */
    private Path measured(String engine, String text) throws Exception {
        Files.createDirectories(root.resolve("engine"));
        Files.createDirectories(root.resolve(".launcher/bench"));
        Files.createDirectories(root.resolve("docs"));
        Files.writeString(root.resolve("engine/Engine.java"), engine);
        Files.writeString(root.resolve(".launcher/bench/rooms"), "none\nengine engine\n");
        run(root, "git", "init", "-q");
        commit("engine");
        String commit = run(root, "git", "rev-parse", "HEAD").words().strip();
        Path document = Files.writeString(
                root.resolve("docs/benchmarks.md"), text.replace("COMMIT", commit));
        commit("measured");
        return document;
    }

    private void commit(String subject) throws Exception {
        run(root, "git", "add", "-A");
        run(
                root,
                "git",
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@example.org",
                "commit",
                "-qm",
                subject);
    }

    private static Told check(Path root, String... options) throws Exception {
        List<String> command = new ArrayList<>(
                List.of("python3", "-B", CHECK.toString(), "--root", root.toString()));
        command.addAll(List.of(options));
        return run(root, command.toArray(String[]::new));
    }

    private static Told run(Path directory, String... command)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        String words = new String(
                process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(words).isTrue();
        return new Told(process.exitValue(), words);
    }

    /**
     * What a command said.
     *
     * @param code its exit code
     * @param words both streams
     */
    private record Told(int code, String words) {}
}
