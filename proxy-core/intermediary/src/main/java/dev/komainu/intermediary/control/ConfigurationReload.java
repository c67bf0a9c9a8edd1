package dev.komainu.intermediary.control;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Reads the configuration again, from where the start read it. Safe for all threads: one reload at
 * a time.
 */
@FunctionalInterface
public interface ConfigurationReload {

    /** @param dryRun only check and compare, change nothing */
    Report reload(boolean dryRun);

    /**
     * What became of a reload.
     *
     * @param problems all mistakes, "name: value (expected …)"; when there is one, nothing has
     *     changed
     * @param applied keys whose new values rule the next request (of a dry run: would)
     * @param needsRestart keys that are set otherwise now but change only at the next start, and
     *     why
     * @param unchanged keys that are set as they were, or neither then nor now
     * @param generation of the configuration now in force
     */
    record Report(
            List<String> problems,
            List<String> applied,
            Map<String, String> needsRestart,
            int unchanged,
            long generation,
            boolean dryRun) {

        /** Says what came of it. */
        public void log(Logger log) {
            if (problems.isEmpty()) {
                log.info(
                        "Configuration {} is in force: changed {}, only at the next start {}",
                        generation,
                        applied,
                        needsRestart.keySet());
            } else {
                problems.forEach(
                        problem -> log.error("The configuration in force is kept: {}", problem));
            }
        }

        /** As the endpoint tells it. */
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
