package dev.komainu.central;

import io.micrometer.core.instrument.MeterRegistry;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The TLS handshakes with this service that failed: counted by reason, and logged once a minute.
 * They show a part that does not trust the certificate, or a clock that is wrong. The web server
 * reports them on a logger of its own only. Any thread.
 */
final class HandshakeFailures extends Handler {

    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(HandshakeFailures.class);

    /** The logger of Tomcat's endpoints for failed handshakes. */
    private static final String SOURCE = "org.apache.tomcat.util.net.NioEndpoint.handshake";

    private static final long QUIET_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int MOST_CAUSES = 10;
    private static final String TIME = "certificate-time";

    private final MeterRegistry meters;
    private final Clock clock;
    /** The field keeps the logger: the runtime would forget its level otherwise. */
    private final Logger source = Logger.getLogger(SOURCE);

    /** Guarded by {@code this}, like the next. */
    private long lastNanos = System.nanoTime() - QUIET_NANOS;

    private long untold;

    HandshakeFailures(MeterRegistry meters, Clock clock) {
        this.meters = meters;
        this.clock = clock;
        source.setLevel(Level.FINE);
        source.setUseParentHandlers(false);
        source.addHandler(this);
    }

    @Override
    public void publish(LogRecord failure) {
        String cause = cause(failure.getThrown());
        boolean isTime = isTime(failure.getThrown(), cause);
        meters.counter("komainu.tls.handshakes.failed", "reason", isTime ? TIME : reason(cause))
                .increment();
        long others;
        synchronized (this) {
            if (System.nanoTime() - lastNanos < QUIET_NANOS) {
                untold++;
                return;
            }
            lastNanos = System.nanoTime();
            others = untold;
            untold = 0;
        }
        LOG.warn(
                "{} {}{}{}",
                failure.getMessage(),
                cause,
                isTime
                        ? ". By the clock of one side, the certificate of the other is not valid."
                                + " This service's clock says " + now()
                                + "; compare it with that of the other host"
                        : "",
                others == 0 ? "" : " (and " + others + " others since the last message)");
    }

    private static String cause(@Nullable Throwable thrown) {
        Throwable each = thrown;
        for (int i = 0; i < MOST_CAUSES && each != null && each.getCause() != null; i++) {
            each = each.getCause();
        }
        return each == null ? "" : String.valueOf(each.getMessage());
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS);
    }

    /**
     * Reports whether a certificate is not valid now: this service's by the clock of the other
     * side, which sends the alert for both directions (RFC 8446 section 6.2), or the other's by
     * this clock.
     */
    private static boolean isTime(@Nullable Throwable thrown, String cause) {
        Throwable each = thrown;
        for (int i = 0; i < MOST_CAUSES && each != null; i++) {
            if (each instanceof CertificateExpiredException
                    || each instanceof CertificateNotYetValidException) {
                return true;
            }
            each = each.getCause();
        }
        return cause.toLowerCase(Locale.ROOT).contains("certificate_expired");
    }

    /** Returns one of few other reasons, as a label of the count. */
    private static String reason(String cause) {
        String text = cause.toLowerCase(Locale.ROOT);
        if (text.contains("unknown_ca")
                || text.contains("certificate")
                || text.contains("certification path")) {
            return "certificate-not-trusted";
        }
        if (text.contains("eof") || text.contains("closed")) {
            return "closed"; // some clients close without a word when they do not trust it
        }
        return text.contains("plaintext") ? "clear-text" : "other";
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        source.removeHandler(this);
    }
}
