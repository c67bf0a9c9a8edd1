package dev.komainu.agent.host.linux;

import java.util.ArrayList;
import java.util.List;

/**
 * Names of devices met before, so that a row read every ten seconds makes no string. One thread at
 * a time.
 */
public final class DeviceNameCache {

    /** A host with more devices than this makes its strings anew. */
    private static final int MOST = 1_000;

    private final List<String> names = new ArrayList<>();
    private int next;

    String of(KernelFileText text, int from, int to) {
        // The kernel tells its devices in the same order each time: the one after the last is
        // nearly always right.
        for (int tried = 0; tried < names.size(); tried++) {
            int index = (next + tried) % names.size();
            if (text.equals(names.get(index), from, to)) {
                next = index + 1;
                return names.get(index);
            }
        }
        String name = text.between(from, to);
        if (names.size() < MOST) {
            names.add(name);
            next = names.size();
        }
        return name;
    }
}
