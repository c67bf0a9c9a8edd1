package dev.komainu.agent.host;

import dev.komainu.telemetry.record.HostParts.Drive;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The disks' own verdict on their health (SMART), by smartctl(8) where it is installed. It is
 * started every six hours on a thread of its own, waits at most twenty seconds for each disk, and
 * leaves sleeping disks asleep. Used only with {@code host.smart}: otherwise the agent starts no
 * program.
 */
final class SmartHealth implements AutoCloseable {

    private static final long FIRST_SECONDS = 60;
    private static final long EVERY_SECONDS = TimeUnit.HOURS.toSeconds(6);
    private static final long PATIENCE_SECONDS = 20;
    private static final int MAX_BYTES = 64 << 10;
    private static final List<Path> PLACES =
            List.of(Path.of("/usr/sbin/smartctl"), Path.of("/usr/local/sbin/smartctl"));
    private static final Pattern VERDICT =
            Pattern.compile("\"smart_status\"\\s*:\\s*\\{\\s*\"passed\"\\s*:\\s*(true|false)");

    private final Function<String, @Nullable String> answer;
    private final Map<String, Integer> failing = new ConcurrentHashMap<>();
    private volatile List<String> disks = List.of();
    private final ScheduledExecutorService thread = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("komainu-smart").daemon().factory());

    /**
     * Creates a reader that is not started.
     *
     * @param answer returns the answer of smartctl for a disk; null without one
     */
    SmartHealth(Function<String, @Nullable String> answer) {
        this.answer = answer;
    }

    /** Creates a reader that starts smartctl; null where it is not installed. */
    static @Nullable SmartHealth ofThisHost() {
        for (Path place : PLACES) {
            if (Files.isExecutable(place)) {
                return new SmartHealth(disk -> ask(place, disk));
            }
        }
        return null;
    }

    // The task catches its failures.
    @SuppressWarnings("FutureReturnValueIgnored")
    void start() {
        thread.scheduleWithFixedDelay(this::ask, FIRST_SECONDS, EVERY_SECONDS, TimeUnit.SECONDS);
    }

    /** Returns the disks with their own verdict; they are asked at the next turn. Any thread. */
    List<Drive> withVerdicts(List<Drive> drives) {
        disks = drives.stream().map(Drive::name).toList();
        return drives.stream()
                .map(drive -> new Drive(
                        drive.name(),
                        drive.model(),
                        drive.bytes(),
                        drive.errors(),
                        drive.newErrors(),
                        failing.get(drive.name())))
                .toList();
    }

    /** Asks each disk. */
    void ask() {
        for (String disk : disks) {
            try {
                Integer verdict = verdict(answer.apply(disk));
                // A sleeping disk gives no verdict: the last one stays.
                if (verdict != null) {
                    failing.put(disk, verdict);
                }
            } catch (RuntimeException e) {
                System.err.println("agent: smartctl for " + disk + ": " + e);
            }
        }
    }

    /** Returns 1 when the answer says that the disk fails, 0 when it is sound; null without. */
    static @Nullable Integer verdict(@Nullable String answer) {
        Matcher verdict = VERDICT.matcher(answer == null ? "" : answer);
        return verdict.find() ? Integer.valueOf("false".equals(verdict.group(1)) ? 1 : 0) : null;
    }

    private static @Nullable String ask(Path smartctl, String disk) {
        try {
            Process process = new ProcessBuilder(
                            smartctl.toString(),
                            "--health",
                            "--json=c",
                            "--nocheck=standby",
                            "/dev/" + disk)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                process.getOutputStream().close();
                // It writes less than a pipe holds, so it ends without a reader.
                if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    return null;
                }
                try (InputStream out = process.getInputStream()) {
                    return new String(out.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
                }
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
