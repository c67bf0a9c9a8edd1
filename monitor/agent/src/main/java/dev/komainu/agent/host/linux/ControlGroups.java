package dev.komainu.agent.host.linux;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The control groups of watched servers, each read once per reading, however many servers it
 * contains. Their files stay open between readings. One thread at a time.
 */
public final class ControlGroups implements AutoCloseable {

    private final KernelReader reader;
    private final ProcFiles proc;
    private final Map<String, Entry> byPlace = new HashMap<>();
    private @Nullable ControlGroupMounts mounts;
    private long round;

    private static final class Entry {
        final ControlGroup group;

        @Nullable
        ControlGroupState state;

        long lastRound = -1;

        Entry(ControlGroup group) {
            this.group = group;
        }
    }

    ControlGroups(KernelReader reader, ProcFiles proc) {
        this.reader = reader;
        this.proc = proc;
    }

    /** Begins a reading: each group is read again at its next request. */
    public void begin() {
        round++;
    }

    /** Returns the limits of this process's group; null when no group is visible. */
    public @Nullable ControlGroupState of(long processId) {
        int file = reader.open(proc.path(processId + "/cgroup").toString());
        String place = reader.read(file) ? reader.text().toString() : "";
        reader.close(file);
        if (place.isEmpty()) {
            return null;
        }
        Entry entry = byPlace.computeIfAbsent(place, this::entry);
        if (entry.lastRound != round) {
            entry.lastRound = round;
            entry.state = entry.group.read();
        }
        return entry.state;
    }

    /** Reports whether a process's group is frozen, after {@link #of} in the same reading. */
    public boolean isFrozen(long processId) {
        int file = reader.open(proc.path(processId + "/cgroup").toString());
        String place = reader.read(file) ? reader.text().toString() : "";
        reader.close(file);
        Entry entry = byPlace.get(place);
        return entry != null && entry.group.isFrozen();
    }

    private Entry entry(String place) {
        ControlGroupMounts known = mounts;
        if (known == null) {
            known = ControlGroupMounts.of(proc);
            mounts = known;
        }
        return new Entry(new ControlGroup(reader, known.places(place)));
    }

    /** Ends a reading and closes the groups that were not requested in it. */
    public void end() {
        for (Iterator<Entry> i = byPlace.values().iterator(); i.hasNext(); ) {
            Entry entry = i.next();
            if (entry.lastRound != round) {
                entry.group.close();
                i.remove();
            }
        }
    }

    @Override
    public void close() {
        byPlace.values().forEach(entry -> entry.group.close());
        byPlace.clear();
    }
}
