package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.store.SettableClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class HandshakeFailuresTest {

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final HandshakeFailures failures =
            new HandshakeFailures(meters, new SettableClock("2026-11-28T10:00:00Z"));

    @AfterEach
    void close() {
        failures.close();
    }

    private void failed(Throwable cause) {
        LogRecord failure = new LogRecord(Level.FINE, "Handshake failed for 192.0.2.9.");
        failure.setThrown(new SSLHandshakeException("handshake", cause));
        failures.publish(failure);
    }

    private double count(String reason) {
        return meters.counter("komainu.tls.handshakes.failed", "reason", reason).count();
    }

    @Test
    void certificateOutsideItsTime_isCounted_andToldWithThisClock(CapturedOutput output) {
        failed(new CertificateExpiredException("NotAfter: Thu Nov 26 10:00:00 UTC 2026"));
        failed(new CertificateNotYetValidException("NotBefore: Sun Nov 29 10:00:00 UTC 2026"));
        failed(new SSLHandshakeException("Received fatal alert: certificate_expired"));

        assertThat(count("certificate-time")).isEqualTo(3);
        assertThat(output.getAll())
                .containsOnlyOnce("This service's clock says 2026-11-28T10:00:00Z")
                .contains("Handshake failed for 192.0.2.9. NotAfter: Thu Nov 26");
    }

    @Test
    void otherFailures_haveTheirReason_andNameNoClock(CapturedOutput output) {
        failed(new SSLHandshakeException("Received fatal alert: unknown_ca"));
        failed(new SSLHandshakeException("EOF during handshake."));
        failed(new SSLHandshakeException("no cipher suites in common"));

        assertThat(count("certificate-not-trusted")).isEqualTo(1);
        assertThat(count("closed")).isEqualTo(1);
        assertThat(count("other")).isEqualTo(1);
        assertThat(output.getAll()).doesNotContain("clock");
    }
}
