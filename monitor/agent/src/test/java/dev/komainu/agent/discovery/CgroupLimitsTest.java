package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupLimitsTest {

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
                32 23 0:28 / %1$s/cpu rw - cgroup cgroup rw,cpu,cpuacct
                """.formatted(groups));
    }

    @Test
    void of_unifiedGroups_returnsTheTightestOnThePathToTheRoot() throws IOException {
        write(proc.resolve("7/cgroup"), "0::/system.slice/web.service\n");
        Path service = groups.resolve("unified/system.slice/web.service");
        write(service.resolve("cpu.max"), "max 100000\n");
        write(service.resolve("memory.max"), "2000000000\n");
        write(service.resolve("memory.high"), "max\n");
        write(service.resolve("pids.max"), "300\n");
        write(service.getParent().resolve("cpu.max"), "50000 100000\n");
        write(service.getParent().resolve("memory.max"), "1000000000\n");
        write(service.getParent().resolve("pids.max"), "max\n");
        assertThat(new CgroupLimits(new ProcFiles(proc)).of(7))
                .containsExactly(
                        new Setting(
                                "cgroup:cpu.max", "50000 100000", service.getParent() + "/cpu.max"),
                        new Setting(
                                "cgroup:memory.max",
                                "1000000000",
                                service.getParent() + "/memory.max"),
                        new Setting("cgroup:memory.high", "max", service + "/memory.high"),
                        new Setting("cgroup:pids.max", "300", service + "/pids.max"));
    }

    @Test
    void of_groupsOfVersion1_areConvertedToVersion2() throws IOException {
        write(proc.resolve("7/cgroup"), "9:memory:/web\n8:cpu,cpuacct:/web\n0::/../elsewhere\n");
        write(groups.resolve("memory/web/memory.limit_in_bytes"), "9223372036854771712\n");
        write(groups.resolve("cpu/web/cpu.cfs_quota_us"), "-1\n");
        write(groups.resolve("cpu/web/cpu.cfs_period_us"), "100000\n");
        assertThat(new CgroupLimits(new ProcFiles(proc)).of(7))
                .containsExactly(
                        new Setting(
                                "cgroup:memory.max",
                                "max",
                                groups + "/memory/web/memory.limit_in_bytes"),
                        new Setting("cgroup:cpu.max", "max", groups + "/cpu/web/cpu.cfs_quota_us"));
    }

    @Test
    void parse_limitsOfAProcess_returnsTheSoftLimits() {
        assertThat(ProcessResourceLimits.parse("""
                Limit                     Soft Limit           Hard Limit           Units
                Max stack size            8388608              unlimited            bytes
                Max processes             unlimited            unlimited            processes
                Max open files            1024                 1048576              files
                """, "x"))
                .containsExactly(
                        new Setting("limit:nofile", "1024", "x"),
                        new Setting("limit:nofile-hard", "1048576", "x"),
                        new Setting("limit:nproc", "unlimited", "x"),
                        new Setting("limit:stack", "8388608", "x"));
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
