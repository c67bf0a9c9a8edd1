package dev.komainu.agent.discovery.configuration;

import dev.komainu.agent.host.linux.ProcFiles;

/** The number of processes that a master forked: what an expression in its file came to. Pure. */
public final class ForkedWorkers {

    private ForkedWorkers() {}

    /** Returns the number of children of a process; 0 without any or without permission. */
    public static int of(ProcFiles proc, long processId) {
        int count = 0;
        for (String child : proc.text(processId + "/task/" + processId + "/children")
                .strip()
                .split("\\s+")) {
            count += child.matches("\\d{1,10}") ? 1 : 0;
        }
        return count;
    }
}
