package dev.komainu.agent.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.GoldenFiles;
import dev.komainu.telemetry.record.OrderOutcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Orders carried out by agents of earlier releases are known and can be undone. */
class GoldenJournalTest {

    @TempDir
    Path directory;

    static List<Path> releases() {
        return GoldenFiles.releasesWith("order-journal.zip");
    }

    @ParameterizedTest
    @MethodSource("releases")
    void journal_ofAnEarlierRelease_containsOrderBackupAndOutcome(Path release) {
        GoldenFiles.check(release, "order-journal.zip", "order journal", () -> open(release));
    }

    private void open(Path release) throws IOException {
        GoldenFiles.unpack(release, "order-journal", directory);
        OrderJournal journal = new OrderJournal(directory);
        List<String> ids = ids();

        assertThat(ids).as("orders in files *.begun").isNotEmpty().allMatch(journal::contains);
        assertThat(journal.interrupted()).as("orders without an outcome").isEmpty();
        String id = ids.getFirst();
        OrderJournal.Entry entry = journal.entry(id);
        assertThat(entry).as("entry").isNotNull();
        assertThat(entry.service()).as("service").isEqualTo("golden-web:8080");
        assertThat(entry.setting()).as("setting").isEqualTo("worker_connections");
        assertThat(entry.file()).as("file").isEqualTo(Path.of("/srv/data/nginx/nginx.conf"));
        assertThat(entry.then()).as("then").isEqualTo("RELOAD");
        byte[] backup = journal.backup(id);
        assertThat(backup).as("backup").isNotNull();
        String before = new String(backup, StandardCharsets.UTF_8);
        assertThat(before).contains("worker_connections 256;");
        assertThat(entry.hash())
                .as("hash")
                .isEqualTo(HostFile.hash(
                        before.replace("worker_connections 256;", "worker_connections 512;")
                                .getBytes(StandardCharsets.UTF_8)));
        OrderOutcome outcome = journal.outcome(id);
        assertThat(outcome).as("outcome").isNotNull();
        assertThat(outcome.order()).isEqualTo(id);
        assertThat(outcome.node()).isEqualTo("golden-web");
        assertThat(outcome.state()).isEqualTo(OrderOutcome.State.DONE);
        assertThat(outcome.change().before()).isEqualTo("256");
        assertThat(outcome.change().after()).isEqualTo("512");
        assertThat(outcome.change().file()).isEqualTo("/srv/data/nginx/nginx.conf");
        assertThat(outcome.change().restored()).isFalse();
        assertThat(outcome.begunMicros()).isLessThan(outcome.atMicros());
        assertThat(entry.atMicros()).as("at").isBetween(outcome.begunMicros(), outcome.atMicros());
    }

    private List<String> ids() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".begun"))
                    .map(name -> name.replace(".begun", ""))
                    .toList();
        }
    }
}
