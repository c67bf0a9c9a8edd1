package dev.komainu.agent.host.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Limits read from trees of control groups, in the texts of kernels 5.15 (version 2) and 6.18
 * (version 1).
 */
class ControlGroupTest {

    @TempDir
    Path directory;

    private Path proc = Path.of("/");
    private Path groups = Path.of("/");

    @BeforeEach
    void setUp() throws IOException {
        proc = directory.resolve("proc");
        groups = directory.resolve("groups");
        write(proc.resolve("self/mountinfo"), """
                30 23 0:26 / %1$s/unified rw - cgroup2 cgroup2 rw
                31 23 0:27 / %1$s/memory rw - cgroup cgroup rw,memory
                32 23 0:28 / %1$s/cpu rw - cgroup cgroup rw,cpu
                33 23 0:29 / %1$s/blkio rw - cgroup cgroup rw,blkio
                """.formatted(groups));
    }

    @Test
    void read_version2_returnsTheParentsQuotaAndTheOwnMemoryLimit() throws IOException {
        write(proc.resolve("7/cgroup"), "0::/system.slice/web.service\n");
        Path service = groups.resolve("unified/system.slice/web.service");
        write(service.resolve("cpu.max"), "max 100000\n");
        write(service.getParent().resolve("cpu.max"), "150000 100000\n");
        write(service.getParent().resolve("cpu.stat"), """
                usage_usec 900
                nr_periods 400
                nr_throttled 300
                throttled_usec 5000000
                nr_bursts 0
                """);
        write(service.resolve("memory.max"), "1000000\n");
        write(service.resolve("memory.current"), "990000\n");
        write(service.resolve("memory.events"), "low 0\nhigh 0\nmax 77\noom 3\noom_kill 2\n");
        write(
                service.resolve("memory.stat"),
                "anon 5\ninactive_file 90000\nworkingset_refault_file 1234\n");
        write(
                service.resolve("io.max"),
                "8:16 rbps=max wbps=2000 riops=max wiops=max\n8:0 rbps=500 wbps=max riops=9 wiops=max\n");
        assertThat(read(7))
                .isEqualTo(new ControlGroupState(
                        new ControlGroupState.Cpu(
                                service.getParent().toString(), 1.5, 400, 300, 5_000_000_000L),
                        new ControlGroupState.Memory(
                                service.toString(), 1_000_000, 900_000, 77, 1_234L, 2L),
                        500L,
                        2_000L));
    }

    @Test
    void read_version1_returnsTheSameValues() throws IOException {
        write(proc.resolve("7/cgroup"), "7:blkio:/kd\n4:memory:/kd\n1:cpu:/kd\n0::/\n");
        Path cpu = groups.resolve("cpu/kd");
        write(cpu.resolve("cpu.cfs_quota_us"), "25000\n");
        write(cpu.resolve("cpu.cfs_period_us"), "50000\n");
        write(
                cpu.resolve("cpu.stat"),
                "nr_periods 10\nnr_throttled 4\nthrottled_time 123456789\nnr_bursts 0\n");
        write(cpu.getParent().resolve("cpu.cfs_quota_us"), "-1\n");
        write(cpu.getParent().resolve("cpu.cfs_period_us"), "100000\n");
        Path memory = groups.resolve("memory/kd");
        write(memory.resolve("memory.limit_in_bytes"), "67108864\n");
        write(memory.resolve("memory.usage_in_bytes"), "67000000\n");
        write(memory.resolve("memory.failcnt"), "4321\n");
        write(
                memory.resolve("memory.oom_control"),
                "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
        write(memory.resolve("memory.stat"), """
                inactive_file 1
                workingset_refault_file 2
                total_inactive_file 1000000
                total_workingset_refault_file 88
                """);
        write(memory.getParent().resolve("memory.limit_in_bytes"), "9223372036854771712\n");
        write(memory.getParent().resolve("memory.usage_in_bytes"), "9000000000\n");
        Path blkio = groups.resolve("blkio/kd");
        write(blkio.resolve("blkio.throttle.read_bps_device"), "254:0 1048576\n");
        write(blkio.resolve("blkio.throttle.write_bps_device"), "");
        assertThat(read(7))
                .isEqualTo(new ControlGroupState(
                        new ControlGroupState.Cpu(cpu.toString(), 0.5, 10, 4, 123_456_789),
                        new ControlGroupState.Memory(
                                memory.toString(), 67_108_864, 66_000_000, 4_321, 88L, 5L),
                        1_048_576L,
                        null));
    }

    @Test
    void read_noLimitOrNoGroup_isAbsent() throws IOException {
        write(proc.resolve("7/cgroup"), "1:cpu:/\n0::/\n");
        write(groups.resolve("cpu/cpu.cfs_quota_us"), "-1\n");
        write(groups.resolve("cpu/cpu.cfs_period_us"), "100000\n");
        assertThat(read(7)).isNull();
        assertThat(read(8)).as("no such process").isNull();
    }

    @Test
    void read_changedValues_areReadAgain_andARemovedGroupIsAbsent() throws IOException {
        write(proc.resolve("7/cgroup"), "0::/web\n");
        Path group = groups.resolve("unified/web");
        write(group.resolve("cpu.max"), "50000 100000\n");
        write(group.resolve("cpu.stat"), "nr_periods 1\nnr_throttled 0\nthrottled_usec 0\n");
        try (KernelFiles files = new KernelFiles(new ProcFiles(proc))) {
            assertThat(readOnce(files, 7))
                    .extracting(state -> state.cpu().quotaCores())
                    .isEqualTo(0.5);
            write(group.resolve("cpu.max"), "20000 100000\n");
            assertThat(readOnce(files, 7))
                    .extracting(state -> state.cpu().quotaCores())
                    .isEqualTo(0.2);
            write(group.resolve("cpu.max"), "max 100000\n");
            assertThat(readOnce(files, 7)).isNull();
            write(proc.resolve("7/cgroup"), "0::/elsewhere\n");
            assertThat(readOnce(files, 7)).isNull();
        }
    }

    @Test
    void filesCutAnywhere_areReadWithoutFailing() throws IOException {
        read_version2_returnsTheParentsQuotaAndTheOwnMemoryLimit();
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        Random random = new Random(3);
        for (int i = 0; i < 200; i++) {
            Path file = files.get(random.nextInt(files.size()));
            byte[] whole = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(whole, random.nextInt(whole.length)));
            Double quota = quota(read(7));
            assertThat(quota == null || quota > 0).isTrue();
            Files.write(file, whole);
        }
    }

    private @Nullable ControlGroupState read(long processId) {
        try (KernelFiles files = new KernelFiles(new ProcFiles(proc))) {
            return readOnce(files, processId);
        }
    }

    private static @Nullable ControlGroupState readOnce(KernelFiles files, long processId) {
        files.groups().begin();
        ControlGroupState state = files.groups().of(processId);
        files.groups().end();
        return state;
    }

    private static @Nullable Double quota(@Nullable ControlGroupState state) {
        ControlGroupState.Cpu cpu = state == null ? null : state.cpu();
        return cpu == null ? null : Double.valueOf(cpu.quotaCores());
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
