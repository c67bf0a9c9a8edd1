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
 * The result of a program.
 *
 * @param succeeded exit code 0, in time
 * @param output the end of both outputs, at most 1,500 characters
 */
record ProgramRun(boolean succeeded, String output) {

    private static final int MAX_BYTES = 256 << 10;
    private static final int MAX_CHARACTERS = 1_500;

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
            // A separate thread enforces the timeout, so that a program that neither writes nor
            // exits does not block the reader.
            Thread timeout = Thread.ofVirtual().start(() -> {
                try {
                    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                        process.destroyForcibly();
                    }
                } catch (InterruptedException e) {
                    // The program has exited.
                }
            });
            String text;
            try (InputStream out = process.getInputStream()) {
                text = new String(out.readNBytes(MAX_BYTES), StandardCharsets.UTF_8).strip();
            }
            int code = process.waitFor();
            timeout.interrupt();
            return new ProgramRun(
                    code == 0,
                    code == 0
                            ? text
                            : end(command.getFirst() + " ended with " + code + ": " + text));
        } catch (IOException e) {
            return new ProgramRun(false, end(command.getFirst() + ": " + e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new ProgramRun(false, command.getFirst() + ": interrupted");
        }
    }

    /**
     * Starts a server that outlives the agent, in a separate session: some servers end by a signal
     * to their whole process group.
     *
     * @return null when it runs, or went to the background; else the failure
     */
    static @Nullable String start(
            List<String> command, Map<String, String> environment, @Nullable Path directory) {
        List<String> withSession = new ArrayList<>(List.of("setsid"));
        withSession.addAll(command);
        try {
            Process process = builder(withSession, environment, directory)
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
        return text.length() <= MAX_CHARACTERS
                ? text
                : "…" + text.substring(text.length() - MAX_CHARACTERS);
    }
}
