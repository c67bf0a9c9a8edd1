package dev.komainu.agent.host.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnixSocketTest {

    private static final String HEAD = "Num       RefCount Protocol Flags    Type St Inode Path\n";
    private static final String NO_PATH = "00000000: 00000003 00000000 00000000 0001 03 23998\n";

    @TempDir
    Path proc;

    @Test
    void lines_ofListenersAndAcceptedSockets_areRead() throws IOException {
        assertThat(read(HEAD
                        + "0000000000000000: 00000002 00000000 00010000 0001 01    77 /run/my fpm.sock\n"
                        + NO_PATH
                        + "00000000: 00000003 00000000 00000000 0001 03 23999 /run/my fpm.sock\n"
                        + "00000000: 00000002 00000000 00010000 0001 01 24000 @/abstract/name\n"))
                .containsExactly(
                        new UnixSocket(77, true, "/run/my fpm.sock"),
                        new UnixSocket(23_999, false, "/run/my fpm.sock"));
    }

    @Test
    void malformedLines_areSkipped_andTheOthersRead() throws IOException {
        assertThat(read(HEAD
                        + "00000000: 00000002 00000000 0001000g 0001 01 1 /bad/flags\n"
                        + "00000000: 00000002 00000000 00010000 0001 01 x /bad/inode\n"
                        + "00000000: 00000002 00000000 00010000 0001 01 -7 /bad/inode\n"
                        + "00000000 00000002 00000000 00010000 0001 01 2 /no/colon\n"
                        + "00000000: 00000002 /too/short\n"
                        + "/second/line of a path with a line break\n"
                        + "00000000: 00000002 00000000 00010000 0001 01 3 /" + "x".repeat(1_000_000)
                        + "\n"
                        + "00000000: 00000002 00000000 00010000 0001 01 4 /good"))
                .containsExactly(new UnixSocket(4, true, "/good"));
    }

    /** Pieces of the file end inside lines. */
    @Test
    void manyLines_areReadWhole() throws IOException {
        StringBuilder text = new StringBuilder(HEAD);
        for (int i = 1; i <= 5_000; i++) {
            text.append("00000000: 00000002 00000000 00010000 0001 01 %d /run/%d.sock\n"
                    .formatted(i, i));
        }
        List<UnixSocket> sockets = read(text.toString());
        assertThat(sockets).hasSize(5_000);
        for (UnixSocket socket : sockets) {
            assertThat(socket.path()).isEqualTo("/run/" + socket.inode() + ".sock");
        }
    }

    @Test
    void linesBeyondTheBound_areNotRead() throws IOException {
        Path file = Files.createDirectories(proc.resolve("net")).resolve("unix");
        try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
            for (int i = 1; i <= UnixSocket.MOST_LINES + 10; i++) {
                out.write(": 0 0 10000 1 1 " + i + " /\n");
            }
        }
        assertThat(sockets()).hasSize(UnixSocket.MOST_LINES);
    }

    @Test
    void bytesBeyondTheBound_areNotRead() throws IOException {
        Path file = Files.createDirectories(proc.resolve("net")).resolve("unix");
        String line = ": 0 0 10000 1 1 7 /" + "x".repeat(400) + "\n";
        try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
            for (int i = 0; i <= UnixSocket.MOST_BYTES / line.length() + 1_000; i++) {
                out.write(line);
            }
        }
        assertThat((long) sockets().size() * line.length())
                .isBetween(
                        (long) UnixSocket.MOST_BYTES - line.length(),
                        UnixSocket.MOST_BYTES + (64L << 10));
    }

    @Test
    void missingFile_hasNone() {
        assertThat(sockets()).isEmpty();
    }

    @Property
    void anyLine_isReadWithoutFailure(@ForAll String line) {
        UnixSocket socket = UnixSocket.parse(line);
        assertThat(socket == null || socket.path().startsWith("/")).isTrue();
    }

    private List<UnixSocket> read(String text) throws IOException {
        Files.writeString(Files.createDirectories(proc.resolve("net")).resolve("unix"), text);
        return sockets();
    }

    private List<UnixSocket> sockets() {
        List<UnixSocket> sockets = new ArrayList<>();
        UnixSocket.forEach(new ProcFiles(proc), sockets::add);
        return sockets;
    }
}
