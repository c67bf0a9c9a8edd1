package dev.komainu.agent;

import dev.komainu.telemetry.record.SourceStatus.Trouble;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What this agent cannot do here, one entry a kind. Said once on standard error, then in every status. Any thread. */
final class Troubles {

    // Guarded by this.
    private final Map<String, Trouble> troubles = new LinkedHashMap<>();

    synchronized void add(String code, String message, @Nullable String remedy) {
        Trouble trouble = new Trouble(code, message, remedy);
        if (!trouble.equals(troubles.put(code, trouble))) {
            System.err.println("agent: " + message + (remedy == null ? "" : ". Mend: " + remedy));
        }
    }

    synchronized void clear(String code) {
        troubles.remove(code);
    }

    synchronized List<Trouble> list() {
        return new ArrayList<>(troubles.values());
    }
}
