package dev.komainu.agent.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.packet.CaptureFile;
import dev.komainu.agent.packet.LinkType;
import dev.komainu.telemetry.kit.DiskHistory;
import dev.komainu.telemetry.kit.PowerCuts;
import dev.komainu.telemetry.kit.RecordedDisk;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loss of power while packets are recorded: the next start goes on with the files, each packet that
 * was forced and has not been replaced by newer ones is there, and none that was not recorded.
 */
class EvidencePowerCutTest {

    private static final int PACKETS = 6_000;
    private static final long START = 1_795_219_200_000_000L;
    /** A packet each 40 ms: 250 between two forces. */
    private static final long STEP_MICROS = 40_000;

    private static final long BYTES = 512 << 10;
    private static final int LONGEST = 300;

    @TempDir
    Path work;

    @Test
    void powerLoss_atAnyInstant_keepsThePacketsOfAllButTheLastSeconds() throws Exception {
        PowerCuts cuts = new PowerCuts(record(), work);
        cuts.check(EvidencePowerCutTest::check);
        cuts.checkFindsForgetfulDisk(EvidencePowerCutTest::check);
    }

    private static EvidenceRing open(Path root) throws Exception {
        // Forces take no time here, so that the record has one order.
        return EvidenceRing.open(
                new EvidenceSettings(root.resolve("ring.pcap"), BYTES, LONGEST, false),
                Runnable::run);
    }

    private DiskHistory record() throws Exception {
        try (RecordedDisk disk = RecordedDisk.mount(work);
                Arena arena = Arena.ofConfined()) {
            EvidenceRing ring = open(disk.root());
            long forces = START;
            for (int i = 0; i < PACKETS; i++) {
                byte[] frame = frame(i);
                MemorySegment memory = arena.allocate(frame.length);
                MemorySegment.copy(frame, 0, memory, ValueLayout.JAVA_BYTE, 0, frame.length);
                long micros = START + i * STEP_MICROS;
                ring.append(micros, LinkType.ETHERNET, memory, 0, frame.length, frame.length);
                ring.idle(micros);
                disk.acknowledge("written " + i);
                if (i == 0 || micros - forces >= EvidenceRing.FORCE_SECONDS * 1_000_000L) {
                    forces = micros;
                    disk.acknowledge("forced " + i);
                }
                if (i == PACKETS / 2) {
                    ring.close();
                    disk.acknowledge("forced " + i);
                    ring = open(disk.root());
                    forces = 0;
                }
            }
            ring.close();
            disk.acknowledge("forced " + (PACKETS - 1));
            return disk.history();
        }
    }

    /** An Ethernet frame whose bytes tell its number. */
    private static byte[] frame(int number) {
        Random content = new Random(number);
        byte[] frame = new byte[60 + content.nextInt(LONGEST - 60)];
        content.nextBytes(frame);
        return frame;
    }

    private static void check(Path disk, List<String> acknowledged) throws Exception {
        int written = newest(acknowledged, "written ");
        int forced = newest(acknowledged, "forced ");
        open(disk).close();
        List<Integer> found = new ArrayList<>();
        for (Path half : List.of(disk.resolve("ring.pcap.1"), disk.resolve("ring.pcap"))) {
            if (Files.exists(half)) {
                try (CaptureFile file = new CaptureFile(half)) {
                    file.run((micros, link, memory, offset, captured, length) -> {
                        int number = (int) ((micros - START) / STEP_MICROS);
                        byte[] bytes = new byte[captured];
                        MemorySegment.copy(
                                memory, ValueLayout.JAVA_BYTE, offset, bytes, 0, captured);
                        assertThat(Arrays.equals(bytes, frame(number)))
                                .as("packet %d of %d is unchanged", number, written)
                                .isTrue();
                        found.add(number);
                    });
                }
            }
        }
        assertThat(found).isSorted().doesNotHaveDuplicates();
        List<Integer> expected = new ArrayList<>();
        long newer = 0;
        for (int i = written; i >= 0 && newer < BYTES / 2 - 2 * LONGEST; i--) {
            newer += EthernetPcapWriter.most(frame(i).length);
            if (i <= forced) {
                expected.add(i);
            }
        }
        expected.removeAll(found);
        assertThat(expected).as("missing of %d forced", forced).isEmpty();
    }

    private static int newest(List<String> acknowledged, String kind) {
        return acknowledged.stream()
                .filter(message -> message.startsWith(kind))
                .mapToInt(message -> Integer.parseInt(message.substring(kind.length())))
                .max()
                .orElse(-1);
    }
}
