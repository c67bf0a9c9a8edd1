package dev.komainu.agent.host.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.Endpoint;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

/** Captured texts of a Linux 6.18, then random texts. */
class ProcTextsTest {

    private final ProcFiles proc = captured();

    /** Returns a copy of {@code /proc} kept with the tests. */
    public static ProcFiles captured() {
        try {
            return new ProcFiles(
                    Path.of(Objects.requireNonNull(ProcTextsTest.class.getResource("/proc"))
                            .toURI()));
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void stat_captured_givesTicksPerCpuAndTotals() {
        ProcStat stat = ProcStat.parse("""
                cpu  6846 0 2634 163873 375 0 76 22 0 0
                cpu0 3160 7 835 82913 18 3 21 8 100 0
                cpu1 3686 0 1799 80960 357 0 55 13 0 0
                intr 237299 0 0 1 14
                ctxt 490211
                btime 1795222543
                """);
        assertThat(stat.cpus())
                .containsExactly(
                        new ProcStat.CpuTicks(0, 3167, 859, 18, 8, 82913, 21),
                        new ProcStat.CpuTicks(1, 3686, 1854, 357, 13, 80960, 55));
        assertThat(stat.contextSwitches()).isEqualTo(490_211);
        assertThat(stat.interrupts()).isEqualTo(237_299);
    }

    @Test
    void pairs_captured_returnTheRequestedValuesByGroup() {
        NamedCounters netstat = new NamedCounters(
                "TcpExt:ListenOverflows",
                "TcpExt:ListenDrops",
                "TcpExt:SyncookiesSent",
                "Tcp:ListenDrops");
        netstat.readPairs(text("net/netstat"));
        assertThat(netstat.has(0)).isTrue();
        assertThat(netstat.has(1)).isTrue();
        assertThat(netstat.has(2)).isTrue();
        assertThat(netstat.has(3)).as("another group's").isFalse();
        NamedCounters snmp = new NamedCounters("Tcp:PassiveOpens", "Tcp:OutSegs", "Tcp:MaxConn");
        snmp.readPairs(text("net/snmp"));
        assertThat(snmp.get(0)).isPositive();
        assertThat(snmp.get(1)).isPositive();
        assertThat(snmp.has(2)).as("-1 is no count").isFalse();
    }

    @Test
    void pairs_fewerValuesThanNames_giveThoseThatAreThere() {
        NamedCounters values = new NamedCounters("Tcp:a", "Tcp:b", "Udp:c");
        values.readPairs(KernelFileText.of("Tcp: a b\nTcp: 7\nUdp: c\nTcp: 1\nUdp: c\nUdp: 9"));
        assertThat(values.get(0)).isEqualTo(7);
        assertThat(values.has(1)).isFalse();
        assertThat(values.get(2)).isEqualTo(9);
    }

    @Test
    void lines_meminfo_becomeBytes() {
        NamedCounters memory = new NamedCounters("MemTotal", "pgfault", "HugePages_Total");
        memory.readLines(text("meminfo"));
        assertThat(memory.get(0)).isEqualTo(24_684_084L * 1024);
        assertThat(memory.has(1)).isFalse();
        memory.readLines(text("vmstat"));
        assertThat(memory.get(1)).isPositive();
        assertThat(memory.has(0)).as("of the file before").isFalse();
    }

    @Test
    void groups_sockstat_returnTheRequestedValuesByGroup() {
        NamedCounters sockets =
                new NamedCounters("sockets:used", "TCP:tw", "TCP:mem", "UDP:inuse", "TCP:none");
        sockets.readGroups(
                KernelFileText.of(
                        "sockets: used 291\nTCP: inuse 5 orphan 1 tw 17 alloc 8 mem 65\nUDP: inuse 3 mem 0\n"));
        assertThat(sockets.get(0)).isEqualTo(291);
        assertThat(sockets.get(1)).isEqualTo(17);
        assertThat(sockets.get(2)).isEqualTo(65);
        assertThat(sockets.get(3)).isEqualTo(3);
        assertThat(sockets.has(4)).isFalse();
    }

    @Test
    void netDev_captured_givesBytesAndPacketsBothWays() {
        assertThat(NetDev.parse(text("net/dev"), new DeviceNameCache()))
                .extracting(NetDev::name)
                .contains("lo", "eth0");
        assertThat(NetDev.parse(
                        KernelFileText.of(
                                "eth0:508817930 13026 1 2 0 0 0 0 1448077 9057 4 8 0 0 0 0"),
                        new DeviceNameCache()))
                .containsExactly(new NetDev("eth0", 508_817_930, 1_448_077, 13_026, 9_057, 10, 5));
    }

    @Test
    void netDev_secondRead_createsNoNames() {
        DeviceNameCache names = new DeviceNameCache();
        List<NetDev> first = NetDev.parse(text("net/dev"), names);
        List<NetDev> second = NetDev.parse(text("net/dev"), names);
        assertThat(second).isEqualTo(first);
        for (int i = 0; i < first.size(); i++) {
            assertThat(second.get(i).name()).isSameAs(first.get(i).name());
        }
    }

    @Test
    void diskStats_captured_countsSectorsOf512Bytes() {
        assertThat(DiskStats.parse(
                        KernelFileText.of(
                                " 254 0 vda 55199 8031 3405098 12134 22315 10128 3049584 7928 0 5972 20494 5195 60 616536 331 3140 100"),
                        new DeviceNameCache()))
                .containsExactly(new DiskStats(
                        "vda",
                        3_405_098L * 512,
                        3_049_584L * 512,
                        5972,
                        55_199,
                        22_315,
                        12_134 + 7_928,
                        20_494));
    }

    @Test
    void diskStats_partitionsOfOldKernels_withFourFields_areLeftOut() {
        assertThat(DiskStats.parse(
                        KernelFileText.of("8 1 sda1 10 20 30 40\n"), new DeviceNameCache()))
                .isEmpty();
    }

    @Test
    void loadAverage_captured_givesLoadAndThreads() {
        assertThat(LoadAverage.parse(KernelFileText.of("0.17 0.07 0.06 2/87 6619\n")))
                .isEqualTo(new LoadAverage(0.17, 0.07, 0.06, 87));
    }

    @Test
    void pressure_captured_givesSomeAndFullOverTenSeconds() {
        assertThat(
                        PressureStall.parse(
                                KernelFileText.of(
                                        "some avg10=12.50 avg60=0.22 avg300=1.13 total=14399527\nfull avg10=0.50 avg60=0.00 total=1\n")))
                .isEqualTo(new PressureStall(12.5, 0.5));
        assertThat(PressureStall.parse(KernelFileText.of("some avg10=1.00 avg60=0.22\n")))
                .isEqualTo(new PressureStall(1, null));
        assertThat(PressureStall.parse(null)).isNull();
        assertThat(PressureStall.parse(KernelFileText.of("some avg10=nan avg60=0")))
                .isNull();
        assertThat(PressureStall.parse(KernelFileText.of("some avg10=101 avg60=0")))
                .isNull();
    }

    @Test
    void processStat_nameWithParentheses_isReadFromTheLastOne() {
        ProcessStat stat = ProcessStat.parse(
                "6622 (a) S (b) R 6603 6603 4422 0 -1 4194304 100 0 0 0 11 7 5 3 20 0 4 0 87142 3133440 413 1844");
        assertThat(stat).isEqualTo(new ProcessStat("a) S (b", 6603, 26, 4, 87_142, 413));
    }

    @Test
    void limits_softOpenFiles_areRead() {
        String text = """
                Limit                     Soft Limit           Hard Limit           Units
                Max processes             unlimited            unlimited            processes
                Max open files            1024                 524288               files
                """;
        assertThat(ProcessLimits.openFiles(text)).isEqualTo(1024);
        assertThat(ProcessLimits.processes(text)).isEqualTo(ProcessLimits.UNLIMITED);
    }

    @Test
    void listeners_captured_giveAddressInodeAndQueue() {
        assertThat(ListeningSocket.parse(proc.text("net/tcp")))
                .containsExactly(
                        new ListeningSocket(
                                Endpoint.parse("127.0.0.1:8080"), 20_011, 3, null, null),
                        new ListeningSocket(Endpoint.parse("0.0.0.0:80"), 20_012, 0, null, null));
        assertThat(ListeningSocket.parse(proc.text("net/tcp6")))
                .containsExactly(
                        new ListeningSocket(Endpoint.parse("[::]:80"), 20_021, 1, null, null),
                        new ListeningSocket(Endpoint.parse("[::1]:443"), 20_022, 0, null, null));
    }

    @Test
    void listeners_afterTheFirstOtherState_areNotRead() {
        byte[] bytes = proc.text("net/tcp").getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        assertThat(ListeningSocket.mayFollow(bytes, 0, bytes.length)).isFalse();
        assertThat(ListeningSocket.mayFollow(bytes, 0, 300)).isTrue();
        assertThat(ListeningSocket.mayFollow(bytes, 0, 10)).isTrue();
    }

    @Test
    void counters_unsigned64_keepTheirDifference() {
        assertThat(KernelFileText.of("18446744073709551614").number(0)).isEqualTo(-2L);
        assertThat(KernelFileText.of("18446744073709551616").number(7)).isEqualTo(7);
        assertThat(KernelFileText.of("99999999999999999999999").number(7)).isEqualTo(7);
        assertThat(KernelFileText.of("12x").number(7)).isEqualTo(7);
        Long high = DecimalCounters.of("18446744073709551615");
        assertThat(high).isEqualTo(-1L);
        assertThat(DecimalCounters.of("18446744073709551616")).isNull();
        assertThat(DecimalCounters.of("-1")).isNull();
    }

    @Property(tries = 300)
    void anyText_isReadWithoutAnException(@ForAll @StringLength(max = 400) String text) {
        readAll(text);
    }

    @Property(tries = 200)
    void damagedText_isReadWithoutAnException(@ForAll int seed) {
        java.util.Random random = new java.util.Random(seed);
        for (String name : List.of(
                "stat", "meminfo", "net/netstat", "net/tcp", "net/dev", "diskstats", "loadavg")) {
            StringBuilder text = new StringBuilder(captured().text(name));
            for (int i = 0; i < 20 && !text.isEmpty(); i++) {
                int at = random.nextInt(text.length());
                switch (random.nextInt(3)) {
                    case 0 -> text.deleteCharAt(at);
                    case 1 -> text.setCharAt(at, (char) random.nextInt(256));
                    default -> text.setLength(at);
                }
            }
            readAll(text.toString());
        }
    }

    @Property(tries = 300)
    void anyBytes_moveTheCursorForwardOnly(@ForAll byte[] bytes, @ForAll int seed) {
        KernelFileText text =
                KernelFileText.of(new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1));
        java.util.Random random = new java.util.Random(seed);
        for (int i = 0; i < 60; i++) {
            int before = text.position();
            switch (random.nextInt(7)) {
                case 0 -> text.number(-1);
                case 1 -> text.fraction();
                case 2 -> text.skipWord();
                case 3 -> text.nextLine();
                case 4 -> text.skipPast(':');
                case 5 -> text.word();
                default -> text.skipBlanks();
            }
            assertThat(text.position()).isBetween(before, bytes.length);
        }
    }

    private KernelFileText text(String name) {
        return KernelFileText.of(proc.text(name));
    }

    private static void readAll(String text) {
        KernelFileText bytes = KernelFileText.of(text);
        ProcStat.parse(bytes);
        NamedCounters counters = new NamedCounters(
                "MemTotal", "pgfault", "TCP:inuse", "TcpExt:ListenDrops", "Tcp:OutSegs");
        bytes.rewind();
        counters.readLines(bytes);
        bytes.rewind();
        counters.readPairs(bytes);
        bytes.rewind();
        counters.readGroups(bytes);
        NetDev.parse(bytes, new DeviceNameCache());
        DiskStats.parse(bytes, new DeviceNameCache());
        LoadAverage.parse(bytes);
        PressureStall.parse(bytes);
        PressureStall.parse(KernelFileText.of("some avg10=" + text));
        SystemCallCount.cpus(text);
        ProcessStat.parse(text);
        ProcessLimits.openFiles("Max open files " + text);
        ListeningSocket.parse(text);
        byte[] raw = text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        ListeningSocket.mayFollow(raw, 0, raw.length);
    }
}
