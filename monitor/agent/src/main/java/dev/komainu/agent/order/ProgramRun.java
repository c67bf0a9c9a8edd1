package dev.komainu.agent.order;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A program that was run to its end.
 *
 * @param succeeded exit code 0, in time
 * @param output the end of what it said on both outputs, at most 1,500 characters
 */
record ProgramRun(boolean succeeded, String output) {

    private static final int MOST_BYTES = 256 << 10;
    private static final int MOST_CHARACTERS = 1_500;

    static ProgramRun of(
            List<String> command,
            Map<String, String> environment,
            @Nullable Path directory,
            Duration limit) {
        try {
            Process process = builder(command, environment, directory)
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            // The clock runs beside the reading: a program that neither speaks nor ends must not
            // hold us.
            Thread clock = Thread.ofVirtual().start(() -> {
                try {
                    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                        process.destroyForcibly();
                    }
                } catch (InterruptedException e) {
                    // It ended.
                }
            });
            String said;
            try (InputStream out = process.getInputStream()) {
                said = new String(out.readNBytes(MOST_BYTES), StandardCharsets.UTF_8).strip();
            }
            int code = process.waitFor();
            clock.interrupt();
            return new ProgramRun(
                    code == 0,
                    code == 0
                            ? said
                            : end(command.getFirst() + " ended with " + code + ": " + said));
        } catch (IOException e) {
            return new ProgramRun(false, end(command.getFirst() + ": " + e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new ProgramRun(false, command.getFirst() + ": interrupted");
        }
    }

    /**
     * Starts a server that goes on without us, in a session of its own: some end by a signal to
     * their whole process group.
     *
     * @return null when it runs, or went to the background; else what it said
     */
    static @Nullable String start(
            List<String> command, Map<String, String> environment, @Nullable Path directory) {
        List<String> own = new ArrayList<>(List.of("setsid"));
        own.addAll(command);
        try {
            Process process = builder(own, environment, directory)
                    .redirectInput(Redirect.from(new java.io.File("/dev/null")))
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            if (process.waitFor(2, TimeUnit.SECONDS) && process.exitValue() != 0) {
                return command.getFirst() + " ended with " + process.exitValue();
            }
            return null;
        } catch (IOException e) {
            return end(command.getFirst() + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return command.getFirst() + ": interrupted";
        }
    }

    private static ProcessBuilder builder(
            List<String> command, Map<String, String> environment, @Nullable Path directory) {
        ProcessBuilder builder = new ProcessBuilder(command);
        if (directory != null) {
            builder.directory(directory.toFile());
        }
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.environment()
                .putIfAbsent(
                        "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        return builder;
    }

    private static String end(String text) {
        return text.length() <= MOST_CHARACTERS
                ? text
                : "…" + text.substring(text.length() - MOST_CHARACTERS);
    }
}
