package dev.komainu.agent.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.file.PrivateFiles;
import dev.komainu.telemetry.kit.DiskHistory;
import dev.komainu.telemetry.kit.PowerCuts;
import dev.komainu.telemetry.kit.RecordedDisk;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.OrderOutcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loss of power while orders are carried out: no order that was begun is forgotten, so none is
 * carried out twice; each can be undone; outcomes and the newest epoch stay.
 */
class OrderJournalPowerCutTest {

    private static final int ORDERS = 30;
    private static final String KEY = "k".repeat(43);

    @TempDir
    Path work;

    @Test
    void powerLoss_atAnyInstant_forgetsNoOrder() throws Exception {
        PowerCuts cuts = new PowerCuts(record(), work);
        cuts.check(OrderJournalPowerCutTest::check);
        cuts.checkFindsForgetfulDisk(OrderJournalPowerCutTest::check);
    }

    private DiskHistory record() throws Exception {
        try (RecordedDisk disk = RecordedDisk.mount(work)) {
            Path configuration = disk.root().resolve("server.conf");
            PrivateFiles.replace(configuration, text(0).getBytes(StandardCharsets.UTF_8));
            OrderJournal journal = new OrderJournal(disk.root().resolve("orders"));
            NewestEpoch epoch = new NewestEpoch(disk.root().resolve("orders"), KEY);
            for (int i = 1; i <= ORDERS; i++) {
                epoch.accept(order(i).withEpoch(i));
                disk.acknowledge("epoch " + i);
                HostFile file = new HostFile(configuration);
                journal.begin(order(i), entry(i), file.read());
                disk.acknowledge("begun " + i);
                file.replace(text(i).getBytes(StandardCharsets.UTF_8));
                disk.acknowledge("replaced " + i);
                journal.end(outcome(i));
                disk.acknowledge("ended " + i);
            }
            return disk.history();
        }
    }

    private static String text(int i) {
        return "workers " + i + ";\n" + "# a line of the server's configuration\n".repeat(300);
    }

    private static String id(int i) {
        return String.format(Locale.ROOT, "%032x", i);
    }

    private static Order order(int i) {
        return new Order(
                id(i),
                "here",
                "web:80",
                1,
                2,
                "workers",
                Integer.toString(i - 1),
                Integer.toString(i),
                Order.Then.RELOAD,
                null);
    }

    private static OrderJournal.Entry entry(int i) {
        return new OrderJournal.Entry(
                "web:80",
                "workers",
                Path.of("/etc/server.conf"),
                HostFile.hash(text(i).getBytes(StandardCharsets.UTF_8)),
                null,
                "RELOAD",
                i);
    }

    private static OrderOutcome outcome(int i) {
        return new OrderOutcome(
                id(i),
                "here",
                "web:80",
                OrderOutcome.State.DONE,
                "done",
                "",
                new OrderOutcome.Change(null, null, null, false),
                1,
                i);
    }

    private static void check(Path disk, List<String> acknowledged) throws IOException {
        int begun = newest(acknowledged, "begun ");
        int ended = newest(acknowledged, "ended ");
        int replaced = newest(acknowledged, "replaced ");
        OrderJournal journal = new OrderJournal(disk.resolve("orders"));
        long epoch = new NewestEpoch(disk.resolve("orders"), KEY).number();
        int acknowledgedEpoch = newest(acknowledged, "epoch ");
        assertThat(epoch)
                .as("the newest epoch, of which orders were carried out")
                .isBetween((long) acknowledgedEpoch, acknowledgedEpoch + 1L);
        List<String> interrupted = journal.interrupted();
        for (int i = 1; i <= ORDERS; i++) {
            boolean mayBeUnknown = i > begun;
            assertThat(journal.contains(id(i)) || mayBeUnknown)
                    .as("order %d is known", i)
                    .isTrue();
            if (journal.entry(id(i)) != null || !mayBeUnknown) {
                assertThat(journal.entry(id(i))).isEqualTo(entry(i));
                assertThat(Arrays.equals(
                                journal.backup(id(i)),
                                text(i - 1).getBytes(StandardCharsets.UTF_8)))
                        .as("backup of %d", i)
                        .isTrue();
            }
            OrderOutcome outcome = journal.outcome(id(i));
            assertThat(outcome == null && i > ended || outcome(i).equals(outcome))
                    .as("outcome of %d: %s", i, outcome)
                    .isTrue();
            assertThat(interrupted.contains(id(i)))
                    .as("%d is interrupted", i)
                    .isEqualTo(journal.entry(id(i)) != null && outcome == null);
        }
        assertThat(begun == 0
                        || List.of(text(replaced), text(replaced + 1))
                                .contains(Files.readString(disk.resolve("server.conf"))))
                .as("the server's file is that of order %d", replaced)
                .isTrue();
    }

    private static int newest(List<String> acknowledged, String kind) {
        return acknowledged.stream()
                .filter(message -> message.startsWith(kind))
                .mapToInt(message -> Integer.parseInt(message.substring(kind.length())))
                .max()
                .orElse(0);
    }
}
