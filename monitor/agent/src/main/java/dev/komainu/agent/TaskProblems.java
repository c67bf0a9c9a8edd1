package dev.komainu.agent;

import dev.komainu.telemetry.record.SourceStatus.Trouble;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Problems of this agent on this host: at most one for each of its tasks, reported once on standard
 * error and then in every status until it is solved. Any thread.
 */
final class TaskProblems {

    // Guarded by this.
    private final Map<String, Trouble> byTask = new LinkedHashMap<>();

    synchronized void set(
            String task, String code, @Nullable String message, @Nullable String remedy) {
        Trouble trouble = new Trouble(code, message == null ? code : message, remedy);
        if (!trouble.equals(byTask.put(task, trouble))) {
            System.err.println(
                    "agent: " + trouble.message() + (remedy == null ? "" : ". Fix: " + remedy));
        }
    }

    synchronized void clear(String task) {
        byTask.remove(task);
    }

    synchronized List<Trouble> list() {
        return new ArrayList<>(byTask.values());
    }
}
