package dev.komainu.telemetry.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.DiskHistory;
import dev.komainu.telemetry.kit.PowerCuts;
import dev.komainu.telemetry.kit.RecordedDisk;
import dev.komainu.telemetry.record.BatchId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loss of power while the central service cannot be reached: each batch that was added a second
 * before, and was not sent, is in the spool, whole and in its order.
 */
class SpoolPowerCutTest {

    private static final int BATCHES = 120;
    private static final long LIMIT = 64 << 20;

    @TempDir
    Path work;

    @Test
    void powerLoss_atAnyInstant_keepsEachForcedBatchUntilItIsSent() throws Exception {
        PowerCuts cuts = new PowerCuts(record(), work);
        cuts.check(this::check);
        cuts.checkFindsForgetfulDisk(this::check);
    }

    private DiskHistory record() throws Exception {
        try (RecordedDisk disk = RecordedDisk.mount(work)) {
            AtomicLong nanos = new AtomicLong();
            Outbox outbox = new Outbox(open(disk.root()), LIMIT, new DropCounts(), nanos::get);
            outbox.reachable(false);
            List<Long> added = new ArrayList<>();
            for (long sequence = 1; sequence <= BATCHES; sequence++) {
                boolean isDue = sequence % 3 == 0;
                nanos.addAndGet(isDue ? Outbox.FORCE_NANOS : 0);
                outbox.add(batch(sequence));
                added.add(sequence);
                if (isDue) {
                    added.forEach(each -> disk.acknowledge("kept " + each));
                    added.clear();
                }
                if (sequence % 4 == 0) {
                    OutgoingBatch oldest = outbox.head(0);
                    assertThat(oldest).isNotNull();
                    disk.acknowledge("sent " + oldest.id().sequence());
                    outbox.remove(oldest);
                }
            }
            outbox.close();
            added.forEach(each -> disk.acknowledge("kept " + each));
            return disk.history();
        }
    }

    private static Spool open(Path root) throws IOException {
        return new Spool(root.resolve("spool"), LIMIT, new DropCounts(), Spool::create);
    }

    /** A batch of 1 KB to 200 KB, so that the spool has several segments. */
    private static OutgoingBatch batch(long sequence) {
        Random content = new Random(sequence);
        byte[] body = new byte[1_000 + content.nextInt(200_000)];
        content.nextBytes(body);
        return new OutgoingBatch(new BatchId("a", 7, sequence), 5, body);
    }

    private void check(Path disk, List<String> acknowledged) throws IOException {
        List<Long> expected = new ArrayList<>();
        for (String message : acknowledged) {
            long sequence = Long.parseLong(message.substring(5));
            if (message.startsWith("kept")) {
                expected.add(sequence);
            } else {
                expected.remove(sequence);
            }
        }
        List<Long> found = new ArrayList<>();
        if (Files.exists(disk.resolve("spool"))) {
            try (Spool spool = open(disk)) {
                for (OutgoingBatch batch = spool.peek(); batch != null; batch = spool.peek()) {
                    long sequence = batch.id().sequence();
                    assertThat(Arrays.equals(batch.body(), batch(sequence).body()))
                            .as("body of %d", sequence)
                            .isTrue();
                    found.add(sequence);
                    spool.remove(batch);
                }
            }
        }
        assertThat(found).as("order").isSorted().doesNotHaveDuplicates();
        assertThat(found).containsAll(expected);
    }
}
