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

/** Captured texts of a Linux 6.18, then anything at all. */
class ProcTextsTest {

    private final ProcFiles proc = captured();

    /** A copy of {@code /proc} kept with the tests. */
    public static ProcFiles captured() {
        try {
            return new ProcFiles(Path.of(Objects.requireNonNull(ProcTextsTest.class.getResource("/proc"))
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
                        new ProcStat.CpuTicks(3167, 859, 18, 8, 82913),
                        new ProcStat.CpuTicks(3686, 1854, 357, 13, 80960));
        assertThat(stat.contextSwitches()).isEqualTo(490_211);
        assertThat(stat.interrupts()).isEqualTo(237_299);
    }

    @Test
    void headerPairs_captured_nameValuesByGroup() {
        NamedValues netstat = NamedValues.ofHeaderPairs(proc.text("net/netstat"));
        assertThat(netstat.has("TcpExt.ListenOverflows")).isTrue();
        assertThat(netstat.has("TcpExt.ListenDrops")).isTrue();
        assertThat(netstat.has("TcpExt.SyncookiesSent")).isTrue();
        NamedValues snmp = NamedValues.ofHeaderPairs(proc.text("net/snmp"));
        assertThat(snmp.get("Tcp.PassiveOpens")).isPositive();
        assertThat(snmp.get("Tcp.OutSegs")).isPositive();
    }

    @Test
    void lines_meminfo_becomeBytes() {
        NamedValues memory = NamedValues.ofLines(proc.text("meminfo"));
        assertThat(memory.get("MemTotal")).isEqualTo(24_684_084L * 1024);
        assertThat(NamedValues.ofLines(proc.text("vmstat")).get("pgfault")).isPositive();
    }

    @Test
    void groups_sockstat_nameValuesByGroup() {
        NamedValues sockets = NamedValues.ofGroups(
                "sockets: used 291\nTCP: inuse 5 orphan 1 tw 17 alloc 8 mem 65\nUDP: inuse 3 mem 0\n");
        assertThat(sockets.get("sockets.used")).isEqualTo(291);
        assertThat(sockets.get("TCP.tw")).isEqualTo(17);
        assertThat(sockets.get("TCP.mem")).isEqualTo(65);
    }

    @Test
    void netDev_captured_givesBytesBothWays() {
        assertThat(NetDev.parse(proc.text("net/dev"))).extracting(NetDev::name).contains("lo", "eth0");
        assertThat(NetDev.parse("eth0:508817930 13026 0 0 0 0 0 0 1448077 9057 0 0 0 0 0 0"))
                .containsExactly(new NetDev("eth0", 508_817_930, 1_448_077));
    }

    @Test
    void diskStats_captured_countsSectorsOf512Bytes() {
        assertThat(
                        DiskStats.parse(
                                " 254 0 vda 55199 8031 3405098 12134 22315 10128 3049584 7928 0 5972 20494 5195 60 616536 331 3140 100"))
                .containsExactly(new DiskStats("vda", 3_405_098L * 512, 3_049_584L * 512, 5972));
    }

    @Test
    void loadAverage_captured_givesLoadAndThreads() {
        assertThat(LoadAverage.parse("0.17 0.07 0.06 2/87 6619\n")).isEqualTo(new LoadAverage(0.17, 87));
    }

    @Test
    void pressure_captured_givesSomeOverTenSeconds() {
        assertThat(PressureStall.some10("some avg10=12.50 avg60=0.22 avg300=1.13 total=14399527\nfull avg10=0.00\n"))
                .isEqualTo(12.5);
        assertThat(PressureStall.some10(null)).isNull();
        assertThat(PressureStall.some10("some avg10=nan avg60=0")).isNull();
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
        assertThat(Listener.parse(proc.text("net/tcp")))
                .containsExactly(
                        new Listener(Endpoint.parse("127.0.0.1:8080"), 20_011, 3, null),
                        new Listener(Endpoint.parse("0.0.0.0:80"), 20_012, 0, null));
        assertThat(Listener.parse(proc.text("net/tcp6")))
                .containsExactly(
                        new Listener(Endpoint.parse("[::]:80"), 20_021, 1, null),
                        new Listener(Endpoint.parse("[::1]:443"), 20_022, 0, null));
    }

    @Test
    void listeners_behindTheFirstOtherState_areNotReadFor() {
        byte[] bytes = proc.text("net/tcp").getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        assertThat(Listener.mayFollow(bytes, 0, bytes.length)).isFalse();
        assertThat(Listener.mayFollow(bytes, 0, 300)).isTrue();
        assertThat(Listener.mayFollow(bytes, 0, 10)).isTrue();
    }

    @Test
    void counters_unsigned64_keepTheirDifference() {
        Long high = Digits.of("18446744073709551615");
        assertThat(high).isEqualTo(-1L);
        assertThat(Digits.of("18446744073709551616")).isNull();
        assertThat(Digits.of("-1")).isNull();
    }

    @Property(tries = 300)
    void anyText_isReadWithoutAnException(@ForAll @StringLength(max = 400) String text) {
        readAll(text);
    }

    @Property(tries = 200)
    void damagedText_isReadWithoutAnException(@ForAll int seed) {
        java.util.Random random = new java.util.Random(seed);
        for (String name : List.of("stat", "meminfo", "net/netstat", "net/tcp", "net/dev", "diskstats", "loadavg")) {
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

    private static void readAll(String text) {
        ProcStat.parse(text);
        NamedValues.ofLines(text);
        NamedValues.ofHeaderPairs(text);
        NamedValues.ofGroups(text);
        NetDev.parse(text);
        DiskStats.parse(text);
        LoadAverage.parse(text);
        PressureStall.some10(text);
        PressureStall.some10("some avg10=" + text);
        ProcessStat.parse(text);
        ProcessLimits.openFiles("Max open files " + text);
        Listener.parse(text);
        byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        Listener.mayFollow(bytes, 0, bytes.length);
    }
}
