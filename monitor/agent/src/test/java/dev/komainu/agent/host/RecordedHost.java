package dev.komainu.agent.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A copied {@code /proc} that tests write and change: files as the kernels named here write them.
 */
final class RecordedHost {

    private final Path root;

    RecordedHost(Path root) {
        this.root = root;
    }

    Path root() {
        return root;
    }

    /** Creates the files that every kernel since 4.19 writes. */
    static RecordedHost of(Path root) {
        RecordedHost host = new RecordedHost(root);
        host.write("stat", """
                cpu  400 0 200 3400 0 0 0 0 0 0
                cpu0 200 0 100 1700 0 0 0 0 0 0
                cpu1 200 0 100 1700 0 0 0 0 0 0
                intr 5000 9 0 0
                ctxt 9000
                btime 1700000000
                """);
        host.write("loadavg", "0.50 0.40 0.30 1/200 4242\n");
        host.write("meminfo", """
                MemTotal:        2048000 kB
                MemFree:          512000 kB
                MemAvailable:    1024000 kB
                Buffers:           10000 kB
                Cached:           256000 kB
                SwapTotal:        100000 kB
                SwapFree:          90000 kB
                SReclaimable:      44000 kB
                """);
        host.write(
                "vmstat",
                "nr_free_pages 128000\npswpin 10\npswpout 20\npgfault 100000\npgmajfault 300\n");
        host.write("net/dev", """
                Inter-|   Receive                                                |  Transmit
                 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
                    lo: 1000 10 0 0 0 0 0 0 1000 10 0 0 0 0 0 0
                  eth0: 5000 50 1 2 0 0 0 0 7000 70 3 4 0 0 0 0
                """);
        host.write("net/sockstat", """
                sockets: used 120
                TCP: inuse 30 orphan 4 tw 50 alloc 60 mem 70
                UDP: inuse 3 mem 0
                """);
        host.write("net/sockstat6", "TCP6: inuse 6\nUDP6: inuse 1\n");
        host.write("net/snmp", """
                Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab InSegs OutSegs RetransSegs
                Tcp: 1 200 120000 -1 100 2000 3 4 5 60000 70000 80
                """);
        host.write("net/netstat", """
                TcpExt: SyncookiesSent SyncookiesRecv ListenOverflows ListenDrops
                TcpExt: 11 0 22 33
                IpExt: InNoRoutes InOctets
                IpExt: 0 12345
                """);
        host.write("net/tcp", """
                  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
                   0: 00000000:0050 00000000:0000 0A 00000000:00000007 00:00000000 00000000     0        0 555 1 0 100 0 0 10 0
                """);
        host.write("sys/net/core/somaxconn", "128\n");
        host.write("sys/net/ipv4/tcp_mem", "1000\t2000\t3000\n");
        host.write("sys/fs/file-nr", "1500\t500\t100000\n");
        return host;
    }

    /** Creates a 4.19 host: no pressure, eleven numbers per disk, a line for each partition. */
    static RecordedHost kernel419(Path root) {
        RecordedHost host = of(root);
        host.disk("   8       0 sda 100 5 2000 400 50 6 1000 600 0 700 1000");
        return host;
    }

    /**
     * Creates a 5.10 host: discards and flushes after a disk's numbers; pressure, for the CPU in
     * its first form.
     */
    static RecordedHost kernel510(Path root) {
        RecordedHost host = of(root);
        host.disk("   8       0 sda 100 5 2000 400 50 6 1000 600 0 700 1000 0 0 0 0 20 30");
        host.write("pressure/cpu", "some avg10=1.50 avg60=1.00 avg300=0.50 total=12345\n");
        host.write(
                "pressure/memory",
                "some avg10=0.10 avg60=0 avg300=0 total=1\nfull avg10=0.05 avg60=0 avg300=0 total=1\n");
        host.write(
                "pressure/io",
                "some avg10=2.00 avg60=0 avg300=0 total=1\nfull avg10=1.25 avg60=0 avg300=0 total=1\n");
        return host;
    }

    /** Creates a 6.x host: the CPU has a line "full" too. */
    static RecordedHost kernel6(Path root) {
        RecordedHost host = kernel510(root);
        host.write(
                "pressure/cpu",
                "some avg10=1.50 avg60=1.00 avg300=0.50 total=12345\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
        return host;
    }

    void disk(String line) {
        write(
                "diskstats",
                line
                        + "\n   8       1 sda1 90 5 1900 400 50 6 1000 600 0 700 1000\n   7       0 loop0 1 0 2 0 0 0 0 0 0 0 0\n");
    }

    void write(String name, String text) {
        try {
            Path file = root.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void replace(String name, String before, String after) {
        try {
            String text = Files.readString(root.resolve(name));
            if (!text.contains(before)) {
                throw new IllegalArgumentException(name + " does not contain " + before);
            }
            write(name, text.replace(before, after));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes one process with one thread. */
    void process(long id, long parent, long startTicks, Counts counts, List<Long> children) {
        write(
                id + "/stat",
                id + " (a (b) c) S " + parent + " 1 1 0 -1 4194304 " + counts.minor() + " 0 "
                        + counts.major() + " 0 " + counts.ticks() + " 0 0 0 20 0 1 0 " + startTicks
                        + " 3133440 100 18446744073709551615\n");
        write(id + "/schedstat", counts.runs() * 1_000 + " 77 " + counts.runs() + "\n");
        write(
                id + "/io",
                "rchar: 1\nwchar: 1\nsyscr: " + counts.calls()
                        + "\nsyscw: 0\nread_bytes: 0\nwrite_bytes: 0\n");
        write(
                id + "/limits",
                "Limit                     Soft Limit           Hard Limit           Units\n"
                        + "Max open files            1024                 524288               files\n");
        write(
                id + "/task/" + id + "/children",
                String.join(" ", children.stream().map(String::valueOf).toList()) + " ");
        for (int fd = 0; fd < counts.files(); fd++) {
            write(id + "/fd/" + fd, "");
        }
    }

    /**
     * A process's counters.
     *
     * @param runs number of times it got a CPU
     */
    record Counts(long minor, long major, long ticks, long runs, long calls, int files) {}

    /** Ends a process: as with the kernel, files of it that are still open have no content. */
    void end(long id) {
        write(id + "/schedstat", "");
        remove(String.valueOf(id));
    }

    void remove(String name) {
        try (Stream<Path> files = Files.walk(root.resolve(name))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
