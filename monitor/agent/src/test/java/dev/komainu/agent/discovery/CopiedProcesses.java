package dev.komainu.agent.discovery;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Processes and sockets of a copied {@code /proc} that tests of discovery write. */
final class CopiedProcesses {

    private static final String TCP_HEAD =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
    private static final String UNIX_HEAD =
            "Num       RefCount Protocol Flags    Type St Inode Path\n";

    private final Path proc;
    private String tcp = TCP_HEAD;
    private String unix = UNIX_HEAD;

    CopiedProcesses(Path proc) {
        this.proc = proc;
        write("net/tcp", tcp);
        write("net/unix", unix);
    }

    /** Adds a process that holds sockets. */
    void process(long id, long parent, String program, String line, long... inodes) {
        write(id + "/cmdline", line);
        write(
                id + "/stat",
                id + " (x) S " + parent
                        + " 1 1 0 -1 4194304 1 0 0 0 1 1 0 0 20 0 1 0 100 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
        link(id + "/exe", program);
        for (int i = 0; i < inodes.length; i++) {
            link(id + "/fd/" + (i + 5), "socket:[" + inodes[i] + "]");
        }
    }

    void end(long id) {
        try (Stream<Path> files = Files.walk(proc.resolve(String.valueOf(id)))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds a listener at a port of 127.0.0.1. */
    void listensAtPort(int port, long inode) {
        tcp +=
                "   0: 0100007F:%04X 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 %d 1\n"
                        .formatted(port, inode);
        write("net/tcp", tcp);
    }

    void listensAtPath(String path, long inode) {
        unix += "0000000000000000: 00000002 00000000 00010000 0001 01 " + inode + " " + path + "\n";
        write("net/unix", unix);
    }

    void noneListensAtPaths() {
        unix = UNIX_HEAD;
        write("net/unix", unix);
    }

    void link(String name, String target) {
        try {
            Files.createDirectories(proc.resolve(name).getParent());
            Files.createSymbolicLink(proc.resolve(name), Path.of(target));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(String name, String text) {
        try {
            Files.createDirectories(proc.resolve(name).getParent());
            Files.writeString(proc.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the command line of a program with a title, or with arguments. */
    static String line(String... arguments) {
        return String.join("\0", List.of(arguments)) + "\0";
    }
}
