package dev.komainu.intermediary.control;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;

/**
 * A reload of the configuration from the source that the start read. Thread-safe: one reload at a
 * time.
 */
@FunctionalInterface
public interface ConfigurationReload {

    /**
     * Reloads the configuration.
     *
     * @param dryRun true: only check and compare, change nothing
     */
    Report reload(boolean dryRun);

    /**
     * The result of a reload.
     *
     * @param problems all mistakes, "name: value (expected …)"; when there is one, nothing has
     *     changed
     * @param applied keys whose new values apply from the next request on (of a dry run: would
     *     apply)
     * @param needsRestart keys that have new values but change only at the next start, with the
     *     reasons
     * @param unchanged number of keys with the same value as before, or without a value both times
     * @param generation of the configuration now in force
     */
    record Report(
            List<String> problems,
            List<String> applied,
            Map<String, String> needsRestart,
            int unchanged,
            long generation,
            boolean dryRun) {

        /** Logs the result. */
        public void log(Logger log) {
            if (problems.isEmpty()) {
                log.info(
                        "Configuration {} is in force: changed {}, effective at the next start {}",
                        generation,
                        applied,
                        needsRestart.keySet());
            } else {
                problems.forEach(problem -> log.error("The reload changed nothing: {}", problem));
            }
        }

        /** Returns the members of the endpoint's response. */
        Map<String, Object> members() {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("applied", applied);
            all.put("needsRestart", needsRestart.keySet().stream().toList());
            all.put("reasons", needsRestart);
            all.put("unchanged", unchanged);
            all.put("generation", generation);
            all.put("dryRun", dryRun);
            return all;
        }
    }
}
