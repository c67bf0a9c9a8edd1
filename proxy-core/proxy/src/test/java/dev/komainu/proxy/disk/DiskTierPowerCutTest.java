package dev.komainu.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.telemetry.kit.DiskHistory;
import dev.komainu.telemetry.kit.PowerCuts;
import dev.komainu.telemetry.kit.RecordedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loss of power while responses are stored and purged: the tier opens, no damaged response is
 * restored, and no purged one without confirmation by its origin, also not by later processes.
 * Responses may be missing.
 */
class DiskTierPowerCutTest {

    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int PATHS = 24;
    private static final int SESSIONS = 3;

    @TempDir
    Path work;

    @Test
    void powerLoss_atAnyInstant_restoresNothingDamagedOrPurged() throws Exception {
        new PowerCuts(record(), work).check(DiskTierPowerCutTest::check);
    }

    private DiskHistory record() throws Exception {
        try (RecordedDisk disk = RecordedDisk.mount(work)) {
            for (int session = 1; session <= SESSIONS; session++) {
                try (Shelf shelf = new Shelf(disk.root().resolve("tier"))) {
                    for (int path = 0; path < PATHS; path++) {
                        disk.acknowledge("put " + path);
                        shelf.put("/" + path, body(path, session), 3600, "\"" + session + "\"");
                    }
                    shelf.evictAll();
                    for (int path = session; path < PATHS; path += 3) {
                        shelf.purge(new PurgeOrder.Uri(Shelf.key("/" + path)), path % 2 == 0);
                        disk.acknowledge("purged " + path);
                    }
                }
            }
            return disk.history();
        }
    }

    private static String body(int path, int session) {
        return ("path " + path + " of session " + session + ";").repeat(1 + path * 50);
    }

    private static void check(Path disk, List<String> acknowledged) throws Exception {
        Map<Integer, String> last = new HashMap<>();
        for (String message : acknowledged) {
            String[] words = message.split(" ");
            last.put(Integer.parseInt(words[1]), words[0]);
        }
        startMachine(disk);
        // The second process starts after an orderly end of the first, during the same boot.
        for (int process = 1; process <= 2; process++) {
            try (Shelf shelf = new Shelf(disk.resolve("tier"))) {
                for (int path = process - 1; path < PATHS; path += 2) {
                    check(shelf, path, last.getOrDefault(path, ""));
                }
            }
        }
    }

    /** Lets the files be those of an earlier boot. */
    private static void startMachine(Path disk) throws IOException {
        Path state = disk.resolve("tier").resolve("state");
        if (Files.exists(state)) {
            String boot = Files.readString(BOOT).strip();
            Files.writeString(state, Files.readString(state).replace(boot, "earlier-boot"));
        }
    }

    private static void check(Shelf shelf, int path, String last) throws Exception {
        StoredResponse found = shelf.read("/" + path);
        if (found == null) {
            return;
        }
        if (last.equals("purged")) {
            assertThat(found.freshness().leftSeconds(shelf.millis.get()))
                    .as("seconds that the purged /%d is used without its origin", path)
                    .isLessThanOrEqualTo(0);
        }
        String body = shelf.body("/" + path);
        List<String> written = new ArrayList<>();
        for (int session = 1; session <= SESSIONS; session++) {
            written.add(body(path, session));
        }
        assertThat(written.contains(body)).as("body of /%d", path).isTrue();
    }
}
