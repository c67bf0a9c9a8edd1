package dev.komainu.agent.discovery.program;

import dev.komainu.agent.host.linux.ProcFiles;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The environment a process was started with, looked up name by name where its configuration names
 * a variable. A variable whose name suggests a secret is never returned. One thread at a time.
 */
public final class ProcessEnvironment {

    private static final Pattern SECRET =
            Pattern.compile("PASS|SECRET|TOKEN|KEY|CRED|AUTH|PWD|PRIVATE|COOKIE|SESSION|DSN|URL");

    private final String text;

    private ProcessEnvironment(String text) {
        this.text = "\0" + text + "\0";
    }

    /** Reads the environment of a process; empty without permission. */
    public static ProcessEnvironment of(ProcFiles proc, long processId) {
        return new ProcessEnvironment(proc.text(processId + "/environ"));
    }

    /** Creates an environment of {@code NAME=VALUE} entries; for tests. */
    public static ProcessEnvironment of(String... entries) {
        return new ProcessEnvironment(String.join("\0", entries));
    }

    /** Returns a variable; null when it is not set or its name suggests a secret. */
    public @Nullable String get(String name) {
        if (SECRET.matcher(name.toUpperCase(Locale.ROOT)).find()) {
            return null;
        }
        int at = text.indexOf("\0" + name + "=");
        if (at < 0 || name.isEmpty()) {
            return null;
        }
        int from = at + name.length() + 2;
        return text.substring(from, text.indexOf('\0', from));
    }
}
