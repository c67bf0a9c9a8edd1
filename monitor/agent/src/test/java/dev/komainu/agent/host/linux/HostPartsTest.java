package dev.komainu.agent.host.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.HostParts.Card;
import dev.komainu.telemetry.record.HostParts.CardErrors;
import dev.komainu.telemetry.record.HostParts.MemoryModule;
import dev.komainu.telemetry.record.HostParts.Volume;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * File systems, links, sensors and memory modules, from trees of files as the kernel writes them.
 */
class HostPartsTest {

    private static final FileSpace HALF = new FileSpace(10_000_000, 5_000_000, 1_000, 250);

    @TempDir
    private Path root;

    private Path proc;
    private Path sys;

    @BeforeEach
    void trees() throws IOException {
        proc = Files.createDirectories(root.resolve("proc"));
        sys = Files.createDirectories(root.resolve("sys"));
        write(proc.resolve("filesystems"), "nodev\tproc\nnodev\ttmpfs\n\text4\n\txfs\n");
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private List<Volume> volumes(String mountinfo) throws IOException {
        write(proc.resolve("self/mountinfo"), mountinfo);
        return new Volumes(new ProcFiles(proc), sys, path -> HALF).read();
    }

    @Test
    void volumes_onDevicesAndInMemory_areListedOnce_atTheShortestPath() throws IOException {
        List<Volume> volumes = volumes("""
                22 1 0:21 / /proc rw,relatime - proc proc rw
                25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
                26 25 8:1 /srv /srv/again rw - ext4 /dev/sda1 rw
                27 25 8:2 / /data\\040one rw - xfs /dev/sdb1 rw
                28 25 0:30 / /tmp rw - tmpfs tmpfs rw
                29 25 0:40 / /far rw - nfs4 host:/far rw
                broken
                """);

        assertThat(volumes).extracting(Volume::mount).containsExactly("/", "/data one", "/tmp");
        assertThat(volumes.getFirst().usedShare()).isEqualTo(0.5);
        assertThat(volumes.getFirst().filesUsedShare()).isEqualTo(0.75);
    }

    @Test
    void volume_readOnlyByAnError_isToldFromOneMountedSo() throws IOException {
        write(sys.resolve("fs/ext4/sda1/errors_count"), "3\n");

        List<Volume> volumes = volumes("""
                25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 ro,errors=remount-ro
                27 25 8:2 / /data ro - xfs /dev/sdb1 ro
                """);

        assertThat(volumes).extracting(Volume::turnedReadOnly).containsExactly(1, 0);
        assertThat(volumes).extracting(Volume::errors).containsExactly(3L, null);
    }

    @Test
    void volume_stoppedByANewerKernel_tellsNoRo() throws IOException {
        assertThat(volumes("25 1 8:1 / / rw - ext4 /dev/sda1 rw,emergency_ro,errors=remount-ro\n"))
                .extracting(Volume::readOnly, Volume::turnedReadOnly)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(1, 1));
    }

    @Test
    void volume_remountedReadOnly_hasTurned_andOneThatWasNeverWritableHasNot() throws IOException {
        String writable =
                "25 1 8:1 / / rw - ext4 /dev/sda1 rw\n27 25 7:0 / /snap ro - squashfs /dev/loop0 ro\n";
        write(proc.resolve("filesystems"), "\text4\n\tsquashfs\n");
        write(proc.resolve("self/mountinfo"), writable);
        Volumes volumes = new Volumes(new ProcFiles(proc), sys, path -> HALF);
        assertThat(volumes.read()).extracting(Volume::turnedReadOnly).containsExactly(0, 0);

        write(proc.resolve("self/mountinfo"), writable.replace(" rw", " ro"));
        assertThat(volumes.read()).extracting(Volume::turnedReadOnly).containsExactly(1, 0);

        write(proc.resolve("self/mountinfo"), writable);
        assertThat(volumes.read()).extracting(Volume::turnedReadOnly).containsExactly(0, 0);
    }

    private void card(String name, String flags, String carrier, long crc) throws IOException {
        Path card = sys.resolve("class/net").resolve(name);
        write(card.resolve("flags"), flags + "\n");
        write(card.resolve("carrier"), carrier + "\n");
        write(card.resolve("speed"), "1000\n");
        write(card.resolve("carrier_changes"), "5\n");
        write(card.resolve("statistics/rx_crc_errors"), crc + "\n");
    }

    @Test
    void card_linkThatWasUp_isDown_andErrorsAreThoseSinceTheLastReading() throws IOException {
        NetworkCards cards = new NetworkCards(sys);
        card("eth0", "0x1003", "1", 10);
        card("eth1", "0x1003", "0", 0);
        card("lo", "0x9", "1", 0);
        assertThat(cards.read())
                .extracting(Card::name, Card::linkDown, Card::errors)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("eth0", 0, List.of()),
                        org.assertj.core.groups.Tuple.tuple("eth1", 0, List.of()));

        card("eth0", "0x1003", "0", 17);
        Card broken = cards.read().getFirst();
        assertThat(broken.linkDown()).isOne();
        assertThat(broken.errors()).containsExactly(new CardErrors("rx_crc_errors", 7));
        assertThat(broken.speedBitsPerSecond()).isNull();
        assertThat(broken.fastestBitsPerSecond()).isEqualTo(1_000_000_000L);

        // Set down by the administrator.
        card("eth0", "0x1002", "0", 17);
        assertThat(cards.read().getFirst().linkDown()).isZero();
    }

    private static byte[] module(int size, int kind, int extended, String slot) {
        byte[] text = slot.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer bytes =
                ByteBuffer.allocate(0x22 + text.length + 2).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put((byte) 17).put((byte) 0x22);
        bytes.putShort(0x0C, (short) size).put(0x10, (byte) 1).put(0x12, (byte) kind);
        bytes.putInt(0x1C, extended).put(0x22, text);
        return bytes.array();
    }

    @Test
    void modules_ofTheFirmwaresTable_withoutEmptySlots() {
        byte[] small = module(8_192, 0x1A, 0, "DIMM A");
        byte[] empty = module(0, 2, 0, "DIMM B");
        byte[] large = module(0x7FFF, 0x22, 65_536, "DIMM C");
        ByteBuffer table = ByteBuffer.allocate(small.length + empty.length + large.length + 3);
        table.put(small).put(empty).put(large).put((byte) 17).put((byte) 0x22).put((byte) 0);

        assertThat(MemoryModules.parse(table.array()))
                .containsExactly(
                        new MemoryModule("DIMM A", 8L << 30, "DDR4"),
                        new MemoryModule("DIMM C", 64L << 30, "DDR5"));
    }

    @Test
    void space_andClock_ofThisHost_areRead() {
        FileSpace space = FileSpace.of("/");
        assertThat(space).isNotNull();
        assertThat(space.bytes()).isGreaterThanOrEqualTo(space.availableBytes()).isPositive();
        assertThat(FileSpace.of("/nowhere/at/all")).isNull();
        assertThat(KernelClock.synchronised()).isBetween(0, 1);
    }
}
