package dev.komainu.agent.host.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.HostParts.Array;
import dev.komainu.telemetry.record.HostParts.CpuEvents;
import dev.komainu.telemetry.record.HostParts.Drive;
import dev.komainu.telemetry.record.HostParts.MemoryErrors;
import dev.komainu.telemetry.record.HostParts.Sensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Disk arrays, memory errors, disk errors, heat and interrupts. The trees are written after the
 * kernel's documentation (admin-guide/md.rst, admin-guide/ras.rst, hwmon/sysfs-interface.rst,
 * scheduler/sched-stats.rst) and not recorded on a machine.
 */
class PartTreesTest {

    @TempDir
    private Path root;

    private Path proc;
    private Path sys;

    @BeforeEach
    void trees() throws IOException {
        proc = Files.createDirectories(root.resolve("proc"));
        sys = Files.createDirectories(root.resolve("sys"));
    }

    private static void write(Path file, Object text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    @Test
    void arrays_withMissingDisks_andWithoutSpareData() throws IOException {
        Path degraded = sys.resolve("block/md0/md");
        write(degraded.resolve("level"), "raid1");
        write(degraded.resolve("raid_disks"), 2);
        write(degraded.resolve("degraded"), 1);
        Path striped = sys.resolve("block/md1/md");
        write(striped.resolve("level"), "raid0");
        write(striped.resolve("raid_disks"), 2);
        write(sys.resolve("block/sda/size"), 100);

        assertThat(DiskArrays.read(sys)).containsExactly(new Array("md0", "raid1", 2, 1));
    }

    @Test
    void memoryErrors_ofModules_elseOfTheController() throws IOException {
        Path first = sys.resolve("devices/system/edac/mc/mc0");
        write(first.resolve("ce_count"), 9);
        write(first.resolve("ue_count"), 0);
        write(first.resolve("dimm0/dimm_label"), "CPU1_DIMM_A1");
        write(first.resolve("dimm0/dimm_ce_count"), 7);
        write(first.resolve("dimm0/dimm_ue_count"), 0);
        Path second = sys.resolve("devices/system/edac/mc/mc1");
        write(second.resolve("ce_count"), 0);
        write(second.resolve("ue_count"), 1);
        MemoryErrorCounts counts = new MemoryErrorCounts(sys);

        assertThat(counts.read())
                .containsExactly(
                        new MemoryErrors("CPU1_DIMM_A1", 7, 0, 0, 0),
                        new MemoryErrors("mc1", 0, 1, 0, 0));

        write(first.resolve("dimm0/dimm_ce_count"), 12);
        write(second.resolve("ue_count"), 3);
        assertThat(counts.read())
                .containsExactly(
                        new MemoryErrors("CPU1_DIMM_A1", 12, 0, 5, 0),
                        new MemoryErrors("mc1", 0, 3, 0, 2));
    }

    @Test
    void driveErrors_grow_andDriversThatCountNoneTellNone() throws IOException {
        write(sys.resolve("block/sda/device/ioerr_cnt"), "0x1f");
        write(sys.resolve("block/vda/size"), 100);
        List<Drive> drives = List.of(
                new Drive("sda", null, 100, null, null, null),
                new Drive("vda", null, 100, null, null, 0));
        DriveErrorCounts counts = new DriveErrorCounts(sys);
        assertThat(counts.withErrors(drives))
                .containsExactly(
                        new Drive("sda", null, 100, 31L, 0L, null),
                        new Drive("vda", null, 100, null, null, 0));

        write(sys.resolve("block/sda/device/ioerr_cnt"), "0x22");
        assertThat(counts.withErrors(drives))
                .first()
                .isEqualTo(new Drive("sda", null, 100, 34L, 3L, null));
    }

    @Test
    void throttles_areThoseSinceTheLastReading_andAbsentWhereNotCounted() throws IOException {
        CpuThrottles throttles = new CpuThrottles(sys);
        assertThat(throttles.read()).isNull();
        Path cpus = sys.resolve("devices/system/cpu");
        write(cpus.resolve("cpu0/thermal_throttle/core_throttle_count"), 3);
        write(cpus.resolve("cpu1/thermal_throttle/core_throttle_count"), 5);
        write(cpus.resolve("cpufreq/thermal_throttle/core_throttle_count"), 50);
        assertThat(throttles.read()).isZero();

        write(cpus.resolve("cpu1/thermal_throttle/core_throttle_count"), 9);
        assertThat(throttles.read()).isEqualTo(4);
    }

    @Test
    void temperatures_haveTheirLimits_andTheCpusIsTheHighestOfItsSensors() throws IOException {
        assertThat(Temperatures.read(sys)).isEqualTo(new Temperatures.Reading(List.of(), null));
        Path cpu = sys.resolve("class/hwmon/hwmon0");
        write(cpu.resolve("name"), "coretemp");
        write(cpu.resolve("temp1_input"), 48_000);
        write(cpu.resolve("temp1_label"), "Package id 0");
        write(cpu.resolve("temp1_crit"), 100_000);
        write(cpu.resolve("temp1_max"), 82_000);
        write(cpu.resolve("temp2_input"), 51_500);
        // A driver that knows no limit tells such a value.
        write(cpu.resolve("temp2_crit"), 65_261_850);
        Path disk = sys.resolve("class/hwmon/hwmon1");
        write(disk.resolve("name"), "nvme");
        write(disk.resolve("temp1_input"), 80_000);
        write(disk.resolve("temp1_max"), 84_850);
        Path zone = sys.resolve("class/thermal/thermal_zone0");
        write(zone.resolve("type"), "acpitz");
        write(zone.resolve("temp"), 30_000);
        write(zone.resolve("trip_point_0_type"), "passive");
        write(zone.resolve("trip_point_0_temp"), 90_000);
        write(zone.resolve("trip_point_1_type"), "critical");
        write(zone.resolve("trip_point_1_temp"), 105_000);

        assertThat(Temperatures.read(sys))
                .isEqualTo(new Temperatures.Reading(
                        List.of(
                                new Sensor("coretemp Package id 0", 48, 100.0),
                                new Sensor("coretemp", 51.5, null),
                                new Sensor("nvme", 80, 84.85),
                                new Sensor("acpitz", 30, 105.0)),
                        51.5));
    }

    @Test
    void cpuEvents_areSumsOfEachCpusColumn_alsoWithAnOfflineCpu() throws IOException {
        interrupts(100, 7);
        write(proc.resolve("schedstat"), "version 17\ntimestamp 1\ncpu0 0 0 900 1\ndomain0 MC 1");
        CpuEventCounts counts = new CpuEventCounts(new ProcFiles(proc));
        assertThat(counts.read()).as("at the first reading").isEmpty();

        interrupts(150, 9);
        write(proc.resolve("schedstat"), "version 17\ntimestamp 2\ncpu0 0 0 970 1\ndomain0 MC 1");
        assertThat(counts.read())
                .containsExactly(new CpuEvents(0, 50, 2, 70L), new CpuEvents(2, 50, 2, null));
    }

    private void interrupts(int hard, int soft) throws IOException {
        write(
                proc.resolve("interrupts"),
                "           CPU0       CPU2\n  1:  " + hard + "  " + hard
                        + "  IO-APIC  1-edge  i8042\nERR:  9\nMIS:  0");
        write(
                proc.resolve("softirqs"),
                "                    CPU0       CPU2\n      NET_RX:  " + soft + "  " + soft
                        + "\n     HRTIMER:  1  1");
    }

    @Test
    void backlogDrops_areTheSumOfTheCpus() throws IOException {
        BacklogDrops drops = new BacklogDrops(new ProcFiles(proc));
        assertThat(drops.read()).isNull();
        write(proc.resolve("net/softnet_stat"), "0af21716 0000000d 0000000b\n087be957 00000000 0");
        assertThat(drops.read()).isZero();
        write(proc.resolve("net/softnet_stat"), "0af21716 0000001d 0000000b\n087be957 00000001 0");
        assertThat(drops.read()).isEqualTo(17);
    }

    @Test
    void watch_tellsLinksThatWentUpOrDown_andQueuesThatDrop() throws IOException {
        Path changes = sys.resolve("class/net/eth0/carrier_changes");
        Path queues = proc.resolve("net/softnet_stat");
        write(changes, 2);
        write(queues, "0af21716 00000000 0");
        PartsWatch watch = new PartsWatch(new ProcFiles(proc), sys);
        assertThat(watch.look()).isEmpty();
        write(queues, "0af21716 00000009 0");
        assertThat(watch.look()).as("nine drops").isEmpty();

        write(changes, 3);
        write(queues, "0af21716 00000013 0");
        assertThat(watch.look())
                .containsExactly(
                        "link of eth0 went up or down", "the queue of a CPU drops packets");
        assertThat(watch.look()).isEmpty();
    }
}
