package dev.komainu.organizer.line.endpoint;

import dev.komainu.intermediary.kit.Certified;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineTls;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Promised responses over QUIC. */
class QuicPromiseTest extends PromiseTest {

    @TempDir
    static Path directory;

    private static LineTls both;

    QuicPromiseTest() {
        ends.carrier = LineCarrier.QUIC;
    }

    @BeforeAll
    static void createCertificates() throws Exception {
        Certified.make(directory, "EC", "-1d", "peer.test").write(directory, "peer");
        Path certificate = directory.resolve("peer.crt");
        both = new LineTls(
                certificate,
                directory.resolve("peer.key"),
                Files.copy(certificate, directory.resolve("members.crt")));
    }

    @Override
    LineTls tls() {
        return both;
    }
}
