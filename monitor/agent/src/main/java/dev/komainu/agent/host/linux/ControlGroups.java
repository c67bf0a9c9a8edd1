package dev.komainu.agent.host.linux;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The control groups of watched servers, each read once a look, however many servers are in it.
 * Their files stay open from look to look. One thread at a time.
 */
public final class ControlGroups implements AutoCloseable {

    private final KernelReader reader;
    private final ProcFiles proc;
    private final Map<String, Entry> byPlace = new HashMap<>();
    private @Nullable ControlGroupMounts mounts;
    private long look;

    private static final class Entry {
        final ControlGroup group;

        @Nullable
        ControlGroupState state;

        long seen = -1;

        Entry(ControlGroup group) {
            this.group = group;
        }
    }

    ControlGroups(KernelReader reader, ProcFiles proc) {
        this.reader = reader;
        this.proc = proc;
    }

    /** Begins a look: what is asked from now on is read anew, once. */
    public void begin() {
        look++;
    }

    /** What binds the group this process is in; null where it is in none that can be seen. */
    public @Nullable ControlGroupState of(long processId) {
        int file = reader.open(proc.path(processId + "/cgroup").toString());
        String place = reader.read(file) ? reader.text().toString() : "";
        reader.close(file);
        if (place.isEmpty()) {
            return null;
        }
        Entry entry = byPlace.computeIfAbsent(place, this::entry);
        if (entry.seen != look) {
            entry.seen = look;
            entry.state = entry.group.read();
        }
        return entry.state;
    }

    private Entry entry(String place) {
        ControlGroupMounts known = mounts;
        if (known == null) {
            known = ControlGroupMounts.of(proc);
            mounts = known;
        }
        return new Entry(new ControlGroup(reader, known.places(place)));
    }

    /** Ends a look: groups nobody asked for are let go. */
    public void end() {
        for (Iterator<Entry> i = byPlace.values().iterator(); i.hasNext(); ) {
            Entry entry = i.next();
            if (entry.seen != look) {
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
