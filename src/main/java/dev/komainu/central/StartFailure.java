package dev.komainu.central;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.komainu.central.settings.SettingsMistakes;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Says in a line why the service does not start: name, value, expectation; no stack trace for mistakes of settings. */
final class StartFailure {

    private StartFailure() {}

    /**
     * Spring's own reporter would tell the same once more with stars around. Needed before logging is set up, when
     * mistakes in settings are found; {@code application.yml} says the same for the time after.
     */
    static void silenceSpring() {
        if (LoggerFactory.getLogger("org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter")
                instanceof Logger logger) {
            logger.setLevel(Level.OFF);
        }
    }

    /** Knows the failures people can mend. */
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static final class Analyzer implements FailureAnalyzer {

        private final @Nullable Environment environment;

        Analyzer(@Nullable Environment environment) {
            this.environment = environment;
        }

        @Override
        public @Nullable FailureAnalysis analyze(Throwable failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof SettingsMistakes mistakes) {
                    return new FailureAnalysis(String.join("\n", mistakes.lines()), null, failure);
                }
                if (cause instanceof PortInUseException used) {
                    return new FailureAnalysis(inUse(used.getPort()), null, failure);
                }
                String message = String.valueOf(cause.getMessage());
                if (message.contains("Database may be already in use")) {
                    return new FailureAnalysis(
                            "komainu.data: "
                                    + (environment == null ? "" : environment.getProperty("spring.datasource.url"))
                                    + " (in use by another central service; expected: a directory of its own)",
                            null,
                            failure);
                }
            }
            return null;
        }

        private String inUse(int port) {
            String address = environment == null ? "" : environment.getProperty("server.address", "");
            return CentralSettings.LISTEN + ": " + address + ":" + port
                    + " (in use; expected: a free port, e.g. --server.port=" + (port + 1) + ")";
        }
    }

    /** Writes the lines and nothing else. */
    static final class Reporter implements FailureAnalysisReporter {
        @Override
        public void report(FailureAnalysis analysis) {
            System.err.println(analysis.getDescription());
        }
    }
}
