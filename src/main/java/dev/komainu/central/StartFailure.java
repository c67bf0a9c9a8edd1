package dev.komainu.central;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.komainu.central.control.ControlRefusedException;
import dev.komainu.central.store.StoreException;
import dev.komainu.settings.SettingMistakesException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * The report of a failed start, one line each: name, value, expectation. A mistake in the settings
 * prints no stack trace.
 */
final class StartFailure {

    private StartFailure() {}

    /**
     * Silences Spring's own reporter, which would print the same failure again. It is needed before
     * logging is configured, when mistakes in settings are found; {@code application.yml} has the
     * same setting for the time after.
     */
    static void silenceSpring() {
        if (LoggerFactory.getLogger(
                        "org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter")
                instanceof Logger logger) {
            logger.setLevel(Level.OFF);
        }
    }

    /** The analyzer of failures that a user can correct. */
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static final class Analyzer implements FailureAnalyzer {

        private static final int CONNECT_MILLIS = 1_000;
        /**
         * H2's error code {@code DATABASE_ALREADY_OPEN_1}; the error's text is in the user's
         * language.
         */
        private static final int H2_ALREADY_OPEN = 90020;

        private final @Nullable Environment environment;

        Analyzer(@Nullable Environment environment) {
            this.environment = environment;
        }

        @Override
        public @Nullable FailureAnalysis analyze(Throwable failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof SettingMistakesException mistakes) {
                    return new FailureAnalysis(
                            String.join("\n", mistakes.mistakes()), null, failure);
                }
                if (cause instanceof ControlRefusedException refused) {
                    return new FailureAnalysis(String.valueOf(refused.getMessage()), null, failure);
                }
                if (cause instanceof StoreException store) {
                    return new FailureAnalysis(String.valueOf(store.getMessage()), null, failure);
                }
                if (cause instanceof PortInUseException used) {
                    return new FailureAnalysis(inUse(used.getPort()), null, failure);
                }
                if (cause instanceof BindException && isPortInUse()) {
                    return new FailureAnalysis(inUse(port()), null, failure);
                }
                if (cause instanceof SQLException sql && sql.getErrorCode() == H2_ALREADY_OPEN) {
                    return new FailureAnalysis(
                            "komainu.data: "
                                    + (environment == null
                                            ? ""
                                            : environment.getProperty("spring.datasource.url"))
                                    + " (in use by another central service; expected: a directory of its own)",
                            null,
                            failure);
                }
            }
            return null;
        }

        /**
         * Reports whether the listen port is in use. Spring searches the kernel's text for "in
         * use", but that text is in the user's language. This method connects to the port instead.
         */
        private boolean isPortInUse() {
            String host = environment == null ? "" : environment.getProperty("server.address", "");
            try (Socket socket = new Socket()) {
                InetAddress address = host.isEmpty()
                        ? InetAddress.getLoopbackAddress()
                        : InetAddress.getByName(host);
                socket.connect(
                        new InetSocketAddress(
                                address.isAnyLocalAddress()
                                        ? InetAddress.getLoopbackAddress()
                                        : address,
                                port()),
                        CONNECT_MILLIS);
                return true;
            } catch (IOException e) {
                return false;
            }
        }

        private int port() {
            return environment == null
                    ? 0
                    : environment.getProperty("server.port", Integer.class, 0);
        }

        private String inUse(int port) {
            String address =
                    environment == null ? "" : environment.getProperty("server.address", "");
            return CentralSettings.LISTEN.key() + ": " + address + ":" + port
                    + " (in use; expected: a free port, e.g. --server.port=" + (port + 1) + ")";
        }
    }

    /** The reporter that prints only the lines. */
    static final class Reporter implements FailureAnalysisReporter {
        @Override
        public void report(FailureAnalysis analysis) {
            System.err.println(analysis.getDescription());
        }
    }
}
