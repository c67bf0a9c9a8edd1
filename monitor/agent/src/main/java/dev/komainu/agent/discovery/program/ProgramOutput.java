package dev.komainu.agent.discovery.program;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks a server's program for its version ({@code nginx -v}). Asked once per program file, killed
 * after two seconds.
 *
 * <p>The agent often runs as root, and anybody may start a program called {@code nginx} on port
 * 8080. So a program is run only when its file and every directory above belong to root or to
 * ourselves and nobody else may write there. One thread at a time.
 */
public final class ProgramOutput {

    private static final int MAX_BYTES = 64 << 10;
    private static final long LIMIT_MILLIS = 2_000;

    private final Map<String, String> answers = new HashMap<>();

    /**
     * What the program wrote on both outputs; empty when it may not or cannot be run.
     *
     * @param flags one or more, divided by spaces; only such as make it speak and end
     */
    public String of(ServerProcess process, @Nullable String flags) {
        String program = process.program();
        if (program == null || flags == null) {
            return "";
        }
        Path path = Path.of(program);
        try {
            if (!isRunning(path, process.id())) {
                return "";
            }
            String key = program + " " + flags + " " + Files.getLastModifiedTime(path);
            String answer = answers.get(key);
            if (answer == null) {
                List<String> command = new ArrayList<>(List.of(program));
                command.addAll(List.of(flags.split(" ")));
                answer = isTrustworthy(path) ? run(command) : "";
                answers.put(key, answer);
            }
            return answer;
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Whether this file is the one that runs: not so inside a container, where the path names
     * another file, and not so after an upgrade without a restart, whose version would be told as
     * the running one's. A service with private directories of its own (systemd's PrivateTmp) still
     * runs the host's file.
     */
    private static boolean isRunning(Path program, long processId) throws IOException {
        return Files.isSameFile(Path.of("/proc/" + processId + "/exe"), program);
    }

    /** Whether only root or we could have put this file there. */
    public static boolean isTrustworthy(Path program) {
        try {
            Path real = program.toRealPath();
            UserPrincipal root = owner(Path.of("/proc/1"));
            UserPrincipal self = owner(Path.of("/proc/self"));
            for (Path path = real; path != null; path = path.getParent()) {
                PosixFileAttributes attributes = Files.readAttributes(
                        path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                boolean ours =
                        attributes.owner().equals(root) || attributes.owner().equals(self);
                boolean open = attributes.permissions().contains(PosixFilePermission.OTHERS_WRITE)
                        || attributes.permissions().contains(PosixFilePermission.GROUP_WRITE);
                if (!ours || open) {
                    return false;
                }
            }
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    private static UserPrincipal owner(Path path) throws IOException {
        return Files.getOwner(path);
    }

    private static String run(List<String> command) {
        return ask(command).text();
    }

    /**
     * How a program answered.
     *
     * @param succeeded whether it ended with 0, in time
     * @param text on both outputs, its first 64 KB
     */
    public record Answer(boolean succeeded, String text) {}

    /**
     * Runs a command of our own, killed after two seconds; the caller knows that its program may be
     * trusted.
     */
    public static Answer ask(List<String> command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().keySet().retainAll(List.of("PATH", "LANG"));
            Process process = builder.start();
            process.getOutputStream().close();
            // The clock runs beside the reading: a program that neither speaks nor ends must not
            // hold us.
            Thread clock = Thread.ofPlatform().daemon().name("version-clock").start(() -> {
                try {
                    if (!process.waitFor(LIMIT_MILLIS, TimeUnit.MILLISECONDS)) {
                        process.destroyForcibly();
                    }
                } catch (InterruptedException e) {
                    // Its answer came.
                }
            });
            try (InputStream out = process.getInputStream()) {
                String text = new String(out.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
                out.transferTo(OutputStream.nullOutputStream());
                return new Answer(process.waitFor() == 0, text);
            } finally {
                process.destroy();
                clock.interrupt();
            }
        } catch (IOException e) {
            return new Answer(false, "");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer(false, "");
        }
    }
}
