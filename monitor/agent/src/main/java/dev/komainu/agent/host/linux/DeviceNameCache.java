package dev.komainu.agent.host.linux;

import java.util.ArrayList;
import java.util.List;

/**
 * The known device names, so that a row read every ten seconds creates no string. One thread at a
 * time.
 */
public final class DeviceNameCache {

    /** Maximum number of stored names; further names create a string each time. */
    private static final int MOST = 1_000;

    private final List<String> names = new ArrayList<>();
    private int next;

    String of(KernelFileText text, int from, int to) {
        // The kernel lists its devices in the same order each time, so the name after the last one
        // is nearly always right.
        for (int attempt = 0; attempt < names.size(); attempt++) {
            int index = (next + attempt) % names.size();
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
