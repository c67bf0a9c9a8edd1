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
 * The output of server programs, such as a version ({@code nginx -v}). Each program file runs once
 * and is killed after two seconds.
 *
 * <p>The agent often runs as root, and any user may start a program called {@code nginx} on port
 * 8080. A program is therefore run only when its file and every directory above belong to root or
 * to the agent's user and no other user may write there. One thread at a time.
 */
public final class ProgramOutput {

    private static final int MAX_BYTES = 64 << 10;
    private static final long LIMIT_MILLIS = 2_000;

    private final Map<String, String> outputs = new HashMap<>();

    /**
     * Returns the program's text on both outputs; empty when it must not or cannot be run.
     *
     * @param flags one or more, separated by spaces; only flags that make the program print and
     *     exit
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
            String output = outputs.get(key);
            if (output == null) {
                List<String> command = new ArrayList<>(List.of(program));
                command.addAll(List.of(flags.split(" ")));
                output = isTrustworthy(path) ? run(command) : "";
                outputs.put(key, output);
            }
            return output;
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Reports whether this file is the running program. It is not inside a container, where the
     * path names another file, nor after an upgrade without a restart, where the new version would
     * be reported as the running one. A service with private directories (systemd's PrivateTmp)
     * still runs the host's file.
     */
    private static boolean isRunning(Path program, long processId) throws IOException {
        return Files.isSameFile(Path.of("/proc/" + processId + "/exe"), program);
    }

    /** Reports whether only root or the agent's own user can have put this file there. */
    public static boolean isTrustworthy(Path program) {
        try {
            Path real = program.toRealPath();
            UserPrincipal root = owner(Path.of("/proc/1"));
            UserPrincipal self = owner(Path.of("/proc/self"));
            for (Path path = real; path != null; path = path.getParent()) {
                PosixFileAttributes attributes = Files.readAttributes(
                        path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                boolean ownerTrusted =
                        attributes.owner().equals(root) || attributes.owner().equals(self);
                boolean writableByOthers = attributes
                                .permissions()
                                .contains(PosixFilePermission.OTHERS_WRITE)
                        || attributes.permissions().contains(PosixFilePermission.GROUP_WRITE);
                if (!ownerTrusted || writableByOthers) {
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
        return execute(command).text();
    }

    /**
     * The result of a program.
     *
     * @param succeeded whether it exited with 0, in time
     * @param text the first 64 KB of both outputs
     */
    public record Result(boolean succeeded, String text) {}

    /**
     * Runs a command and kills it after two seconds. The caller has checked that its program is
     * trustworthy.
     */
    public static Result execute(List<String> command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().keySet().retainAll(List.of("PATH", "LANG"));
            Process process = builder.start();
            process.getOutputStream().close();
            // A separate thread enforces the timeout, so that a program that neither writes nor
            // exits does not block the reader.
            Thread timeout = Thread.ofPlatform().daemon().name("version-clock").start(() -> {
                try {
                    if (!process.waitFor(LIMIT_MILLIS, TimeUnit.MILLISECONDS)) {
                        process.destroyForcibly();
                    }
                } catch (InterruptedException e) {
                    // The program has exited.
                }
            });
            try (InputStream out = process.getInputStream()) {
                String text = new String(out.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
                out.transferTo(OutputStream.nullOutputStream());
                return new Result(process.waitFor() == 0, text);
            } finally {
                process.destroy();
                timeout.interrupt();
            }
        } catch (IOException e) {
            return new Result(false, "");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Result(false, "");
        }
    }
}
