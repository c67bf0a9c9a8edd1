package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.HostSample;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests with a sample that has every field, and one of a kernel that reports few. */
class HostDetailsTest {

    private static final HostSample FULL = sample(
            new HostSample.KernelRates(1, 200, 300, 4, 5_000.0, 0, 0, 600.0),
            9_000L,
            new HostSample.Pressure(1, 2, 3, 0.5, 0.25),
            new HostSample.FileHandles(250, 1_000),
            List.of(
                    new HostSample.Listener(Endpoint.parse("0.0.0.0:80"), 128, 512, "a:80"),
                    new HostSample.Listener(Endpoint.parse("[::]:22"), 0, 128, null)),
            new HostSample.Work(10, 1, 20, 30.0),
            2_500);

    private static final HostSample SPARSE = sample(
            new HostSample.KernelRates(1, 200, 300, 4, null, 0, 0),
            null,
            null,
            null,
            List.of(),
            null,
            0);

    @Test
    void columns_ofAFullSample_haveEachFigure() {
        assertThat(HostColumn.LOAD1.of(FULL)).isEqualTo(0.5);
        assertThat(HostColumn.LOAD5.of(FULL)).isEqualTo(0.6);
        assertThat(HostColumn.MINOR_FAULTS.of(FULL)).isEqualTo(300);
        assertThat(HostColumn.INTERRUPTS.of(FULL)).isEqualTo(200);
        assertThat(HostColumn.SYSTEM_CALLS.of(FULL)).isEqualTo(5_000);
        assertThat(HostColumn.READ_WRITE_CALLS.of(FULL)).isEqualTo(600);
        assertThat(HostColumn.SWAP_USED.of(FULL)).isEqualTo(60);
        assertThat(HostColumn.PRESSURE_MEMORY_FULL.of(FULL)).isEqualTo(0.5);
        assertThat(HostColumn.PRESSURE_IO_FULL.of(FULL)).isEqualTo(0.25);
        assertThat(HostColumn.ORPHANS.of(FULL)).isEqualTo(7);
        assertThat(HostColumn.TCP_MEMORY_LIMIT.of(FULL)).isEqualTo(9_000);
        assertThat(HostColumn.SYN_COOKIES.of(FULL)).isEqualTo(3);
        assertThat(HostColumn.HOST_FILES.of(FULL)).isEqualTo(250);
        assertThat(HostColumn.HOST_FILES_LIMIT.of(FULL)).isEqualTo(1_000);
        assertThat(HostColumn.DISK_WAIT.of(FULL)).as("the slowest").isEqualTo(12);
        assertThat(HostColumn.DISK_QUEUE.of(FULL)).as("the longest").isEqualTo(2);
        assertThat(HostColumn.INTERFACE_DROPS.of(FULL)).as("of all").isEqualTo(3);
        assertThat(HostColumn.LISTEN_QUEUE.of(FULL)).as("the fullest").isEqualTo(0.25);
        assertThat(HostColumn.SAMPLING.of(FULL)).isCloseTo(2.5, within(1e-9));
        HostSample.ServerProcesses server = FULL.servers().getFirst();
        assertThat(ServerColumn.WORK_MINOR_FAULTS.of(server)).isEqualTo(10);
        assertThat(ServerColumn.WORK_MAJOR_FAULTS.of(server)).isEqualTo(1);
        assertThat(ServerColumn.WORK_CONTEXT_SWITCHES.of(server)).isEqualTo(20);
        assertThat(ServerColumn.WORK_READ_WRITE_CALLS.of(server)).isEqualTo(30);
    }

    @Test
    void columns_thatTheKernelDoesNotReport_areAbsentAndNotZero() {
        assertThat(List.of(
                        HostColumn.SYSTEM_CALLS,
                        HostColumn.READ_WRITE_CALLS,
                        HostColumn.PRESSURE_MEMORY_FULL,
                        HostColumn.TCP_MEMORY_LIMIT,
                        HostColumn.HOST_FILES,
                        HostColumn.LISTEN_QUEUE,
                        HostColumn.SAMPLING))
                .allSatisfy(column ->
                        assertThat(column.of(SPARSE)).as(column.name()).isNaN());
        assertThat(ServerColumn.WORK_MINOR_FAULTS.of(SPARSE.servers().getFirst()))
                .isNaN();
    }

    private static HostSample sample(
            HostSample.KernelRates kernel,
            @Nullable Long tcpLimit,
            HostSample.@Nullable Pressure pressure,
            HostSample.@Nullable FileHandles files,
            List<HostSample.Listener> listeners,
            HostSample.@Nullable Work work,
            long samplingMicros) {
        return new HostSample(
                "a",
                10_000_000,
                10_000_000,
                new HostSample.Resources(
                        List.of(),
                        new HostSample.Memory(100, 20, 50, 30, 100, 40),
                        List.of(
                                new HostSample.InterfaceRates(
                                        "eth0",
                                        0,
                                        0,
                                        null,
                                        0,
                                        0,
                                        1,
                                        0,
                                        HostSample.InterfaceRates.Queue.NONE),
                                new HostSample.InterfaceRates(
                                        "eth1",
                                        0,
                                        0,
                                        null,
                                        0,
                                        0,
                                        2,
                                        0,
                                        HostSample.InterfaceRates.Queue.NONE)),
                        List.of(
                                new HostSample.DiskRates("sda", 0, 0, 0, 0, 0, 12, 1),
                                new HostSample.DiskRates("sdb", 0, 0, 0, 0, 0, 4, 2))),
                kernel,
                new HostSample.Network(
                        new HostSample.Sockets(
                                10,
                                9,
                                7,
                                8,
                                4_500,
                                new HostSample.Sockets.Rates(0, 0, 0, 3, 1, 100),
                                tcpLimit),
                        listeners),
                pressure,
                new HostSample.Totals(1, 2, 0.5, 0.6, 0.7, files),
                List.of(new HostSample.ServerProcesses(
                        "a:80",
                        new HostSample.ServerProcesses.Use(1, 1, 1, 0),
                        new HostSample.ServerProcesses.OpenFiles(null, null),
                        new HostSample.ServerProcesses.AcceptQueue(null, null, null),
                        work,
                        null,
                        null,
                        null)),
                samplingMicros);
    }
}
